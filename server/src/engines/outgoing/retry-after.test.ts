import { expect, test } from 'vitest';
import { retryAfterSeconds } from './retry-after.ts';

const date = 'Sun, 06 Nov 1994 08:49:37 GMT';

test.each([
  ['120', undefined, 120],
  ['0', undefined, 0],
  ['Sun, 06 Nov 1994 08:50:37 GMT', date, 60],
  ['Sun, 06 Nov 1994 08:48:37 GMT', date, undefined],
  ['Sun, 06 Nov 1994 08:50:37 GMT', undefined, undefined],
  ['-5', undefined, undefined],
  ['soon', date, undefined],
  ['1e9', date, undefined],
  [undefined, date, undefined],
  [['1', '2'], date, undefined],
])('Retry-After: %s, Date: %s', (header, sent, seconds) => {
  expect(retryAfterSeconds(header, sent)).toBe(seconds);
});
