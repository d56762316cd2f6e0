import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { deterministicRandom } from '../../../test/random.ts';
import { digestRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';

const pepper = Buffer.alloc(32, 7);
const [anna, bo] = ['0192f0c1-0000-7000-8000-000000000001', '0192f0c1-0000-7000-8000-000000000002'];
const codes = newRecoveryCodes(deterministicRandom('codes'));
const code = codes[0] as string;
const digest = (typed: string, person = anna) => digestRecoveryCode(typed, person, pepper)?.toString('hex');

describe('recovery codes', () => {
  test('are ten different ones, in two groups that can be read out', () => {
    expect(new Set(codes).size).toBe(10);
    for (const each of codes) expect(each).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
  });

  test('are different even if the random numbers repeat', () => {
    let calls = 0;
    const random = { uuid: () => '', bytes: (length: number) => Buffer.alloc(length, Math.floor((calls += 1) / 3)) };
    expect(new Set(newRecoveryCodes(random)).size).toBe(10);
  });

  test('use each of the 32 characters equally often', () => {
    const random = deterministicRandom('many codes');
    const characters = Array.from({ length: 320 }, () => newRecoveryCodes(random).join('').replaceAll('-', '')).join(
      '',
    );
    const counts = new Map<string, number>();
    for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(32);
    // 1000 are expected of each, with a deviation of 31.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(160);
  });

  test('are found however they are typed', () => {
    const plain = code.replace('-', '');
    const spellings = [plain, code.toLowerCase(), ` ${code} `, Array.from(plain).join(' '), code.replace('-', ' - ')];
    expect(new Set([code, ...spellings].map((typed) => digest(typed)))).toEqual(new Set([digest(code)]));
    expect(digest('OIL01-OIL01')).toBe(digest('01101-01101'));
  });

  test('are stored differently for each person and pepper', () => {
    const elsewhere = digestRecoveryCode(code, anna, Buffer.alloc(32, 8))?.toString('hex');
    expect(new Set([digest(code), digest(code, bo), elsewhere, digest(codes[1] as string)]).size).toBe(4);
    expect(digest(code)).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    '',
    '-',
    'ABCDE',
    'ABCDE-ABCD',
    'ABCDE-ABCDEF',
    'ABCDE-ABCDU',
    'ABCDE-ABCD!',
    'ÅBCDE-ABCDE',
    '١٢٣٤٥-١٢٣٤٥',
  ])('are never %j', (typed) => {
    expect(digest(typed)).toBeUndefined();
  });

  propertyTest.prop([fc.string({ unit: 'binary', maxLength: 40 })])('are never found by another text', (typed) => {
    expect(digest(typed)).not.toBe(digest(code));
  });
});
