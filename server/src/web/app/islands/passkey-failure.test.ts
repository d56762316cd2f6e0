import { expect, test } from 'vitest';
import { explainFailure, RefusedError } from './passkey-failure.ts';

test.each([
  ['a closed dialog', new DOMException('', 'NotAllowedError'), 'cancelled'],
  ['a passkey that this device has already', new DOMException('', 'InvalidStateError'), 'none'],
  ['a browser without passkeys', new DOMException('', 'NotSupportedError'), 'unsupported'],
  ['a page that is not at its own address', new DOMException('', 'SecurityError'), 'unsupported'],
  ['a lost network', new TypeError('Failed to fetch'), 'offline'],
  ['a refusal', new RefusedError('Too many attempts.'), 'failed'],
  ['anything else', 'a string', 'failed'],
])('names %s', (_, error, failure) => {
  expect(explainFailure(error, true)).toBe(failure);
});

test('an attempt that another one replaced is no failure', () => {
  expect(explainFailure(new DOMException('', 'AbortError'), true)).toBeUndefined();
});

test('a browser that knows it is offline says so, whatever failed', () => {
  expect(explainFailure(new RefusedError(), false)).toBe('offline');
});
