import { createHash } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { testUploadResources, useTestExchange } from '../../../test/exchange.ts';
import {
  announceUpload,
  listDraftFiles,
  openRequestLink,
  readContent,
  splitIntoPieces,
  takeOverUpload,
} from '../../../test/file-requests.ts';
import { deterministicRandom } from '../../../test/random.ts';
import { chunkCount } from '../../../test/sealed-file.ts';
import { locateSegment } from '../files/chunk-runs.ts';
import type { SealedFile } from '../files/file-store.ts';
import {
  chunkBytes,
  chunkKey,
  sealedSegmentBytes,
  segmentBytes,
  segmentCount,
  segmentsPerChunk,
} from '../files/sealing.ts';
import { sweepFiles } from '../files/sweep-files.ts';
import { MemoryBudget } from '../flow/memory-budget.ts';
import type { Link } from '../links/link-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { checkUpload } from './check-upload.ts';
import { contactDraftName, contactDraftOwner } from './contact-draft.ts';
import { receiveBytes } from './receive-bytes.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const live = new AbortController().signal;
const plaintext = deterministicRandom('an upload').bytes(5 * chunkBytes);

type Put = (store: () => Promise<void>) => Promise<void>;

/** The exchange's store, which records what was put where and lets a test interfere with a PUT. */
function watchedStore() {
  const digests = new Map<string, string>();
  const watched = {
    puts: 0,
    /** Objects that were put twice with different bytes, which would reuse a nonce under the same key. */
    reused: [] as string[],
    /** For the next PUT only. */
    nextPut: undefined as Put | undefined,
    keys: () => [...digests.keys()].filter((key) => engines.objects.objects.has(key)).sort(),
  };
  const objects: ObjectStore = {
    ...engines.objects,
    async put(key, pieces, signal) {
      const sealed = Buffer.concat(pieces);
      const digest = createHash('sha256').update(sealed).digest('hex');
      if ((digests.get(key) ?? digest) !== digest) watched.reused.push(key);
      digests.set(key, digest);
      watched.puts += 1;
      const put = watched.nextPut ?? ((store) => store());
      watched.nextPut = undefined;
      await put(() => engines.objects.put(key, [sealed], signal));
    },
  };
  return { watched, engines: { ...engines, objects } };
}

async function* brokenAt(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield* splitIntoPieces(bytes);
  throw new Error('ECONNRESET');
}

/** Memory that a test can declare short. */
class ShortMemory extends MemoryBudget {
  flush: () => void = () => undefined;

  constructor() {
    super({ slabBytes: sealedSegmentBytes, bytes: 100 * 1024 ** 2, waitMs: 1_000, maxWaiting: 10 });
  }

  override openShare(owner: string, part: number, upload: { flush: () => void; signal: AbortSignal }) {
    this.flush = upload.flush;
    return super.openShare(owner, part, upload);
  }
}

/** Reads an upload, or the file that it has become, from the database. */
const readRow = async (id: string) => {
  const [row] = await query<SealedFile & { state: string; chunk_count: number; received_bytes: number }>(
    `select account_id as "accountId", id, name, state::text, size_bytes as "sizeBytes", null as sha256, null as scan,
       chunk_count, received_bytes, wrapped_key as "wrappedKey", key_day as "keyDay", runs from uploads where id = $1
     union all
     select account_id, id, name, state::text, size_bytes, sha256, scan, chunk_count, size_bytes, wrapped_key, key_day,
       runs from files where id = $1`,
    [id],
  );
  return row;
};
const ownKeys = (file: SealedFile) => {
  const segments = Array.from({ length: segmentCount(file.sizeBytes) }, (_, segment) => locateSegment(file, segment));
  return [...new Set(segments.map(({ run, object }) => chunkKey(run.id, object)))].sort();
};
/** An abandoned upload is deleted when none of its objects can still be on the way to the store. */
const sweepLater = async (id: string) => {
  await query('update uploads set due_at = now() where id = $1', [id]);
  await sweepFiles(engines);
};

/** Deletes the rest of a test's files, together with every object. */
async function removeAndSweep(link: Link, id: string) {
  expect(await engines.store.uploads.remove(link.accountId, contactDraftName(link), id)).toBe(true);
  await sweepLater(id);
  expect(await readRow(id)).toBeUndefined();
}

