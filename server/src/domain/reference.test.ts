import { randomUUIDv7 } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { readIdEnd, toReference } from './reference.ts';

describe('a reference', () => {
  test('is short and the same for the same drop', () => {
    expect(toReference('0190a1b2-c3d4-7e5f-8a9b-00ffffffffff')).toBe('WB-ZZZZ-ZZZZ');
    expect(toReference('0190a1b2-c3d4-7e5f-8a9b-ff0000000021')).toBe('WB-0000-0011');
  });

  test.prop([fc.uuid()])('leads back to the end of the id', (id) => {
    expect(readIdEnd(toReference(id))).toBe(id.replaceAll('-', '').slice(-10));
  });

  test('of drops made one after the other differ', () => {
    const references = Array.from({ length: 1000 }, () => toReference(randomUUIDv7()));
    expect(new Set(references).size).toBe(1000);
  });

  test('is understood as people type it', () => {
    const end = readIdEnd('WB-7F3K-21QD');
    for (const typed of ['wb-7f3k-21qd', ' WB7F3K21QD', 'WB-7F3K-2lQD', 'wb-7f3k-2iqd', 'wb7f3k2lqd'])
      expect(readIdEnd(typed)).toBe(end);
  });

  test.each(['', 'WB-', 'WB-7F3K-29Q', 'WB-7F3K-29QDD', 'WB-7F3U-29QD', '0190a1b2', 'WB-7F3K-29Q%'])(
    'is not %j',
    (text) => {
      expect(readIdEnd(text)).toBeUndefined();
    },
  );
});
