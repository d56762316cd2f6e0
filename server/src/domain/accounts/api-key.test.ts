import { randomBytes } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { deterministicRandom } from '../../../test/random.ts';
import { digestApiKey, isApiKey, makeHint, newApiKey } from './api-key.ts';

const seeds = fc.string();

test.prop([seeds])('a key is recognised by its prefix and its checksum', (seed) => {
  const key = newApiKey(deterministicRandom(seed));
  expect(key).toMatch(/^wb_[A-Za-z0-9_-]{49}$/);
  expect(isApiKey(key)).toBe(true);
});

test('a key holds 256 random bits', () => {
  const asked: number[] = [];
  newApiKey({ bytes: (length) => (asked.push(length), randomBytes(length)), uuid: () => '' });
  expect(asked).toEqual([32]);
});

test.prop([seeds, fc.nat(51), fc.constantFrom('A', 'z', '0', '_', '.', 'ä', ' ')])(
  'a mistyped key is turned away',
  (seed, at, character) => {
    const key = newApiKey(deterministicRandom(seed));
    fc.pre(key[at] !== character);
    expect(isApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
  },
);

test.prop([seeds, fc.integer({ min: 0, max: 51 })])('a truncated or extended key is turned away', (seed, length) => {
  const key = newApiKey(deterministicRandom(seed));
  expect(isApiKey(key.slice(0, length))).toBe(false);
  expect(isApiKey(key + key.slice(0, 1))).toBe(false);
  expect(isApiKey(`${key}\n`)).toBe(false);
});

test('what is shown of a key afterwards tells little of it', () => {
  const key = newApiKey(deterministicRandom('hint'));
  expect(makeHint(key)).toBe(`${key.slice(0, 7)}…`);
});

test('the digest depends on every bit of key and pepper', () => {
  const key = newApiKey(deterministicRandom('digest'));
  const digests = [
    digestApiKey(key, Buffer.alloc(32, 1)),
    digestApiKey(key, Buffer.alloc(32, 2)),
    digestApiKey(newApiKey(deterministicRandom('another')), Buffer.alloc(32, 1)),
  ].map((digest) => digest.toString('hex'));
  expect(new Set(digests).size).toBe(3);
  // Pinned, because keys issued today must still be recognised tomorrow.
  expect(digestApiKey('wb_key', Buffer.alloc(32, 1)).toString('base64url')).toBe(
    'sHgLoz5CHPvFX73VrvFALyidf-4cn_FRVGtiIvBUNMs',
  );
});
