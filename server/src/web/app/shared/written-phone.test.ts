import { describe, expect, test } from 'vitest';
import { chooseCallingCode, readWrittenPhone } from './written-phone.ts';

describe('a number', () => {
  test.each([
    ['070-123 45 67', '46', '46701234567'],
    ['+46 (0)70 123 45 67', undefined, '46701234567'],
    ['0046701234567', '49', '46701234567'],
    ['46701234567', '49', '46701234567'],
    ['612 34 56 78', '34', '34612345678'],
    ['(415) 555-0132', '1', '14155550132'],
  ])('%s with %s is %s', (text, callingCode, number) => {
    expect(readWrittenPhone(text, callingCode)).toEqual({ number });
  });

  test.each([
    ['0733 12', '46', 'short', 6],
    ['070 123 45 67', undefined, 'invalid', 10],
    ['mobile', '46', 'invalid', 6],
    ['', '46', 'invalid', 0],
    ['+46 70 123 45 67 89 01 23', '46', 'invalid', 17],
  ])('%s with %s is none', (text, callingCode, fault, digitCount) => {
    expect(readWrittenPhone(text, callingCode)).toEqual({ fault, digitCount });
  });
});

test.each([
  ['46700000001', 'de', '46'],
  ['14155550132', 'sv', '1'],
  ['358401234567', 'sv', '358'],
  ['', 'sv', '46'],
  ['', 'en', undefined],
])('the country of an account with the number “%s” and the language %s is %s', (phone, language, code) => {
  expect(chooseCallingCode(phone, language)).toBe(code);
});
