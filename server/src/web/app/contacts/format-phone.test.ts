import { expect, test } from 'vitest';
import { formatPhone } from './format-phone.ts';

test.each([
  ['46700000112', '+46 700 000 112'],
  ['4915100000087', '+49 151 000 000 87'],
  ['12025550123', '+1 202 555 0123'],
  ['358401234567', '+358 401 234 567'],
  ['34600000344', '+34 600 000 344'],
  ['46', '+46'],
  ['', '+'],
])('%s is %s', (digits, shown) => {
  expect(formatPhone(digits).replaceAll('\u00a0', ' ')).toBe(shown);
});
