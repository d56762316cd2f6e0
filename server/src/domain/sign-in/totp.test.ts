import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { deterministicRandom } from '../../../test/random.ts';
import { computeTotp, deriveTotpSecret, encodeBase32, findTotpStep, makeTotpUri, newTotpSalt, toStep } from './totp.ts';

/** The secret of the examples in RFC 4226 and RFC 6238. */
const rfcSecret = Buffer.from('12345678901234567890');
const now = new Date('2026-11-17T12:00:10Z');
const step = toStep(now);
const none = { now, lastStep: 0 };

describe('a code', () => {
  // RFC 6238, appendix B, gives eight digits; six are the end of them.
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at second %i is the one of RFC 6238', (second, code) => {
    expect(computeTotp(rfcSecret, toStep(new Date(second * 1000)))).toBe(code.slice(2));
  });

  // RFC 4226, appendix D.
  test('of a counter is the one of RFC 4226', () => {
    const codes = Array.from({ length: 10 }, (_, counter) => computeTotp(rfcSecret, counter));
    const expected = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489';
    expect(codes).toEqual(expected.split(' '));
  });

  test('is accepted one step before and after its time, and no further', () => {
    const accepted = [-2, -1, 0, 1, 2].map((offset) =>
      findTotpStep(rfcSecret, computeTotp(rfcSecret, step + offset), none),
    );
    expect(accepted).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  test('is accepted once, and none before it afterwards', () => {
    const accept = (offset: number, lastStep: number) =>
      findTotpStep(rfcSecret, computeTotp(rfcSecret, step + offset), { now, lastStep });
    expect(accept(0, step)).toBeUndefined();
    expect(accept(-1, step)).toBeUndefined();
    expect(accept(1, step)).toBe(step + 1);
    expect(accept(0, step - 1)).toBe(step);
    expect(accept(1, step + 1)).toBeUndefined();
  });

  test('may be typed with spaces', () => {
    const code = computeTotp(rfcSecret, step);
    expect(findTotpStep(rfcSecret, ` ${code.slice(0, 3)} ${code.slice(3)}\n`, none)).toBe(step);
  });

  test.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '-12345', '1e5000', '123456\0', '0x1234'])(
    'is never %j',
    (typed) => {
      expect(findTotpStep(rfcSecret, typed, none)).toBeUndefined();
    },
  );

  test('of another secret is refused', () => {
    expect(findTotpStep(Buffer.alloc(20, 1), computeTotp(rfcSecret, step), none)).toBeUndefined();
  });

  test('has its leading zeros', () => {
    const withZero = Array.from({ length: 100 }, (_, counter) => computeTotp(rfcSecret, counter));
    expect(withZero.every((code) => /^\d{6}$/.test(code))).toBe(true);
    expect(withZero.some((code) => code.startsWith('0'))).toBe(true);
  });

  test('is found at the beginning of time', () => {
    expect(findTotpStep(rfcSecret, computeTotp(rfcSecret, 1), { now: new Date(0), lastStep: 0 })).toBe(1);
  });

  propertyTest.prop([fc.string({ unit: 'binary' })])('is never accepted by chance of its form', (typed) => {
    if (!/^\s*(?:\d\s*){6}$/.test(typed)) expect(findTotpStep(rfcSecret, typed, none)).toBeUndefined();
  });
});

describe('a secret', () => {
  const pepper = Buffer.alloc(32, 7);
  const random = deterministicRandom('totp');
  const salt = newTotpSalt(random);

  test('has 160 bits, and is the same each time it is derived', () => {
    expect(salt).toHaveLength(32);
    expect(deriveTotpSecret(salt, 'anna', pepper)).toHaveLength(20);
    expect(deriveTotpSecret(salt, 'anna', pepper)).toEqual(deriveTotpSecret(salt, 'anna', pepper));
  });

  test('is another one for each app, person and pepper', () => {
    const secrets = [
      deriveTotpSecret(salt, 'anna', pepper),
      deriveTotpSecret(newTotpSalt(random), 'anna', pepper),
      deriveTotpSecret(salt, 'bo', pepper),
      deriveTotpSecret(salt, 'anna', Buffer.alloc(32, 8)),
    ];
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(4);
  });

  // RFC 4648, section 10, without padding.
  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('%j is written as %j', (text, encoded) => {
    expect(encodeBase32(Buffer.from(text))).toBe(encoded);
  });

  test('is in the address that an app reads, with the names of the person and the operator', () => {
    const uri = makeTotpUri(rfcSecret, { email: 'anna+x@example.org', operatorName: 'Åse & Co: Files?' });
    const { protocol, host, pathname, searchParams } = new URL(uri);
    expect([protocol, host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(pathname)).toBe('/Åse & Co  Files?:anna+x@example.org');
    expect(Object.fromEntries(searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Åse & Co  Files?',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(uri).not.toContain('+');
  });
});
