import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { linkToken, tokenDigest } from './link-token.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

test.prop([key, fc.nat(1000)])('a token is 256 bits that fit into a URL', (linkKey, position) => {
  const token = linkToken(linkKey, position);
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(linkToken(linkKey, position)).toBe(token);
  expect(tokenDigest(token)).toHaveLength(32);
});

test.prop([key, key])('no two receivers and no two drops share one', (one, other) => {
  fc.pre(!one.equals(other));
  const tokens = [one, other].flatMap((linkKey) => [0, 1, 2, 11, 12].map((position) => linkToken(linkKey, position)));
  expect(new Set(tokens).size).toBe(tokens.length);
});

test('a mail written again after an upgrade carries the same link', () => {
  const token = linkToken(Buffer.alloc(32, 1), 2);
  expect(token).toBe('y8DcdQWvLjM0fjz-u9d2GuIW_MT5UFdT8huOzvQG4xo');
  expect(tokenDigest(token).toString('base64url')).toBe('KEYqX-No7H9A7D34ArqC0mBKHbrvLE3dHifP_rgQLtI');
});
