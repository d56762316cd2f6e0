import { expect, test } from 'vitest';
import { isProtectedUrl } from './protected-url.ts';

test.each([
  ['https://login.example.org/', true],
  ['http://127.0.0.1:8080/', true],
  ['http://127.1/', true],
  ['http://[::1]:8080/', true],
  ['http://localhost/', true],
  ['http://login.example.org/', false],
  ['http://127.0.0.1.example.org/', false],
  ['http://localhost.example.org/', false],
  ['http://10.0.0.1/', false],
  ['ftp://127.0.0.1/', false],
  ['file:///etc/passwd', false],
])('%s: %s', (url, expected) => {
  expect(isProtectedUrl(new URL(url))).toBe(expected);
});
