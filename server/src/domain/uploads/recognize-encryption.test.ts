import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEncrypted } from './recognize-encryption.ts';

/** As much of a file as is examined. */
const examinedBytes = 4096;

function randomBytes(seed: string, count: number): Buffer {
  return createHash('shake256', { outputLength: count }).update(seed).digest();
}

/** A packet in the format of RFC 9580, with a length of two bytes. */
function packet(tag: number, body: Buffer): Buffer {
  const length = body.length - 192;
  return Buffer.concat([Buffer.from([0xc0 | tag, 192 + (length >> 8), length & 0xff]), body]);
}

/** A session key that begins like this. */
const sessionKey = (tag: 1 | 3, begin: readonly number[], bytes: number) =>
  packet(tag, Buffer.concat([Buffer.from(begin), randomBytes('key', bytes - begin.length)]));
const fingerprint = (bytes: number) => [...randomBytes('fingerprint', bytes)];
const data = packet(18, Buffer.concat([Buffer.from([2]), randomBytes('data', 6000)]));

describe('an OpenPGP message is recognised', () => {
  test.each<[string, Buffer]>([
    ['for an RSA key of 4096 bits', sessionKey(1, [3, ...fingerprint(8), 1], 524)],
    ['for an RSA key of 16384 bits', sessionKey(1, [3, ...fingerprint(8), 1], 2060)],
    ['for a key of version 6', sessionKey(1, [6, 33, 6, ...fingerprint(32), 25], 300)],
    ['for a key of version 4, by the newer format', sessionKey(1, [6, 21, 4, ...fingerprint(20), 25], 300)],
    ['for a key that it does not name', sessionKey(1, [6, 0, 25], 300)],
    ['for ML-KEM-768 and X25519', sessionKey(1, [6, 33, 6, ...fingerprint(32), 35], 1210)],
    ['for ML-KEM-1024 and X448', sessionKey(1, [6, 33, 6, ...fingerprint(32), 36], 1740)],
    ['for a password, version 4', sessionKey(3, [4, 9, 3, 8], 200)],
    ['for a password, version 5', sessionKey(3, [5, 9, 2, 3, 8], 200)],
    ['for a password, version 6', sessionKey(3, [6, 30, 7, 1, 11, 3, 8], 200)],
    ['for a password with Argon2', sessionKey(3, [6, 38, 9, 2, 20, 4], 200)],
  ])('%s', (_for, key) => {
    expect(isEncrypted(Buffer.concat([key, data]).subarray(0, examinedBytes))).toBe(true);
    expect(isEncrypted(Buffer.concat([key, data.subarray(0, 40)]))).toBe(true);
    expect(isEncrypted(Buffer.concat([key, key, key, key, data]).subarray(0, examinedBytes)), 'four times').toBe(true);
    expect(isEncrypted(key), 'without data').toBe(false);
    expect(isEncrypted(key.subarray(0, -1)), 'cut').toBe(false);
  });

  test('wherever the examined bytes end in the key of a receiver', () => {
    const keys = Buffer.concat(Array.from({ length: 10 }, () => sessionKey(1, [3, ...fingerprint(8), 1], 524)));
    for (let bytes = 200; bytes < 200 + 527; bytes += 1) {
      const message = Buffer.concat([sessionKey(3, [4, 9, 3, 8], bytes), keys, data]);
      expect(isEncrypted(message.subarray(0, examinedBytes)), `after ${bytes} bytes`).toBe(true);
    }
  });
});

describe('other data is not called an OpenPGP message', () => {
  const bodies = fc.uint8Array({ minLength: 0, maxLength: examinedBytes, size: 'max' });

  test('if the session key would be longer than any', () => {
    const versions = fc.constantFrom(3, 4, 5, 6);
    const begins = fc.oneof(
      fc.integer({ min: 3001, max: 0xffff }).map((bytes) => [0x85, bytes >> 8, bytes & 0xff]),
      fc.integer({ min: 3001, max: 0xffff }).map((bytes) => [0x8d, bytes >> 8, bytes & 0xff]),
      fc.integer({ min: 3001, max: 0x7fffffff }).map((bytes) => [0x86, ...uint32(bytes)]),
      fc.integer({ min: 3001, max: 0x7fffffff }).map((bytes) => [0xc3, 255, ...uint32(bytes)]),
    );
    fc.assert(
      fc.property(begins, versions, bodies, (begin, version, body) => {
        expect(isEncrypted(Buffer.from([...begin, version, ...body]).subarray(0, examinedBytes))).toBe(false);
      }),
    );
  });

  test('if it ends with the session key, or before', () => {
    const begins = fc.constantFrom([3, ...fingerprint(8), 1], [6, 0, 25], [6, 33, 6, ...fingerprint(32), 25]);
    fc.assert(
      fc.property(begins, fc.integer({ min: 192, max: 3000 }), fc.nat(3000), (begin, bytes, missing) => {
        const key = sessionKey(1, begin, bytes);
        expect(isEncrypted(key.subarray(0, Math.max(1, key.length - missing)))).toBe(false);
      }),
    );
  });

  test.each([
    ['of a receiver', [0xc1, 193], 6],
    ['of a receiver, as the older format says it', [0x85, 1], 6],
    ['of a password', [0xc3, 193], 5],
    ['of a password', [0xc3, 193], 6],
  ])('if it is random after the beginning of a session key %s', (_whose, begin, version) => {
    // One byte in 37 is the tag of data, so that its fields must exclude most of the others.
    const called = Array.from({ length: 10_000 }, (_, number) => {
      const random = randomBytes(`${begin.join()} ${version} ${number}`, 1024);
      return isEncrypted(Buffer.from([...begin, random[0] as number, version, ...random.subarray(1)]));
    }).filter(Boolean).length;
    expect(called).toBeLessThan(4);
  });
});

function uint32(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return [...bytes];
}
