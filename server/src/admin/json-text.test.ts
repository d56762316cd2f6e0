import { expect, test } from 'vitest';
import { toJsonText } from './json-text.ts';

test('JSON has the same value, and no character that controls a terminal', () => {
  const value = { name: 'a\u001b[2J\u007f\u009b31m\u202etxt\u2028\u2029"\\\n' };
  expect(toJsonText(value)).toBe('{"name":"a\\u001b[2J\\u007f\\u009b31m\\u202etxt\\u2028\\u2029\\"\\\\\\n"}');
  expect(JSON.parse(toJsonText(value))).toEqual(value);
});
