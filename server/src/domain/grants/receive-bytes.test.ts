import { createHash } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestExchange, type TestExchange } from '../../testing/exchange.ts';
import { announced, contentOf, deskFiles, grantedLink, piecesOf, takenOver } from '../../testing/grants.ts';
import type { MemoryObjectStore } from '../../testing/memory-object-store.ts';
import { deterministicRandom } from '../../testing/random.ts';
import { CountingPool } from '../../testing/sealed-file.ts';
import { checkUpload } from '../files/check-upload.ts';
import { chunkBytes, chunkCount, chunkKey } from '../files/sealing.ts';
import { sweepFiles } from '../files/sweep-files.ts';
import type { Link, ObjectStore, SealedFile } from '../ports.ts';
import { deskOf } from './desk.ts';
import { receiveBytes } from './receive-bytes.ts';

let exchange: TestExchange<MemoryObjectStore>;
let engines: TestExchange<MemoryObjectStore>['engines'];
let query: TestExchange['database']['query'];
beforeAll(async () => {
  exchange = await openTestExchange();
  engines = exchange.engines;
  query = exchange.database.query;
});
afterAll(() => exchange[Symbol.asyncDispose]());

const live = new AbortController().signal;
const plaintext = deterministicRandom('an upload').bytes(5 * chunkBytes);

type Put = (store: () => Promise<void>) => Promise<void>;

/** The exchange's store, which remembers what was put where and lets a test stand in a PUT's way. */
function watchedStore() {
  const digests = new Map<string, string>();
  const watched = {
    puts: 0,
    /** Objects that were put twice with different bytes: the same nonce under the same key. */
    reused: [] as string[],
    /** For the next PUT only. */
    nextPut: undefined as Put | undefined,
    keys: () => [...digests.keys()].filter((key) => engines.objects.objects.has(key)).sort(),
  };
  const objects: ObjectStore = {
    ...engines.objects,
    async put(key, body, signal) {
      const digest = createHash('sha256').update(body).digest('hex');
      if ((digests.get(key) ?? digest) !== digest) watched.reused.push(key);
      digests.set(key, digest);
      watched.puts += 1;
      const sealed = Buffer.from(body);
      const put = watched.nextPut ?? ((store) => store());
      watched.nextPut = undefined;
      await put(() => engines.objects.put(key, sealed, signal));
    },
  };
  return { watched, engines: { ...engines, objects } };
}

async function* brokenAt(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield* piecesOf(bytes);
  throw new Error('ECONNRESET');
}

const rowOf = async (id: string) => {
  const [row] = await query<SealedFile & { state: string; chunk_count: number; received_bytes: number }>(
    `select account_id as "accountId", id, name, state, size_bytes as "sizeBytes", sha256, scan, chunk_count, received_bytes,
       wrapped_key as "wrappedKey", key_version as "keyVersion", runs from files where id = $1`,
    [id],
  );
  return row;
};
const ownKeys = (file: SealedFile) =>
  Array.from({ length: chunkCount(file.sizeBytes) }, (_, chunk) =>
    chunkKey(file.runs.findLast((run) => run.first <= chunk)?.id ?? file.id, chunk),
  ).sort();

/** Whatever a test left of a file goes, and every object with it. */
async function removeAndSweep(link: Link, id: string) {
  expect(await engines.store.uploads.remove(link.accountId, deskOf(link), id)).toBe(true);
  await query('update files set lease_until = now() where id = $1', [id]);
  await sweepFiles(engines);
  expect(await rowOf(id)).toBeUndefined();
}

const means = [
  'the source breaks',
  'the source ends',
  'a PUT fails before it stores',
  'a PUT fails after it stored',
  'another takes over before the PUT',
  'another takes over after the PUT',
  'another takes over, and the PUT is stored much later',
] as const;
const cut = fc.record({ by: fc.constantFrom(...means), at: fc.double({ min: 0, max: 1, noNaN: true }) });
const size = fc.oneof(
  fc.constantFrom(0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 2 * chunkBytes + 1),
  fc.integer({ min: chunkBytes + 1, max: 4 * chunkBytes }),
);

