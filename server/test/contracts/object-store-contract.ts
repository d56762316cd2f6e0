import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { MissingObject } from '../../src/domain/exchange-error.ts';
import type { ObjectStore } from '../../src/domain/ports/object-store.ts';

/** The contract of every object store, both the real one and the one in memory. */
export function objectStoreContract(name: string, open: () => Promise<ObjectStore> | ObjectStore): void {
  describe(`${name} as an object store`, () => {
    let store: ObjectStore;
    const live = new AbortController().signal;
    const newKey = () => `${randomUUID()}/00000000`;
    beforeAll(async () => {
      store = await open();
    });

    test.each([1, 65_552, 3_000_000])('reads back the %i bytes it was given', async (length) => {
      const key = newKey();
      const body = randomBytes(length);
      await store.put(key, [body], live);
      expect((await store.read(key, { offset: 0, length }, live)).equals(body)).toBe(true);
    });

    test('stores pieces one after the other', async () => {
      const key = newKey();
      const pieces = [70_000, 1, 65_552, 0, 3].map((length) => randomBytes(length));
      const whole = Buffer.concat(pieces);
      await store.put(key, pieces, live);
      expect((await store.read(key, { offset: 0, length: whole.length }, live)).equals(whole)).toBe(true);
    });

    test('reads no more than it was asked for', async () => {
      const key = newKey();
      const body = randomBytes(200_000);
      await store.put(key, [body], live);
      const part = await store.read(key, { offset: 70_000, length: 1_234 }, live);
      expect(part.equals(body.subarray(70_000, 71_234))).toBe(true);
    });

    test('does not keep the buffer it was given', async () => {
      const key = newKey();
      const body = Buffer.from('before');
      await store.put(key, [body], live);
      body.fill(0);
      expect((await store.read(key, { offset: 0, length: 6 }, live)).toString()).toBe('before');
    });

    test('says of an object that is not there that it is missing, which readers call damaged', async () => {
      const missing = store.read(newKey(), { offset: 0, length: 1 }, live);
      await expect(missing).rejects.toBeInstanceOf(MissingObject);
      await expect(missing).rejects.toMatchObject({ code: 'damaged' });
    });

    test.each([
      [0, 11],
      [9, 2],
      [10, 1],
      [11, 1],
    ])('calls an object damaged that has less than what is asked for (from %i, %i bytes)', async (offset, length) => {
      const key = newKey();
      await store.put(key, [randomBytes(10)], live);
      const tooShort = store.read(key, { offset, length }, live);
      await expect(tooShort).rejects.toMatchObject({ code: 'damaged' });
      await expect(tooShort).rejects.not.toBeInstanceOf(MissingObject);
    });

    test('deletes what is named, and counts what was never there as deleted', async () => {
      const [kept, deleted, missing] = [newKey(), newKey(), newKey()];
      await store.put(kept, [Buffer.from('kept')], live);
      await store.put(deleted, [Buffer.from('deleted')], live);
      await store.delete([deleted, missing]);
      await store.delete([deleted]);
      await expect(store.read(deleted, { offset: 0, length: 7 }, live)).rejects.toMatchObject({ code: 'damaged' });
      expect((await store.read(kept, { offset: 0, length: 4 }, live)).toString()).toBe('kept');
    });

    test('does nothing once the signal has been aborted, and says why', async () => {
      const key = newKey();
      const gone = new Error('gone');
      await expect(store.put(key, [Buffer.from('late')], AbortSignal.abort(gone))).rejects.toBe(gone);
      await expect(store.read(key, { offset: 0, length: 4 }, live)).rejects.toMatchObject({ code: 'damaged' });
      await expect(store.read(key, { offset: 0, length: 4 }, AbortSignal.abort(gone))).rejects.toBe(gone);
    });
  });
}