const means = [
  'the source breaks',
  'the source ends',
  'a PUT fails before it stores',
  'a PUT fails after it stored',
  'another takes over before the PUT',
  'another takes over after the PUT',
  'another takes over, and the PUT is stored much later',
  'memory runs short, and the source breaks',
  'memory runs short, and a PUT fails',
] as const;
const cut = fc.record({ by: fc.constantFrom(...means), at: fc.double({ min: 0, max: 1, noNaN: true }) });
const size = fc.oneof(
  fc.constantFrom(0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 2 * chunkBytes + 1),
  fc.integer({ min: chunkBytes + 1, max: 4 * chunkBytes }),
);

describe('an upload that is cut off again and again', () => {
  propertyTest.prop([size, fc.array(cut, { minLength: 1, maxLength: 5 })], { numRuns: 6 })(
    'ends with exactly the bytes that counted, and leaves nothing else',
    async (sizeBytes, cuts) => {
      // Every writer has different bytes: that nothing is sealed twice must not depend on what a browser sends again.
      let attempts = 0;
      const another = () => plaintext.subarray(++attempts, attempts + sizeBytes);
      const expected = Buffer.alloc(sizeBytes);
      const { link } = await openRequestLink(exchange);
      const { watched, engines: watching } = watchedStore();
      const id = await announceUpload(engines, link, 'a.bin', sizeBytes);
      /** Writers that were replaced while in a PUT. */
      const held: { goOn: () => void; ended: Promise<string> }[] = [];
      const describeOutcome = (receiving: Promise<number>) =>
        receiving.then(
          () => 'received',
          (error: Error & { code?: string }) => error.code ?? error.message,
        );
      let before = 0;

      for (const { by, at } of cuts) {
        const { writer, upload } = await takeOverUpload(engines, link, id);
        const offset = upload.receivedBytes;
        expect(offset).toBeGreaterThanOrEqual(before);
        before = offset;
        if ((await listDraftFiles(engines, link))[0]?.state !== 'uploading') break;
        const end = offset + Math.floor((sizeBytes - offset) * at);
        const content = another();
        // Each writer has its own process, so no writer learns at once that another has taken over.
        const memory = new ShortMemory();
        const uploadResources = { ...testUploadResources(engines.store), memory };
        const receive = (bytes: AsyncIterable<Buffer>) =>
          describeOutcome(
            receiveBytes({ ...watching, uploadResources }, contactDraftOwner(link), writer, upload, bytes),
          );
        /** Memory is short all the time from `end` onwards. */
        const whileShort = async function* (last: number) {
          for (let start = offset; start < last; start += 100_000) {
            if (start >= end) memory.flush();
            yield content.subarray(start, Math.min(last, start + 100_000));
          }
        };
        const rest = () => splitIntoPieces(content.subarray(offset));
        switch (by) {
          case 'the source breaks':
            expect(await receive(brokenAt(content.subarray(offset, end)))).toBe('ECONNRESET');
            // Only the chunk in progress has to be sent again.
            expect(end - (await takeOverUpload(engines, link, id)).upload.receivedBytes).toBeLessThanOrEqual(
              chunkBytes,
            );
            break;
          case 'the source ends': {
            const outcome = await receive(splitIntoPieces(content.subarray(offset, end)));
            const counts = (await takeOverUpload(engines, link, id)).upload.receivedBytes;
            // It continues from where it was, in whole chunks.
            const chunks = Math.floor((end - offset) / chunkBytes);
            expect(counts).toBe(end === sizeBytes ? end : offset + chunks * chunkBytes);
            expect(outcome).toBe(counts > offset || end === offset ? 'received' : 'invalid_input');
            break;
          }
          case 'a PUT fails before it stores':
            watched.nextPut = () => Promise.reject(new Error('refused'));
            expect(await receive(rest())).toBe('refused');
            break;
          case 'a PUT fails after it stored':
            watched.nextPut = async (store) => {
              await store();
              throw new Error('no response');
            };
            expect(await receive(rest())).toBe('no response');
            break;
          case 'another takes over before the PUT':
            watched.nextPut = async (store) => {
              await takeOverUpload(engines, link, id);
              await store();
            };
            expect(await receive(rest())).toBe('upload_superseded');
            break;
          case 'another takes over after the PUT':
            watched.nextPut = async (store) => {
              await store();
              await takeOverUpload(engines, link, id);
            };
            expect(await receive(rest())).toBe('upload_superseded');
            break;
          case 'another takes over, and the PUT is stored much later': {
            const [inPut, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
            watched.nextPut = async (store) => {
              inPut.resolve();
              await goOn.promise;
              await store();
            };
            held.push({ goOn: goOn.resolve, ended: receive(rest()) });
            await inPut.promise;
            break;
          }
          case 'memory runs short, and the source breaks':
            expect(
              await receive(
                (async function* () {
                  yield* whileShort(sizeBytes - 1);
                  throw new Error('ECONNRESET');
                })(),
              ),
            ).toBe('ECONNRESET');
            break;
          case 'memory runs short, and a PUT fails':
            watched.nextPut = () => Promise.reject(new Error('refused'));
            expect(await receive(whileShort(sizeBytes))).toBe('refused');
        }
        content.copy(expected, offset, offset, (await takeOverUpload(engines, link, id)).upload.receivedBytes);
      }
      for (;;) {
        const { writer, upload } = await takeOverUpload(engines, link, id);
        if ((await listDraftFiles(engines, link))[0]?.state !== 'uploading') break;
        const content = another();
        const bytes = splitIntoPieces(content.subarray(upload.receivedBytes));
        expect(await receiveBytes(watching, contactDraftOwner(link), writer, upload, bytes)).toBe(sizeBytes);
        content.copy(expected, upload.receivedBytes, upload.receivedBytes);
      }
      for (const { goOn, ended } of held) {
        goOn();
        expect(await ended).toBe('upload_superseded');
      }
      expect(watched.reused).toEqual([]);
      // Only what was on the way when a writer was cut off is stored again.
      if (!cuts.some(({ by }) => by.startsWith('memory'))) {
        expect(watched.puts).toBeLessThanOrEqual(chunkCount(sizeBytes) + 4 * cuts.length);
      }

      await checkUpload(engines, link.accountId, id, live);
      expect(await listDraftFiles(engines, link)).toEqual([
        {
          id,
          name: 'a.bin',
          path: 'a.bin',
          sizeBytes,
          receivedBytes: sizeBytes,
          state: 'ready',
          scan: 'unscanned',
          unscannedReason: 'off',
          refusal: null,
        },
      ]);
      const file = (await readRow(id)) as SealedFile;
      expect(file.sha256).toEqual(createHash('sha256').update(expected).digest());
      expect((await readContent(engines, file)).equals(expected)).toBe(true);
      await sweepFiles(engines);
      expect(watched.keys()).toEqual(ownKeys(file));
      await removeAndSweep(link, id);
      expect(watched.keys()).toEqual([]);
    },
    120_000,
  );
});

describe('an upload', () => {
  test.each([0, 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes])(
    'of %d bytes that nothing cuts off is one run of as few objects as there can be',
    async (sizeBytes) => {
      const { link } = await openRequestLink(exchange);
      const { watched, engines: watching } = watchedStore();
      const uploadResources = testUploadResources(engines.store);
      const id = await announceUpload(engines, link, 'a.bin', sizeBytes);
      const { writer, upload } = await takeOverUpload(engines, link, id);
      const bytes = splitIntoPieces(plaintext.subarray(0, sizeBytes));
      expect(await receiveBytes({ ...watching, uploadResources }, contactDraftOwner(link), writer, upload, bytes)).toBe(
        sizeBytes,
      );
      const file = (await readRow(id)) as SealedFile;
      expect(file).toMatchObject({ state: 'checking', received_bytes: sizeBytes, runs: [] });
      expect([watched.puts, watched.keys()]).toEqual([Math.max(1, Math.ceil(sizeBytes / chunkBytes)), ownKeys(file)]);
      expect(uploadResources.memory.heldBytes).toBe(0);
      expect((await readContent(engines, file)).equals(plaintext.subarray(0, sizeBytes))).toBe(true);
    },
  );

  test.each(['12345', ''])('of %j that is received has one job that checks it, and takes no more', async (content) => {
    const { link } = await openRequestLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announceUpload(engines, link, 'a.bin', content.length);
    const jobs = () => query('select 1 from graphile_worker.jobs where key = $1', [`check:${id}`]);
    expect(await jobs()).toHaveLength(0);
    const first = await takeOverUpload(engines, link, id);
    expect(first.upload.received).toBe(false);
    await receiveBytes(
      watching,
      contactDraftOwner(link),
      first.writer,
      first.upload,
      splitIntoPieces(Buffer.from(content)),
    );
    expect(await jobs()).toHaveLength(1);
    const again = await takeOverUpload(engines, link, id);
    expect(again.upload.received).toBe(true);
    const more = receiveBytes(
      watching,
      contactDraftOwner(link),
      again.writer,
      again.upload,
      splitIntoPieces(Buffer.from('54321')),
    );
    await expect(more).rejects.toMatchObject({ code: 'too_large' });
    const nothing = splitIntoPieces(Buffer.alloc(0));
    expect(await receiveBytes(watching, contactDraftOwner(link), again.writer, again.upload, nothing)).toBe(
      content.length,
    );
    expect(await jobs()).toHaveLength(1);
    expect(watched.puts).toBe(1);
    expect((await readContent(engines, (await readRow(id)) as SealedFile)).toString()).toBe(content);
  });

  test('of more bytes than were announced is refused, and what it should have been still fits', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await announceUpload(engines, link, 'a.bin', 5);
    const first = await takeOverUpload(engines, link, id);
    const uploadResources = testUploadResources(engines.store);
    const receiving = receiveBytes(
      { ...engines, uploadResources },
      contactDraftOwner(link),
      first.writer,
      first.upload,
      splitIntoPieces(Buffer.from('123456')),
    );
    await expect(receiving).rejects.toMatchObject({ code: 'too_large' });
    expect(uploadResources.memory.heldBytes).toBe(0);
    const second = await takeOverUpload(engines, link, id);
    expect(second.upload.receivedBytes).toBe(0);
    expect(
      await receiveBytes(
        engines,
        contactDraftOwner(link),
        second.writer,
        second.upload,
        splitIntoPieces(Buffer.from('12345')),
      ),
    ).toBe(5);
  });

  test('that was taken over changes nothing any more: no chunk, no run, no row', async () => {
    const { link } = await openRequestLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announceUpload(engines, link, 'a.bin', 2 * chunkBytes);
    const first = await takeOverUpload(engines, link, id);
    await takeOverUpload(engines, link, id);
    const before = await query('select * from uploads where id = $1', [id]);
    const receiving = receiveBytes(
      watching,
      contactDraftOwner(link),
      first.writer,
      first.upload,
      splitIntoPieces(plaintext.subarray(0, 2 * chunkBytes)),
    );
    await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
    const { uploads } = engines.store;
    expect(await uploads.claim(first.writer, 1, 0)).toBe(false);
    expect(await uploads.commit(first.writer, 2 * chunkBytes)).toBe(false);
    expect(await uploads.beginRun(first.writer, [{ id, firstSegment: 0, segmentsPerChunk, objects: null }], 0, 0)).toBe(
      false,
    );
    expect(await uploads.requestCheck(first.writer)).toBe(false);
    expect((await uploads.renew([first.writer], 3600)).size).toBe(0);
    await uploads.abandon(first.writer);
    expect(await query('select * from uploads where id = $1', [id])).toEqual(before);
    expect([watched.puts, watched.keys()]).toEqual([0, []]);
  });

  test('that was broken off too often is refused, and can be removed', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await announceUpload(engines, link, 'a.bin', 5);
    await query(
      `update uploads set chunk_count = 1, runs = (
         select jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'firstSegment', 0, 'segmentsPerChunk', 128, 'objects', 1))
         from generate_series(1, 500)
       ) where id = $1`,
      [id],
    );
    const { writer, upload } = await takeOverUpload(engines, link, id);
    const receiving = receiveBytes(
      engines,
      contactDraftOwner(link),
      writer,
      upload,
      splitIntoPieces(Buffer.from('12345')),
    );
    await expect(receiving).rejects.toMatchObject({ code: 'upload_worn_out' });
    await removeAndSweep(link, id);
  });

  test('that nobody goes on with is swept when its time is over, run by run', async () => {
    const { link } = await openRequestLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announceUpload(engines, link, 'a.bin', 3 * chunkBytes);
    for (const part of [plaintext.subarray(0, 2 * chunkBytes), plaintext.subarray(chunkBytes, 3 * chunkBytes)]) {
      const { writer, upload } = await takeOverUpload(engines, link, id);
      let puts = 0;
      const failing: ObjectStore['put'] = async (...put) => {
        await watching.objects.put(...put);
        if (++puts === 2) throw new Error('no response');
      };
      const objects = { ...watching.objects, put: failing };
      await expect(
        receiveBytes({ ...watching, objects }, contactDraftOwner(link), writer, upload, splitIntoPieces(part)),
      ).rejects.toThrow('no response');
    }
    expect(watched.keys()).toHaveLength(4);
    await query('update uploads set due_at = now() where id = $1', [id]);
    await engines.store.uploads.expire(1000);
    await expect(takeOverUpload(engines, link, id)).rejects.toThrow('no such upload');
    await sweepLater(id);
    expect([watched.keys(), await readRow(id)]).toEqual([[], undefined]);
    await expect(takeOverUpload(engines, link, id)).rejects.toThrow('no such upload');
  });

  test('is not swept while a chunk may be on its way, although nobody resumed it in time', async () => {
    const { link } = await openRequestLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announceUpload(engines, link, 'a.bin', 5);
    const { writer, upload } = await takeOverUpload(engines, link, id);
    watched.nextPut = async (store) => {
      await query('update uploads set due_at = now() where id = $1', [id]);
      await engines.store.uploads.expire(1000);
      await sweepFiles(engines);
      await query("update uploads set due_at = due_at - interval '9 minutes' where id = $1", [id]);
      await sweepFiles(engines);
      await store();
    };
    const receiving = receiveBytes(
      watching,
      contactDraftOwner(link),
      writer,
      upload,
      splitIntoPieces(Buffer.from('12345')),
    );
    await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
    expect([watched.keys().length, (await readRow(id))?.state]).toEqual([1, 'abandoned']);
    await sweepLater(id);
    expect([watched.keys(), await readRow(id)]).toEqual([[], undefined]);
  });

  test('that is ready keeps in mind what a late writer may still store, until it goes itself', async () => {
    const { link } = await openRequestLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announceUpload(engines, link, 'a.bin', 5);
    const late = await takeOverUpload(engines, link, id);
    watched.nextPut = async (store) => {
      const { writer, upload } = await takeOverUpload(engines, link, id);
      await receiveBytes(watching, contactDraftOwner(link), writer, upload, splitIntoPieces(Buffer.from('right')));
      await checkUpload(engines, link.accountId, id, live);
      await store();
    };
    // In another process, which is not notified at once.
    const elsewhere = { ...watching, uploadResources: testUploadResources(engines.store) };
    const receiving = receiveBytes(
      elsewhere,
      contactDraftOwner(link),
      late.writer,
      late.upload,
      splitIntoPieces(Buffer.from('wrong')),
    );
    await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
    expect((await readContent(engines, (await readRow(id)) as SealedFile)).toString()).toBe('right');
    expect(watched.keys()).toHaveLength(2);
    await removeAndSweep(link, id);
    expect(watched.keys()).toEqual([]);
  });

  test('that is removed while a chunk is on its way leaves nothing behind', async () => {
    const { link } = await openRequestLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announceUpload(engines, link, 'a.bin', 5);
    const { writer, upload } = await takeOverUpload(engines, link, id);
    watched.nextPut = async (store) => {
      await engines.store.uploads.remove(link.accountId, contactDraftName(link), id);
      await sweepFiles(engines);
      await store();
    };
    const receiving = receiveBytes(
      watching,
      contactDraftOwner(link),
      writer,
      upload,
      splitIntoPieces(Buffer.from('12345')),
    );
    await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
    expect(await listDraftFiles(engines, link)).toEqual([]);
    await sweepLater(id);
    expect([watched.keys(), await readRow(id)]).toEqual([[], undefined]);
  });
});

