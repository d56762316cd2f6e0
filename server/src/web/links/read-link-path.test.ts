import { expect, test } from 'vitest';
import { readLinkPath } from './read-link-path.ts';

const token = 'k7Yt3mQ9xKx3vQm8TzR1nYc5WbL7pHs2JdF9gAe4Uo-';
const hosts = ['files.example.org', 'localhost:8080'];

test.each([
  ['as it is', `https://files.example.org/d/${token}`],
  ['in two lines', `https://files.example.org/d/${token.slice(0, 20)}\r\n  ${token.slice(20)}`],
  ['in brackets, with words around it', `Open it here:\n<https://files.example.org/d/${token}> before Friday`],
  ['with words after it', `https://files.example.org/d/${token}\nSee you`],
  ['without the scheme', `FILES.example.org/d/${token}`],
  ['with a port', `http://localhost:8080/d/${token}`],
  ['without the host', `/d/${token}`],
  [
    'of a mail filter',
    `https://filter.example/?url=${encodeURIComponent(`https://files.example.org/d/${token}`)}&data=1`,
  ],
])('reads a link %s', (_name, text) => {
  expect(readLinkPath(text, hosts)).toBe(`/d/${token}`);
});

test.each([
  ['/u/', `https://files.example.org/u/${token}`, `/u/${token}`],
  ['/m/', `https://files.example.org/m/${token}?lang=sv`, `/m/${token}`],
  ['an invitation', `https://files.example.org/sign-in/link/${token}`, `/sign-in/link/${token}`],
  ['a part of one', 'https://files.example.org/d/k7Yt3', '/d/k7Yt3'],
])('reads %s', (_name, text, path) => {
  expect(readLinkPath(text, hosts)).toBe(path);
});

test.each([
  '',
  'hello',
  `https://files.example.org.login.example/d/${token}`,
  `https://login.example/d/${token}`,
  `//login.example/d/${token}`,
  `https://login.example\\@files.example.net/d/${token}`,
  'https://files.example.org/settings',
  'https://files.example.org/d/',
  '%',
])('reads nothing else: %s', (text) => {
  expect(readLinkPath(text, hosts)).toBeUndefined();
});
