import { expect, test } from 'vitest';
import { islandTexts } from '../pages/upload-page.tsx';
import { createWords } from '../words.ts';
import { islandWords } from './island-words.ts';

const all = createWords({ fallback: 'en' });

test.each(['en', 'en-US', 'sv', 'de', 'fr', 'es'])('the browser says it as the server does: %s', (language) => {
  const server = all.for(language);
  const browser = islandWords(islandTexts(server));
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
