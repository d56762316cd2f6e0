import { expect, test } from 'vitest';
import { phoneNumber } from './phone-number.ts';

test.each(['1234567', '46701234567', '123456789012345'])('%s is a number', (text) => {
  expect(phoneNumber(text)).toBe(text);
});

test.each([
  '',
  '123456',
  '1234567890123456',
  '+46701234567',
  '0046701234567',
  '0701234567',
  '46 70 123',
  '46-701234567',
  '4670123456a',
  '46701234567\n',
  '٤٦٧٠١٢٣٤٥٦٧',
])('%j is none', (text) => {
  expect(() => phoneNumber(text)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
});
