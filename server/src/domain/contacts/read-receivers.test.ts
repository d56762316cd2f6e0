import { expect, test } from 'vitest';
import { splitReceivers } from './read-receivers.ts';

const a = { email: 'a@example.org', name: '' };
const b = { email: 'b@example.org', name: '' };

test.each([
  ['a@example.org, b@example.org', [a, b]],
  ['a@example.org;b@example.org;', [a, b]],
  ['A@Example.org\r\n\r\n  b@example.org\n', [a, b]],
  ['a@example.org b@example.org', [a, b]],
  ['mailto:a@example.org', [a]],
  ['<a@example.org>', [a]],
  ['Kim Park <a@example.org>, b@example.org', [{ ...a, name: 'Kim Park' }, b]],
  ['"Park, Kim" <a@example.org>, b@example.org', [{ ...a, name: 'Park, Kim' }, b]],
  [
    'Park, Kim <a@example.org>; Ortega, Tomás <b@example.org>',
    [
      { ...a, name: 'Park, Kim' },
      { ...b, name: 'Ortega, Tomás' },
    ],
  ],
  ['a@example.org <a@example.org>', [a]],
  ['Auditors, a@example.org', [{ word: 'Auditors' }, a]],
  ['a(at)example.org, b@example', [{ word: 'a(at)example.org' }, { word: 'b@example' }]],
  ['Kim <a@example.org', [{ word: 'Kim <a@example.org' }]],
  ['"unclosed, a@example.org', [{ word: '"unclosed' }, a]],
  [' ,;\n', []],
])('%j', (text, understood) => {
  expect([...splitReceivers(text)]).toEqual(understood);
});

test('a text without a separator is split in time that grows with its length alone', () => {
  const startedAt = performance.now();
  expect([...splitReceivers('"'.repeat(200_000))]).toEqual([]);
  expect([...splitReceivers(`${'a'.repeat(200_000)}<`)]).toHaveLength(1);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});
