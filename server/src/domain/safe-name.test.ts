import { expect, test } from 'vitest';
import { isSafeName, toVisibleName } from './safe-name.ts';

test.each(['Maya Lindqvist', 'Räksmörgås AB', '森田 花子', 'O’Neill & Söhne (Wien)', ''])(
  'a name may be %j',
  (name) => {
    expect(isSafeName(name)).toBe(true);
  },
);

test.each([
  'security@bank.test',
  'security\uff20bank.test',
  'security\ufe6bbank.test',
  'Maya \uff1csecurity\uff1e',
  'Maya\r\nBcc: everybody',
  'Maya\tLindqvist',
  'Maya\u2028Lindqvist',
  'gpj\u202eexe',
  'Maya\u200f',
  'Maya\u2066x\u2069',
  'Maya\u061c',
])('a name may not be %j', (name) => {
  expect(isSafeName(name)).toBe(false);
});

test('a name of a receiver is put on one line, without what nobody sees', () => {
  expect(toVisibleName(' Maya\r\n\tLindqvist\u202e\u200f ')).toBe('Maya Lindqvist');
  expect(toVisibleName('anna@example.org')).toBe('anna@example.org');
  expect(toVisibleName('\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645')).toBe(
    '\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645',
  );
});
