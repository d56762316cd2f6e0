import { randomBytes } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { Cursors } from '../../http/shared/cursors.ts';
import { parsePageQuery } from './cursor.ts';

const pepper = randomBytes(32);
const caller = { accountId: '0190aaaa-0000-7000-8000-000000000001' };
const position = { createdAt: '2030-01-31 12:00:00.123456+00', id: '0190aaaa-0000-7000-8000-00000000000a' };

describe('a cursor', () => {
  const cursors = new Cursors(pepper, caller, 'drops', { state: 'live', receiver: 'a@example.org' });
  const cursor = cursors.seal(position);

  test('returns to its position, whatever the order of the filter', () => {
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(cursors.open(cursor)).toEqual(position);
    const reordered = { receiver: 'a@example.org', state: 'live', external_id: undefined };
    expect(new Cursors(pepper, caller, 'drops', reordered).open(cursor)).toEqual(position);
  });

  test('does not reveal its position', () => {
    const bytes = Buffer.from(cursor, 'base64url').toString('latin1');
    for (const text of ['createdAt', '2030', position.id.slice(0, 8)]) expect(bytes).not.toContain(text);
    expect(cursors.seal(position)).toBe(cursor);
    expect(cursors.seal({ ...position, id: '0190aaaa-0000-7000-8000-00000000000b' }).slice(0, 20)).not.toBe(
      cursor.slice(0, 20),
    );
  });

  test.each([
    ['filter', new Cursors(pepper, caller, 'drops', { state: 'expired', receiver: 'a@example.org' })],
    ['shorter filter', new Cursors(pepper, caller, 'drops', { state: 'live' })],
    ['list', new Cursors(pepper, caller, 'inbox', { state: 'live', receiver: 'a@example.org' })],
    ['account', new Cursors(pepper, { accountId: 'other' }, 'drops', { state: 'live', receiver: 'a@example.org' })],
    ['server', new Cursors(randomBytes(32), caller, 'drops', { state: 'live', receiver: 'a@example.org' })],
  ])('is refused with another %s', (_what, other) => {
    expect(() => other.open(cursor)).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        pointers: ['/cursor'],
      }),
    );
  });

  test.prop([fc.nat(cursor.length - 1), fc.constantFrom('A', 'B', 'x', 'y', '0', '9', '-', '_')])(
    'cannot be changed',
    (place, character) => {
      const changed = cursor.slice(0, place) + character + cursor.slice(place + 1);
      const isSame = Buffer.from(changed, 'base64url').equals(Buffer.from(cursor, 'base64url'));
      if (!isSame) expect(() => cursors.open(changed)).toThrow('Start again without a cursor');
    },
  );

  test.prop([fc.base64String({ maxLength: 60 })])('cannot be made up', (text) => {
    expect(() => cursors.open(text)).toThrow('Start again without a cursor');
  });
});

describe('a page', () => {
  /** Reads a list as a store does: ordered, after a position, up to a count. */
  const read = (ids: readonly number[], after: { id: number } | undefined, count: number) =>
    ids
      .filter((id) => id > (after?.id ?? -1))
      .slice(0, count)
      .map((id) => ({ id, name: `number ${id}` }));

  test.prop([fc.uniqueArray(fc.nat(500), { maxLength: 60 }), fc.integer({ min: 1, max: 7 })])(
    'is followed by the rest of the list, each entry once',
    (numbers, limit) => {
      const ids = numbers.toSorted((one, other) => one - other);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
        const page = parsePageQuery<{ id: number }>({ pepper }, caller, 'numbers', query, ({ id }) => ({ id }));
        const { data, next_cursor: next } = page.response(read(ids, page.after, page.count), ({ id }) => String(id));
        expect(data.length).toBeLessThanOrEqual(limit);
        seen.push(...data);
        cursor = next ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(ids.map(String));
    },
  );

  test('has 100 entries by default', () => {
    const page = parsePageQuery<{ id: number }>({ pepper }, caller, 'numbers', {}, ({ id }) => ({ id }));
    const rows = read(
      Array.from({ length: 101 }, (_, id) => id),
      page.after,
      page.count,
    );
    expect(page.response(rows, ({ id }) => id).data).toHaveLength(100);
  });
});
