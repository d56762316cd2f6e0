import { h } from 'preact';
import { expect, test } from 'vitest';
import { plainOperator } from '../../../test/plain-operator.ts';
import { createTranslators } from '../../present/texts/translator.ts';
import { LongText, Rows } from './components/rows.tsx';
import { renderParts } from './render-page.tsx';

test('long lists, and long lists in their rows, are rendered in small parts and in their order', () => {
  const draw = (counts: readonly number[], name: string): ReturnType<typeof h> => {
    const [count = 0, ...inner] = counts;
    const items = Array.from({ length: count }, (_, index) => `${name}${index};`);
    const row = (item: string) => h('li', { key: item }, item, inner.length > 0 && draw(inner, item));
    return h('ul', null, h(Rows<string>, { items, row }));
  };
  const parts = [
    ...renderParts(createTranslators({ fallback: 'en' }).for('en'), {
      title: 'Lists',
      page: h('main', null, draw([3, 25, 12], 'a'), draw([300], 'b'), draw([1, 1, 1], 'c')),
      languageLinks: [],
      operator: plainOperator,
    }),
  ];
  const countRows = (html: string) => html.match(/<li>/g)?.length ?? 0;
  expect(Math.max(...parts.map(countRows))).toBeLessThanOrEqual(10);
  const list = (counts: readonly number[], name: string): string => {
    const [count = 0, ...inner] = counts;
    const items = Array.from({ length: count }, (_, index) => `${name}${index};`);
    return `<ul>${items.map((item) => `<li>${item}${inner.length > 0 ? list(inner, item) : ''}</li>`).join('')}</ul>`;
  };
  const [, main] = /<main>(.*)<\/main>/s.exec(parts.join('')) ?? [];
  expect(main).toBe(`${list([3, 25, 12], 'a')}${list([300], 'b')}${list([1, 1, 1], 'c')}`);
});

test('a long text is the same as a short one, and no character of it is cut in two', () => {
  const text = `${'😀"<&\n'.repeat(100_000)}end`;
  const parts = [
    ...renderParts(createTranslators({ fallback: 'en' }).for('en'), {
      title: 'A text',
      page: h('textarea', null, h(LongText, null, text)),
      languageLinks: [],
      operator: plainOperator,
    }),
  ];
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(1_000_000);
  const html = Buffer.concat(parts.map((part) => Buffer.from(part))).toString();
  const [, shown = ''] = /<textarea>(.*)<\/textarea>/s.exec(html) ?? [];
  const decoded = shown.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
  expect(decoded === text).toBe(true);
});
