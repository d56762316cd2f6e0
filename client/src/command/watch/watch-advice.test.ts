import { expect, test } from 'vitest';
import { WaybillError, type WaybillErrorCode } from '../../errors.ts';
import { retryableErrors } from '../../generated/errors.ts';
import { adviseOnFailed, adviseOnWaiting } from './watch-advice.ts';

/** Advice of a single command that nobody has run. */
const ofCommand = /run (?:the|this|it|the same)? ?command|--\w|waybill send/i;

test.each(Object.keys(retryableErrors) as WaybillErrorCode[])('%s has advice that fits a watch', (code) => {
  const error = new WaybillError(code, 'A message.');
  expect(adviseOnFailed(error)).not.toMatch(ofCommand);
  expect(adviseOnWaiting(error)).not.toMatch(ofCommand);
  expect(adviseOnWaiting(error)).toMatch(/tried again by itself\.$/);
});

test('an infected file is not to be moved back', () => {
  expect(adviseOnFailed(new WaybillError('infected', 'A message.'))).not.toContain('move');
});

test('a file that cannot be read is tried again once its permissions are right', () => {
  const error = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'open', path: '/srv/a' });
  expect(adviseOnWaiting(error)).toBe('Check its permissions. It is tried again by itself.');
});
