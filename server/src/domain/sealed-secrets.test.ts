import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { deterministicRandom } from '../testing/random.ts';
import { LostKey } from './keys/lost-key.ts';
import { SealedSecrets } from './sealed-secrets.ts';

const pepper = Buffer.alloc(32, 7);
const random = deterministicRandom('secrets');
const secrets = new SealedSecrets(pepper, 'waybill totp', random);
const secret = Buffer.from('12345678901234567890');

describe('a sealed secret', () => {
  test('opens for its owner, and is different each time', () => {
    const [one, other] = [secrets.seal('anna', secret), secrets.seal('anna', secret)];
    expect(secrets.open('anna', one)).toEqual(secret);
    expect(secrets.open('anna', other)).toEqual(secret);
    expect(one.equals(other)).toBe(false);
    expect(one.includes(secret)).toBe(false);
  });

  test('does not open for another owner, another purpose or under another pepper', () => {
    const sealed = secrets.seal('anna', secret);
    expect(() => secrets.open('bo', sealed)).toThrow(LostKey);
    expect(() => new SealedSecrets(pepper, 'waybill other', random).open('anna', sealed)).toThrow(LostKey);
    expect(() => new SealedSecrets(Buffer.alloc(32, 8), 'waybill totp', random).open('anna', sealed)).toThrow(LostKey);
  });

  propertyTest.prop([fc.nat(), fc.integer({ min: 1, max: 255 })])('does not open if a byte is changed', (at, by) => {
    const sealed = secrets.seal('anna', secret);
    const index = at % sealed.length;
    sealed.writeUInt8(sealed.readUInt8(index) ^ by, index);
    expect(() => secrets.open('anna', sealed)).toThrow(LostKey);
  });

  propertyTest.prop([fc.nat(47)])('does not open if it is cut', (length) => {
    expect(() => secrets.open('anna', secrets.seal('anna', secret).subarray(0, length))).toThrow(LostKey);
  });
});
