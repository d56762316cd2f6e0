import { expect, test } from 'vitest';
import { createTranslators } from '../../../present/texts/translator.ts';
import { islandTexts } from '../../contact/upload-page.tsx';
import { islandTranslator } from './island-translator.ts';

const all = createTranslators({ fallback: 'en' });

test.each(['en', 'en-US', 'sv', 'de', 'fr', 'es'])('translates as the server does: %s', (language) => {
  const server = all.for(language);
  const browser = islandTranslator(islandTexts(server));
  for (const count of [0, 1, 2, 1234, 1_000_000]) {
    expect(browser.t('island.added', { count })).toBe(server.t('island.added', { count }));
    expect(browser.t('upload.limits', { count, size: '{{x}}' })).toBe(
      server.t('upload.limits', { count, size: '{{x}}' }),
    );
  }
  expect(browser.t('island.removed', { name: '{{count}} $& <b>' })).toBe(
    server.t('island.removed', { name: '{{count}} $& <b>' }),
  );
  expect(browser.formatSize(1_449_999)).toBe(server.formatSize(1_449_999));
});
