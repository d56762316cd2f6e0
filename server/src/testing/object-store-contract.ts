import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../domain/ports.ts';

/** What every object store must do, the real one and the one in memory alike. */
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
      await store.put(key, body, live);
      expect((await buffer(await store.read(key, { offset: 0, length }, live))).equals(body)).toBe(true);
    });

    test.each([1, 65_552, 199_999])('reads from offset %i to the end', async (offset) => {
      const key = newKey();
      const body = randomBytes(200_000);
      await store.put(key, body, live);
      expect(
        (await buffer(await store.read(key, { offset, length: 200_000 }, live))).equals(body.subarray(offset)),
      ).toBe(true);
    });

    test('reads no more than it was asked for', async () => {
      const key = newKey();
      const body = randomBytes(200_000);
      await store.put(key, body, live);
      const part = await buffer(await store.read(key, { offset: 70_000, length: 1_234 }, live));
      expect(part.equals(body.subarray(70_000, 71_234))).toBe(true);
    });

    test('does not keep the buffer it was given', async () => {
      const key = newKey();
      const body = Buffer.from('before');
      await store.put(key, body, live);
      body.fill(0);
      expect((await buffer(await store.read(key, { offset: 0, length: 8_000_000 }, live))).toString()).toBe('before');
    });

    test('calls an object that is not there damaged', async () => {
      await expect(store.read(newKey(), { offset: 0, length: 8_000_000 }, live)).rejects.toMatchObject({
        code: 'damaged',
      });
    });

    test('calls an object that ends before the offset damaged', async () => {
      const key = newKey();
      await store.put(key, randomBytes(10), live);
      await expect(store.read(key, { offset: 10, length: 8_000_000 }, live)).rejects.toMatchObject({ code: 'damaged' });
      await expect(store.read(key, { offset: 11, length: 8_000_000 }, live)).rejects.toMatchObject({ code: 'damaged' });
    });

    test('deletes what is named, and counts what was never there as deleted', async () => {
      const [kept, deleted, missing] = [newKey(), newKey(), newKey()];
      await store.put(kept, Buffer.from('kept'), live);
      await store.put(deleted, Buffer.from('deleted'), live);
      await store.delete([deleted, missing]);
      await store.delete([deleted]);
      await expect(store.read(deleted, { offset: 0, length: 8_000_000 }, live)).rejects.toMatchObject({
        code: 'damaged',
      });
      expect((await buffer(await store.read(kept, { offset: 0, length: 8_000_000 }, live))).toString()).toBe('kept');
    });

    test('stores nothing once the signal has been aborted', async () => {
      const key = newKey();
      await expect(store.put(key, Buffer.from('late'), AbortSignal.abort())).rejects.toMatchObject({
        code: 'unavailable',
      });
      await expect(store.read(key, { offset: 0, length: 8_000_000 }, live)).rejects.toMatchObject({ code: 'damaged' });
    });

    test('breaks off a stream when the signal is aborted', async () => {
      const key = newKey();
      const reader = new AbortController();
      await store.put(key, randomBytes(8_000_000), live);
      const stream = await store.read(key, { offset: 0, length: 8_000_000 }, reader.signal);
      const reading = buffer(stream);
      reader.abort();
      await expect(reading).rejects.toThrow();
    });
  });
}
