import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { readReprDigest } from './repr-digest.ts';

const digest = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(Buffer.from);
const malformed = expect.objectContaining({ code: 'malformed_request' });

describe('Repr-Digest', () => {
  propertyTest.prop([fc.option(digest(32)), fc.option(digest(64)), fc.constantFrom(',', ', ', ' ,\t'), fc.boolean()])(
    'is read in any order, with what else it says',
    (sha256, sha512, separator, isReversed) => {
      const members = [
        ...(sha256 ? [`sha-256=:${sha256.toString('base64')}:`] : []),
        ...(sha512 ? [`sha-512=:${sha512.toString('base64')}:;a=1`] : []),
        'md5=:AAAA:',
      ];
      const header = (isReversed ? members.toReversed() : members).join(separator);
      if (sha256 || sha512) expect(readReprDigest(header)).toEqual({ sha256, sha512 });
      else expect(() => readReprDigest(header)).toThrow(malformed);
    },
  );

  test.each([
    ['nothing', ''],
    ['no byte sequence', 'sha-256=abc'],
    ['a digest of another length', 'sha-256=:AAAA:'],
    ['hexadecimal', `sha-256=${'0'.repeat(64)}`],
    ['only what is not supported', 'unixsum=:AAAA:'],
  ])('is refused with %s', (_what, header) => {
    expect(() => readReprDigest(header)).toThrow(malformed);
  });

  test('may be missing', () => {
    expect(readReprDigest(undefined)).toBeUndefined();
  });
});
