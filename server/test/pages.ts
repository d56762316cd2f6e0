import { createTranslators } from '../src/present/texts/translator.ts';
import type { PageOptions } from '../src/web/shared/page.ts';
import { plainOperator } from './plain-operator.ts';

/** Pages as a server shows them; their stylesheet and scripts need not have been built. */
export const testPages: PageOptions = {
  translator: createTranslators({ fallback: 'en' }),
  assets: {
    href: (source) => `/assets/${source.split('/').at(-1)}`,
    files: new Map([
      ['pages.css', Buffer.from('body { color: black }')],
      ['gesture.js', Buffer.from('void 0;')],
    ]),
  },
  operator: plainOperator,
  secureCookies: true,
};
