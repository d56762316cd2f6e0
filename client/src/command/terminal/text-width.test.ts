import { expect, test } from 'vitest';
import { pad, shorten, textWidth, wrap } from './text-width.ts';

test.each([
  ['', 0],
  ['plain', 5],
  ['Zoë', 3],
  ['Zoe\u0308', 3], // the same with a combining mark
  ['日本語', 6],
  ['ｱｲｳ', 3], // half-width
  ['ＡＢ', 4], // full-width
  ['한국', 4],
  ['\u1112\u1161\u11ab', 2], // 한, decomposed
  ['क्षि', 3], // a mark with a width of its own
  ['👍', 2],
  ['👍🏽', 2],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['🇸🇪', 2],
  ['a\u200bb', 2],
])('%j takes %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

test.each([
  ['plain', 5, 'plain'],
  ['plain', 4, 'pla…'],
  ['two words', 5, 'two…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'], // a wide character does not fit into one column
  ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
  ['Zoe\u0308 and', 4, 'Zoe\u0308…'],
  ['plain', 0, ''],
])('%j in %i columns is %j', (text, columns, expected) => {
  expect(shorten(text, columns)).toBe(expected);
  expect(textWidth(expected)).toBeLessThanOrEqual(columns);
});

test('padded text has the given width', () => {
  expect(pad('日本', 6)).toBe('日本  ');
  expect(pad('日本', 6, 'right')).toBe('  日本');
  expect(pad('too long', 3)).toBe('too long');
});

test('a text is wrapped between words', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('日本語 日本語', 9)).toEqual(['日本語', '日本語']);
  expect(wrap('far too long', 2)).toEqual(['far', 'too', 'long']);
  expect(wrap('one two', Number.POSITIVE_INFINITY)).toEqual(['one two']);
});
