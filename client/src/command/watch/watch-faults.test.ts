import { expect, test } from 'vitest';
import { WaybillError } from '../../errors.ts';
import { judgeFault } from './watch-faults.ts';

const ofDisk = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' });

test.each(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'])('%s, which every other file would meet, pauses the watch', (code) => {
  expect(judgeFault(ofDisk(code))).toBe('pause');
});

test.each(['EACCES', 'EXDEV'])('%s is of one file', (code) => {
  expect(judgeFault(ofDisk(code))).toBe('later');
});

test.each([
  [413, 'later'],
  [403, 'later'],
  [429, 'pause'],
  [502, 'pause'],
  [200, 'pause'],
  [undefined, 'pause'],
])('a response with status %s that is not of Waybill: %s', (status, consequence) => {
  const error = new WaybillError('unexpected_response', 'The response is not of Waybill.', { status });
  expect(judgeFault(error)).toBe(consequence);
});
