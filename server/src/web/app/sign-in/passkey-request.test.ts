import { expect, test } from 'vitest';
import { offerPasskeys } from './passkey-request.ts';

test.each([
  ['https://files.example.org', true],
  ['http://localhost:8080', true],
  ['http://127.0.0.1:8080', false],
  ['http://[::1]:8080', false],
])('at %s, passkeys are offered: %s', (origin, isOffered) => {
  expect(offerPasskeys({ origin }, 'routes')).toBe(isOffered ? 'routes' : undefined);
});
