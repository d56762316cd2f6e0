import { expect, test } from 'vitest';
import { streamMaxLength } from './gather-settings.ts';

test.each([
  ['StreamMaxLength 25M', '26214400'],
  ['# a comment\nstreammaxlength 2g\nMaxThreads 12', '2147483648'],
  ['StreamMaxLength 4096', '4096'],
  ['#StreamMaxLength 25M', undefined],
])('the largest file that clamd accepts by %j', (configuration, bytes) => {
  expect(streamMaxLength(configuration)).toBe(bytes);
});