describe('a request', () => {
  const contents = plaintext.subarray(0, 3 * chunkBytes);
  const send = async (link: Link, id: string, bytes: (offset: number) => AsyncIterable<Buffer>, expected?: number) => {
    const { writer, upload } = await takeOverUpload(engines, link, id);
    return receiveBytes(engines, contactDraftOwner(link), writer, upload, bytes(upload.receivedBytes), {
      expectedBytes: expected,
    });
  };
  const whole = (offset: number) => splitIntoPieces(contents.subarray(offset, offset + chunkBytes));
  const readRuns = async (id: string) =>
    ((await readRow(id)) as SealedFile).runs.map(({ firstSegment }) => firstSegment);

  test('that was received to its end is resumed in the same run', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await announceUpload(engines, link, 'a.bin', contents.length);
    for (const chunk of [1, 2, 3]) {
      expect(await send(link, id, whole, chunkBytes)).toBe(chunk * chunkBytes);
      expect(await readRuns(id)).toEqual([]);
    }
    const file = (await readRow(id)) as SealedFile;
    expect(ownKeys(file)).toEqual([0, 1, 2].map((chunk) => chunkKey(id, chunk)));
    expect((await readContent(engines, file)).equals(contents)).toBe(true);
  });

  test('that was cut off is resumed in another run', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await announceUpload(engines, link, 'a.bin', contents.length);
    const cutOff = (offset: number) => brokenAt(contents.subarray(offset, offset + chunkBytes + 5));
    await expect(send(link, id, cutOff, 2 * chunkBytes)).rejects.toThrow('ECONNRESET');
    expect(await send(link, id, whole, chunkBytes)).toBe(2 * chunkBytes);
    expect(await readRuns(id)).toEqual([0, segmentsPerChunk]);
    expect(await send(link, id, whole, chunkBytes)).toBe(3 * chunkBytes);
    expect(await readRuns(id)).toEqual([0, segmentsPerChunk]);
    expect((await readContent(engines, (await readRow(id)) as SealedFile)).equals(contents)).toBe(true);
  });

  test('that does not say how long it is may have stored more than is known, and is resumed in another run', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await announceUpload(engines, link, 'a.bin', contents.length);
    expect(await send(link, id, whole)).toBe(chunkBytes);
    expect(await send(link, id, whole)).toBe(2 * chunkBytes);
    expect(await readRuns(id)).toEqual([0, segmentsPerChunk]);
  });

  test('with less than a chunk, and not all that is left, is refused', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await announceUpload(engines, link, 'a.bin', contents.length);
    const little = () => splitIntoPieces(contents.subarray(0, 5));
    await expect(send(link, id, little, 5)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await send(link, id, () => splitIntoPieces(Buffer.alloc(0)), 0)).toBe(0);
  });

  test('of more bytes than are left is refused, and what counted before still does', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await announceUpload(engines, link, 'a.bin', chunkBytes + 5);
    const tooMuch = () => splitIntoPieces(contents.subarray(0, chunkBytes + 6), chunkBytes);
    await expect(send(link, id, tooMuch, chunkBytes + 6)).rejects.toMatchObject({ code: 'too_large' });
    expect((await takeOverUpload(engines, link, id)).upload.receivedBytes % chunkBytes).toBe(0);
    const rest = (offset: number) => splitIntoPieces(contents.subarray(offset, chunkBytes + 5));
    expect(await send(link, id, rest)).toBe(chunkBytes + 5);
  });

  test('that stored its chunk early, and failed at that, is resumed from where it was', async () => {
    const { link } = await openRequestLink(exchange);
    const id = await announceUpload(engines, link, 'a.bin', 10 * segmentBytes);
    const { watched, engines: watching } = watchedStore();
    const content = contents.subarray(0, 10 * segmentBytes);
    const { writer, upload } = await takeOverUpload(engines, link, id);
    const memory = new ShortMemory();
    watched.nextPut = () => Promise.reject(new Error('refused'));
    const bytes = (async function* () {
      yield content.subarray(0, 5 * segmentBytes + 7);
      memory.flush();
      yield content.subarray(5 * segmentBytes + 7);
    })();
    const uploadResources = { ...engines.uploadResources, memory };
    await expect(
      receiveBytes({ ...watching, uploadResources }, contactDraftOwner(link), writer, upload, bytes),
    ).rejects.toThrow('refused');
    expect(memory.heldBytes).toBe(0);
    expect(await send(link, id, (offset) => splitIntoPieces(content.subarray(offset)))).toBe(content.length);
    expect((await readContent(engines, (await readRow(id)) as SealedFile)).equals(content)).toBe(true);
    await checkUpload(engines, link.accountId, id, live);
    expect(await listDraftFiles(engines, link)).toMatchObject([{ state: 'ready' }]);
  });
});