describe('an upload that is cut off again and again', () => {
  propertyTest.prop([size, fc.array(cut, { minLength: 1, maxLength: 5 })], { numRuns: 15 })(
    'ends with exactly the bytes that counted, and leaves nothing else',
    async (sizeBytes, cuts) => {
      // Every writer has bytes of its own: that nothing is sealed twice must not depend on what a browser sends again.
      let attempts = 0;
      const another = () => plaintext.subarray(++attempts, attempts + sizeBytes);
      const expected = Buffer.alloc(sizeBytes);
      const { link } = await grantedLink(exchange);
      const { watched, engines: watching } = watchedStore();
      const id = await announced(engines, link, 'a.bin', sizeBytes);
      /** Writers that others took over from, still in their PUT. */
      const held: { goOn: () => void; ended: Promise<string> }[] = [];
      const outcomeOf = (receiving: Promise<number>) =>
        receiving.then(
          () => 'received',
          (error: Error & { code?: string }) => error.code ?? error.message,
        );
      let before = 0;

      for (const { by, at } of cuts) {
        const { writer, upload } = await takenOver(engines, link, id);
        const offset = upload.receivedBytes;
        expect(offset).toBeGreaterThanOrEqual(before);
        before = offset;
        if ((await deskFiles(engines, link))[0]?.state !== 'uploading') break;
        const end = offset + Math.floor((sizeBytes - offset) * at);
        const content = another();
        const receive = (bytes: AsyncIterable<Buffer>) =>
          outcomeOf(receiveBytes(watching, link, writer, upload, bytes));
        const rest = () => piecesOf(content.subarray(offset));
        switch (by) {
          case 'the source breaks':
            expect(await receive(brokenAt(content.subarray(offset, end)))).toBe('ECONNRESET');
            // No more than the chunk under way has to be sent again.
            expect(end - (await takenOver(engines, link, id)).upload.receivedBytes).toBeLessThanOrEqual(chunkBytes);
            break;
          case 'the source ends': {
            const outcome = await receive(piecesOf(content.subarray(offset, end)));
            const counts = end === sizeBytes ? end : end - (end % chunkBytes);
            expect((await takenOver(engines, link, id)).upload.receivedBytes).toBe(counts);
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
              throw new Error('no answer');
            };
            expect(await receive(rest())).toBe('no answer');
            break;
          case 'another takes over before the PUT':
            watched.nextPut = async (store) => {
              await takenOver(engines, link, id);
              await store();
            };
            expect(await receive(rest())).toBe('upload_superseded');
            break;
          case 'another takes over after the PUT':
            watched.nextPut = async (store) => {
              await store();
              await takenOver(engines, link, id);
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
          }
        }
        content.copy(expected, offset, offset, (await takenOver(engines, link, id)).upload.receivedBytes);
      }
      for (;;) {
        const { writer, upload } = await takenOver(engines, link, id);
        if ((await deskFiles(engines, link))[0]?.state !== 'uploading') break;
        const content = another();
        const bytes = piecesOf(content.subarray(upload.receivedBytes));
        expect(await receiveBytes(watching, link, writer, upload, bytes)).toBe(sizeBytes);
        content.copy(expected, upload.receivedBytes, upload.receivedBytes);
      }
      for (const { goOn, ended } of held) {
        goOn();
        expect(await ended).toBe('upload_superseded');
      }
      expect(watched.reused).toEqual([]);
      expect(watched.puts).toBeLessThanOrEqual(chunkCount(sizeBytes) + cuts.length);

      await checkUpload(engines, link.accountId, id, live);
      expect(await deskFiles(engines, link)).toEqual([
        { id, name: 'a.bin', sizeBytes, receivedBytes: sizeBytes, state: 'ready' },
      ]);
      const file = (await rowOf(id)) as SealedFile;
      expect(file.sha256).toEqual(createHash('sha256').update(expected).digest());
      expect((await contentOf(engines, file)).equals(expected)).toBe(true);
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
      const { link } = await grantedLink(exchange);
      const { watched, engines: watching } = watchedStore();
      const pool = new CountingPool();
      const id = await announced(engines, link, 'a.bin', sizeBytes);
      const { writer, upload } = await takenOver(engines, link, id);
      const bytes = piecesOf(plaintext.subarray(0, sizeBytes));
      expect(await receiveBytes({ ...watching, chunkBuffers: pool }, link, writer, upload, bytes)).toBe(sizeBytes);
      const file = (await rowOf(id)) as SealedFile;
      expect(file).toMatchObject({ state: 'received', received_bytes: sizeBytes, runs: [] });
      expect([watched.puts, watched.keys()]).toEqual([Math.max(1, Math.ceil(sizeBytes / chunkBytes)), ownKeys(file)]);
      expect(pool.out).toBe(0);
      expect((await contentOf(engines, file)).equals(plaintext.subarray(0, sizeBytes))).toBe(true);
    },
  );

  test.each(['12345', ''])('of %j that is received has one job that checks it, and takes no more', async (content) => {
    const { link } = await grantedLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announced(engines, link, 'a.bin', content.length);
    const jobs = () => query('select 1 from graphile_worker.jobs where key = $1', [`check:${id}`]);
    expect(await jobs()).toHaveLength(0);
    const first = await takenOver(engines, link, id);
    expect(first.upload.received).toBe(false);
    await receiveBytes(watching, link, first.writer, first.upload, piecesOf(Buffer.from(content)));
    expect(await jobs()).toHaveLength(1);
    const again = await takenOver(engines, link, id);
    expect(again.upload.received).toBe(true);
    const more = piecesOf(Buffer.from('54321'));
    expect(await receiveBytes(watching, link, again.writer, again.upload, more)).toBe(content.length);
    expect(watched.puts).toBe(1);
    expect((await contentOf(engines, (await rowOf(id)) as SealedFile)).toString()).toBe(content);
  });

  test('of more bytes than were announced is refused, and what it should have been still fits', async () => {
    const { link } = await grantedLink(exchange);
    const id = await announced(engines, link, 'a.bin', 5);
    const first = await takenOver(engines, link, id);
    const pool = new CountingPool();
    const receiving = receiveBytes(
      { ...engines, chunkBuffers: pool },
      link,
      first.writer,
      first.upload,
      piecesOf(Buffer.from('123456')),
    );
    await expect(receiving).rejects.toMatchObject({ code: 'too_large' });
    expect(pool.out).toBe(0);
    const second = await takenOver(engines, link, id);
    expect(second.upload.receivedBytes).toBe(0);
    expect(await receiveBytes(engines, link, second.writer, second.upload, piecesOf(Buffer.from('12345')))).toBe(5);
  });

  test('that was taken over changes nothing any more: no chunk, no run, no row', async () => {
    const { link } = await grantedLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announced(engines, link, 'a.bin', 2 * chunkBytes);
    const first = await takenOver(engines, link, id);
    await takenOver(engines, link, id);
    const before = await query('select * from files where id = $1', [id]);
    const receiving = receiveBytes(
      watching,
      link,
      first.writer,
      first.upload,
      piecesOf(plaintext.subarray(0, 2 * chunkBytes)),
    );
    await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
    const { uploads } = engines.store;
    expect(await uploads.claimChunk(link.accountId, id, first.writer, 0, 60)).toBe(false);
    expect(await uploads.commitChunk(link.accountId, id, first.writer, 2 * chunkBytes)).toBe(false);
    expect(await uploads.beginRun(link.accountId, id, first.writer, [{ id, first: 0, end: null }], 0)).toBe(false);
    expect(await query('select * from files where id = $1', [id])).toEqual(before);
    expect([watched.puts, watched.keys()]).toEqual([0, []]);
  });

  test('that was broken off too often is refused, and can be removed', async () => {
    const { link } = await grantedLink(exchange);
    const id = await announced(engines, link, 'a.bin', 5);
    await query(
      `update files set chunk_count = 1, runs = (
         select jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'first', 0, 'end', 1)) from generate_series(1, 500)
       ) where id = $1`,
      [id],
    );
    const { writer, upload } = await takenOver(engines, link, id);
    const receiving = receiveBytes(engines, link, writer, upload, piecesOf(Buffer.from('12345')));
    await expect(receiving).rejects.toMatchObject({ code: 'upload_worn_out' });
    await removeAndSweep(link, id);
  });

  test('that nobody goes on with is swept when its time is over, run by run', async () => {
    const { link } = await grantedLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announced(engines, link, 'a.bin', 3 * chunkBytes);
    for (const part of [plaintext.subarray(0, 2 * chunkBytes), plaintext.subarray(chunkBytes, 3 * chunkBytes)]) {
      const { writer, upload } = await takenOver(engines, link, id);
      let puts = 0;
      const failing: ObjectStore['put'] = async (...put) => {
        await watching.objects.put(...put);
        if (++puts === 2) throw new Error('no answer');
      };
      const objects = { ...watching.objects, put: failing };
      await expect(receiveBytes({ ...watching, objects }, link, writer, upload, piecesOf(part))).rejects.toThrow(
        'no answer',
      );
    }
    expect(watched.keys()).toHaveLength(4);
    await query('update files set lease_until = now() where id = $1', [id]);
    await sweepFiles(engines);
    expect([watched.keys(), await rowOf(id)]).toEqual([[], undefined]);
    expect(
      await engines.store.uploads.takeOver(link.accountId, deskOf(link), id, engines.random.uuid(), 60),
    ).toBeUndefined();
  });

  test('is not swept while a chunk may be on its way, however short it waits otherwise', async () => {
    const { link } = await grantedLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const impatient = { ...watching, policy: { ...engines.policy, resumeSeconds: 60 } };
    const id = await announced(impatient, link, 'a.bin', 5);
    const { uploads } = engines.store;
    const takeOver = () => uploads.takeOver(link.accountId, deskOf(link), id, engines.random.uuid(), 60);
    const { writer, upload } = await takenOver(engines, link, id);
    await query('update files set lease_until = now() where id = $1', [id]);
    watched.nextPut = async (store) => {
      await takeOver();
      await query("update files set lease_until = lease_until - interval '5 minutes' where id = $1", [id]);
      await sweepFiles(engines);
      await store();
    };
    const receiving = receiveBytes(impatient, link, writer, upload, piecesOf(Buffer.from('12345')));
    await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
    await removeAndSweep(link, id);
    expect(watched.keys()).toEqual([]);
  });

  test('that is ready keeps in mind what a late writer may still store, until it goes itself', async () => {
    const { link } = await grantedLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announced(engines, link, 'a.bin', 5);
    const late = await takenOver(engines, link, id);
    watched.nextPut = async (store) => {
      const { writer, upload } = await takenOver(engines, link, id);
      await receiveBytes(watching, link, writer, upload, piecesOf(Buffer.from('right')));
      await checkUpload(engines, link.accountId, id, live);
      await store();
    };
    const receiving = receiveBytes(watching, link, late.writer, late.upload, piecesOf(Buffer.from('wrong')));
    await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
    expect((await contentOf(engines, (await rowOf(id)) as SealedFile)).toString()).toBe('right');
    expect(watched.keys()).toHaveLength(2);
    await removeAndSweep(link, id);
    expect(watched.keys()).toEqual([]);
  });

  test('that is removed while a chunk is on its way leaves nothing behind', async () => {
    const { link } = await grantedLink(exchange);
    const { watched, engines: watching } = watchedStore();
    const id = await announced(engines, link, 'a.bin', 5);
    const { writer, upload } = await takenOver(engines, link, id);
    watched.nextPut = async (store) => {
      await engines.store.uploads.remove(link.accountId, deskOf(link), id);
      await sweepFiles(engines);
      await store();
    };
    const receiving = receiveBytes(watching, link, writer, upload, piecesOf(Buffer.from('12345')));
    await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
    expect(await deskFiles(engines, link)).toEqual([]);
    await query('update files set lease_until = now() where id = $1', [id]);
    await sweepFiles(engines);
    expect([watched.keys(), await rowOf(id)]).toEqual([[], undefined]);
  });
});
