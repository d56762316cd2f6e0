import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LogObjects } from '../../src/domain/ports/log-objects.ts';

/** The contract of every store of the log's objects, both the real one and the one in memory. */
export function logObjectsContract(name: string, open: () => Promise<LogObjects> | LogObjects): void {
  describe(`${name} as a store of the log’s objects`, () => {
    let store: LogObjects;
    const live = new AbortController().signal;
    const newName = () => `test-${randomUUID()}/tile/0/x001/234.p/17`;
    beforeAll(async () => {
      store = await open();
    });

    test.each([0, 1, 8_192, 70_000])('reads back the %i bytes it was given', async (length) => {
      const path = newName();
      const bytes = randomBytes(length);
      await store.put(path, bytes, live);
      expect((await store.read(path, 100_000, live))?.equals(bytes)).toBe(true);
    });

    test('replaces an object, by a shorter or longer one', async () => {
      const path = newName();
      for (const text of ['first', 'second one', '3rd']) {
        await store.put(path, Buffer.from(text), live);
        expect((await store.read(path, 100, live))?.toString()).toBe(text);
      }
    });

    test('has nothing where nothing was stored', async () => {
      expect(await store.read(newName(), 100, live)).toBeUndefined();
    });

    test('reads an object of exactly the allowed length, and calls a longer one damaged', async () => {
      const path = newName();
      await store.put(path, randomBytes(100), live);
      expect(await store.read(path, 100, live)).toHaveLength(100);
      await expect(store.read(path, 99, live)).rejects.toMatchObject({ code: 'damaged' });
    });

    test('deletes what is named, and counts what was never there as deleted', async () => {
      const [kept, deleted] = [newName(), newName()];
      for (const path of [kept, deleted]) await store.put(path, Buffer.from('x'), live);
      await store.delete([deleted, ...Array.from({ length: 60 }, newName)], live);
      await store.delete([deleted], live);
      expect(await store.read(deleted, 1, live)).toBeUndefined();
      expect((await store.read(kept, 1, live))?.toString()).toBe('x');
    });

    test('does nothing once the signal has been aborted, and says why', async () => {
      const path = newName();
      const gone = new Error('gone');
      await expect(store.put(path, Buffer.from('late'), AbortSignal.abort(gone))).rejects.toBe(gone);
      expect(await store.read(path, 4, live)).toBeUndefined();
      await expect(store.read(path, 4, AbortSignal.abort(gone))).rejects.toBe(gone);
      await expect(store.delete([path], AbortSignal.abort(gone))).rejects.toBe(gone);
    });
  });
}
