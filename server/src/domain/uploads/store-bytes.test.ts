import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { deterministicRandom } from '../../../test/random.ts';
import { bareKeys } from '../../../test/sealed-file.ts';
import { linkAuthor } from '../audit/author.ts';
import type { Engines } from '../engines.ts';
import type { ChunkRun } from '../files/file-store.ts';
import { chunkBytes, chunkKey, sealedSegmentBytes, segmentsPerChunk } from '../files/sealing.ts';
import { MemoryBudget } from '../flow/memory-budget.ts';
import { LiveUploads } from './live-uploads.ts';
import { linkOwner } from './owner.ts';
import { type ByteSource, storeBytes } from './store-bytes.ts';
import type { Upload, UploadStore, UploadWriter } from './upload-store.ts';

const owner = linkOwner('account', linkAuthor({ dropId: 'drop', position: 0 }, undefined), 'draft');
const content = deterministicRandom('stored').bytes(20 * chunkBytes);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** An upload of which nothing has been received, and what is recorded about it. */
function begun(changes: Partial<Upload> = {}) {
  const random = deterministicRandom('store bytes');
  const upload: Upload = {
    id: random.uuid(),
    name: 'a.bin',
    mediaType: 'text/plain',
    sizeBytes: null,
    receivedBytes: 0,
    received: false,
    runs: [],
    chunkCount: 0,
    wrappedKey: random.bytes(32),
    keyDay: 1,
    declared: { sha256: null, sha512: null },
    ...changes,
  };
  const recorded = { claims: [] as number[], runs: [] as ChunkRun[], stored: [] as number[], isWriter: true };
  const uploads: Pick<UploadStore, 'claim' | 'beginRun' | 'renew'> = {
    async claim(_writer, chunkCount) {
      recorded.claims.push(chunkCount);
      return recorded.isWriter;
    },
    async beginRun(_writer, runs) {
      recorded.runs = [...runs];
      return recorded.isWriter;
    },
    renew: async (writers) => new Set(recorded.isWriter ? writers.map(({ id }) => id) : []),
  };
  const objects = memoryObjectStore();
  const uploadResources = {
    memory: new MemoryBudget({
      slabBytes: sealedSegmentBytes,
      bytes: 200 * 1024 ** 2,
      waitMs: 1_000,
      maxWaiting: 10,
    }),
    live: new LiveUploads(uploads, { leaseSeconds: 60 }),
  };
  const store = { uploads } as Engines['store'];
  const engines = { store, objects, dayKeys: bareKeys, random, checkpoint: () => undefined, uploadResources };
  const writer: UploadWriter = { accountId: 'account', id: upload.id, writer: random.uuid() };
  const receive = (source: Partial<ByteSource> & Pick<ByteSource, 'bytes'>, signal: AbortSignal) =>
    storeBytes(
      engines,
      owner,
      writer,
      upload,
      {
        isReserved: true,
        isComplete: () => true,
        onStored: async (bytes) => void recorded.stored.push(bytes),
        ...source,
      },
      signal,
    );
  return { upload, recorded, objects, uploadResources, writer, receive };
}

/** A source that sends some bytes, and then nothing for the rest of the test. */
function silentAfter(bytes: Buffer) {
  const silent = Promise.withResolvers<void>();
  const left = vi.fn();
  const source: AsyncIterable<Buffer> = {
    [Symbol.asyncIterator]() {
      let sent = false;
      return {
        next() {
          if (sent) {
            silent.resolve();
            return new Promise(() => undefined);
          }
          sent = true;
          return Promise.resolve({ done: false, value: bytes });
        },
        return() {
          left();
          return new Promise(() => undefined);
        },
      };
    },
  };
  return { bytes: source, silent: silent.promise, left };
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  for (let start = 0; start < bytes.length; start += 1_000_000) yield bytes.subarray(start, start + 1_000_000);
}

