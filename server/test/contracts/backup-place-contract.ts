import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BackupPlace } from '../../src/domain/backup/backup-place.ts';
import { MissingObject } from '../../src/domain/exchange-error.ts';
import type { ObjectStore } from '../../src/domain/ports/object-store.ts';

/** The contract of every place for backups, with the bucket that it copies from and to. */
export function backupPlaceContract(
  name: string,
  open: () => Promise<{ place: BackupPlace; bucket: ObjectStore }>,
): void {
  describe(`${name} as a place for backups`, () => {
    let place: BackupPlace;
    let bucket: ObjectStore;
    const live = new AbortController().signal;
    const newObject = () => ({ key: `${randomUUID()}/00000000`, bytes: 70_000 });
    beforeAll(async () => {
      ({ place, bucket } = await open());
    });

    test.each([0, 1, 40 * 1024 ** 2])('reads back a file of %i bytes', async (bytes) => {
      const content = randomBytes(bytes);
      const file = `backups/${randomUUID()}/file`;
      await place.write(file, inPieces(content, 1024 ** 2));
      expect((await gather(place.read(file))).equals(content)).toBe(true);
    });

    test('lists the folders in a folder', async () => {
      const [folder, first, second] = [randomUUID(), randomUUID(), randomUUID()];
      for (const path of [`${first}/a`, `${second}/a`, `${second}/b`]) {
        await place.write(`${folder}/${path}`, inPieces(Buffer.from('x'), 1));
      }
      expect((await place.folders(folder)).toSorted()).toEqual([first, second].toSorted());
      expect(await place.folders(randomUUID())).toEqual([]);
    });

    test('removes a file of any size, and objects, and nothing else', async () => {
      const folder = `backups/${randomUUID()}`;
      for (const [file, bytes] of [
        ['large', 40 * 1024 ** 2],
        ['large.txt', 1],
      ] as const) {
        await place.write(`${folder}/${file}`, inPieces(randomBytes(bytes), 1024 ** 2));
      }
      await place.remove(`${folder}/large`);
      await expect(gather(place.read(`${folder}/large`))).rejects.toBeInstanceOf(MissingObject);
      await expect(gather(place.read(`${folder}/large.00000001`))).rejects.toBeInstanceOf(MissingObject);
      expect(await gather(place.read(`${folder}/large.txt`))).toHaveLength(1);
      await place.remove(`${folder}/large.txt`);
      await place.remove(`${folder}/large.txt`);
      expect(await place.folders('backups')).not.toContain(folder.slice('backups/'.length));
      const [removed, other] = [newObject(), newObject()];
      for (const object of [removed, other]) {
        await bucket.put(object.key, [randomBytes(object.bytes)], live);
        await place.take(object, live);
      }
      await place.removeObjects([removed.key, `${randomUUID()}/00000000`]);
      expect([await place.has(removed), await place.has(other)]).toEqual([false, true]);
    });

    test('says of a file or an object that is not there that it is missing', async () => {
      await expect(gather(place.read(randomUUID()))).rejects.toBeInstanceOf(MissingObject);
      const object = newObject();
      expect(await place.has(object)).toBe(false);
      await expect(place.take(object, live)).rejects.toBeInstanceOf(MissingObject);
      await expect(place.give(object, live)).rejects.toBeInstanceOf(MissingObject);
      const read = place.objects.read(object.key, { offset: 0, length: 1 }, live);
      await expect(read).rejects.toBeInstanceOf(MissingObject);
    });

    test('takes an object from the bucket, and gives it back', async () => {
      const object = newObject();
      const content = randomBytes(object.bytes);
      await bucket.put(object.key, [content], live);
      await place.take(object, live);
      await bucket.delete([object.key]);
      expect(await place.has(object)).toBe(true);
      expect(await place.has({ ...object, bytes: object.bytes + 1 })).toBe(false);
      const part = await place.objects.read(object.key, { offset: 5, length: 100 }, live);
      expect(part.equals(content.subarray(5, 105))).toBe(true);
      await expect(place.objects.read(object.key, { offset: 5, length: object.bytes }, live)).rejects.toMatchObject({
        code: 'damaged',
      });
      await place.give(object, live);
      const back = await bucket.read(object.key, { offset: 0, length: object.bytes }, live);
      expect(back.equals(content)).toBe(true);
    });
  });
}

async function* inPieces(content: Buffer, bytes: number) {
  for (let start = 0; start < content.length; start += bytes) yield content.subarray(start, start + bytes);
}

async function gather(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