describe('while its source is silent, an upload is ended', () => {
  test('when its signal is aborted', async () => {
    const { receive, uploadResources, objects } = begun();
    const gone = new AbortController();
    const { bytes, silent, left } = silentAfter(content.subarray(0, chunkBytes + 5));
    const receiving = expect(receive({ bytes }, gone.signal)).rejects.toThrow('gone');
    await silent;
    gone.abort(new Error('gone'));
    await receiving;
    expect(left).toHaveBeenCalledTimes(1);
    expect(uploadResources.memory.heldBytes).toBe(0);
    expect(objects.objects.size).toBeLessThanOrEqual(1);
    expect(getEventListeners(gone.signal, 'abort')).toEqual([]);
  });

  test('when another writer takes over in the same process', async () => {
    const { receive, uploadResources, writer } = begun();
    const held = uploadResources.live.hold(writer);
    const { bytes, silent } = silentAfter(content.subarray(0, 5));
    const receiving = expect(receive({ bytes }, held.signal)).rejects.toMatchObject({ code: 'upload_superseded' });
    await silent;
    const next = uploadResources.live.hold({ ...writer, writer: 'another' });
    await receiving;
    held.release();
    expect([next.signal.aborted, uploadResources.memory.heldBytes]).toEqual([false, 0]);
    next.release();
  });

  test('when another writer takes over in another process', async () => {
    const { receive, recorded, uploadResources, writer } = begun();
    const held = uploadResources.live.hold(writer);
    const { bytes, silent } = silentAfter(content.subarray(0, 5));
    const receiving = expect(receive({ bytes }, held.signal)).rejects.toMatchObject({ code: 'upload_superseded' });
    await silent;
    recorded.isWriter = false;
    await vi.advanceTimersByTimeAsync(15_000);
    await receiving;
    held.release();
    expect([vi.getTimerCount(), uploadResources.memory.heldBytes]).toEqual([0, 0]);
  });

  test('before it began', async () => {
    const { receive, uploadResources } = begun();
    const { bytes } = silentAfter(Buffer.alloc(0));
    await expect(receive({ bytes }, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(uploadResources.memory.heldBytes).toBe(0);
  });
});

test('an upload that another writer has taken over stores nothing more', async () => {
  const { receive, recorded, objects, uploadResources } = begun();
  recorded.isWriter = false;
  const receiving = receive({ bytes: inPieces(content) }, new AbortController().signal);
  await expect(receiving).rejects.toMatchObject({ code: 'upload_superseded' });
  expect([objects.objects.size, recorded.stored, uploadResources.memory.heldBytes]).toEqual([0, [], 0]);
});

test('a source that fails, or is refused, ends the upload with that, and what is stored is told', async () => {
  const { receive, recorded, uploadResources } = begun();
  const signal = new AbortController().signal;
  const bytes = (async function* () {
    yield* inPieces(content.subarray(0, 2 * chunkBytes + 5));
    throw new Error('ECONNRESET');
  })();
  await expect(receive({ bytes }, signal)).rejects.toThrow('ECONNRESET');
  expect(recorded.stored).toEqual([chunkBytes, 2 * chunkBytes]);
  const onBytes = () => Promise.reject(new Error('infected'));
  await expect(begun().receive({ bytes: inPieces(content), onBytes }, signal)).rejects.toThrow('infected');
  expect([uploadResources.memory.heldBytes, getEventListeners(signal, 'abort')]).toEqual([0, []]);
});

describe('objects are claimed before they are stored', () => {
  test('many at a time', async () => {
    const { receive, recorded, objects, upload } = begun();
    const received = await receive({ bytes: inPieces(content) }, new AbortController().signal);
    expect(recorded.claims).toEqual([16, 32]);
    expect(received).toMatchObject({
      receivedBytes: content.length,
      storedBytes: content.length,
      runs: [],
      chunkCount: 20,
    });
    expect([...objects.objects.keys()].toSorted()).toEqual(
      Array.from({ length: 20 }, (_, chunk) => chunkKey(upload.id, chunk)),
    );
  });

  test('and no more than the request carries, so that the next one goes on in the same run', async () => {
    const { receive, recorded } = begun();
    const expectedBytes = 3 * chunkBytes;
    const source = { bytes: inPieces(content.subarray(0, expectedBytes)), expectedBytes, isComplete: () => false };
    expect(await receive(source, new AbortController().signal)).toMatchObject({ storedBytes: 3 * chunkBytes });
    expect(recorded.claims).toEqual([3]);
  });

  test('one by one by who said less than it sends', async () => {
    const { receive, recorded } = begun();
    const source = { bytes: inPieces(content.subarray(0, 3 * chunkBytes)), expectedBytes: 1, isComplete: () => false };
    await receive(source, new AbortController().signal);
    expect(recorded.claims).toEqual([1, 2, 3]);
  });
});

describe('an upload is resumed', () => {
  const resume = (changes: Partial<Upload>) => {
    const resumed = begun({ receivedBytes: 2 * chunkBytes, ...changes });
    const bytes = inPieces(content.subarray(2 * chunkBytes, 3 * chunkBytes));
    return { ...resumed, received: resumed.receive({ bytes }, new AbortController().signal) };
  };

  test('in its run, where nothing else can have been stored', async () => {
    const { received, recorded, objects, upload } = resume({ chunkCount: 2 });
    expect(await received).toMatchObject({ runs: [], chunkCount: 3, receivedBytes: 3 * chunkBytes });
    expect([recorded.runs, [...objects.objects.keys()]]).toEqual([[], [chunkKey(upload.id, 2)]]);
  });

  test('in another run, where something may have been', async () => {
    const { received, recorded, objects, upload } = resume({ chunkCount: 3 });
    const { runs, chunkCount } = await received;
    expect([runs, chunkCount]).toEqual([recorded.runs, 1]);
    expect(runs).toMatchObject([
      { id: upload.id, firstSegment: 0, segmentsPerChunk, objects: 3 },
      { firstSegment: 2 * segmentsPerChunk, segmentsPerChunk, objects: null },
    ]);
    expect([...objects.objects.keys()]).toEqual([chunkKey(runs[1]?.id as string, 0)]);
  });

  test('in another run, where the last one begins behind what is stored', async () => {
    const run = { id: 'behind', firstSegment: 2 * segmentsPerChunk + 5, segmentsPerChunk: 1, objects: null };
    const runs = [{ id: begun().upload.id, firstSegment: 0, segmentsPerChunk, objects: 3 }, run];
    const { received, objects } = resume({ runs, chunkCount: 0 });
    const after = (await received).runs;
    expect(after).toMatchObject([...runs.slice(0, 1), { ...run, objects: 0 }, { firstSegment: 2 * segmentsPerChunk }]);
    expect([...objects.objects.keys()]).toEqual([chunkKey(after[2]?.id as string, 0)]);
  });

  test('not forever', async () => {
    const runs = Array.from({ length: 500 }, (_, nth) => ({
      id: `${nth}`,
      firstSegment: 0,
      segmentsPerChunk,
      objects: 1,
    }));
    const { received } = resume({ runs, chunkCount: 3 });
    await expect(received).rejects.toMatchObject({ code: 'upload_worn_out' });
  });
});
