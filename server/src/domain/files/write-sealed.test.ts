import { randomUUID } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { afterEach, beforeEach, describe, expect, onTestFinished, vi } from 'vitest';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { deterministicRandom } from '../../../test/random.ts';
import { openFile, silentLedger } from '../../../test/sealed-file.ts';
import { MemoryBudget, type MemoryShare } from '../flow/memory-budget.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { takeKeys } from './chunk-runs.ts';
import type { ChunkRun, SealedFile } from './file-store.ts';
import { chunkBytes, chunkKey, sealedSegmentBytes, segmentBytes, segmentsPerChunk } from './sealing.ts';
import { type Ledger, SealedWriter } from './write-sealed.ts';

const dataKey = Buffer.alloc(32, 1);
const megabyte = Buffer.alloc(1024 * 1024, 1);

/** Holds every PUT until the test releases it. */
function heldStore() {
  const waiting: { key: string; finish: (error?: Error) => void }[] = [];
  const put: ObjectStore['put'] = (key, _pieces, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      waiting.push({ key, finish: (error) => (error ? reject(error) : resolve()) });
    });
  return { waiting, objects: { ...memoryObjectStore(), put } };
}

interface WriterOptions {
  readonly slabs?: number;
  readonly waitMs?: number;
  readonly budget?: MemoryBudget;
  readonly ledger?: Partial<Ledger>;
  readonly runs?: readonly ChunkRun[];
  readonly object?: number;
  readonly segment?: number;
  readonly onTake?: (flush: () => void) => void;
}

/** A writer of the file "file", and the memory it holds. */
function writerOn(objects: ObjectStore, options: WriterOptions = {}) {
  const stop = new AbortController();
  const { slabs = 4000, waitMs = 10, onTake = () => undefined } = options;
  const budget =
    options.budget ??
    new MemoryBudget({ slabBytes: sealedSegmentBytes, bytes: slabs * sealedSegmentBytes, waitMs, maxWaiting: 100 });
  const memory = { held: 0, maxHeld: 0, closed: false, flush: () => undefined as void };
  const writer = new SealedWriter({
    objects,
    memory: (flush): MemoryShare => {
      memory.flush = flush;
      const share = budget.openShare('owner', 1, { flush, signal: stop.signal });
      return {
        async acquire() {
          onTake(flush);
          const slab = await share.acquire();
          memory.held += 1;
          memory.maxHeld = Math.max(memory.maxHeld, memory.held);
          return slab;
        },
        release(slab, use) {
          memory.held -= 1;
          expect(slab).toHaveLength(sealedSegmentBytes);
          share.release(slab, use);
        },
        setFillingSince: (since) => share.setFillingSince(since),
        close() {
          memory.closed = true;
          share.close();
        },
      };
    },
    file: { id: 'file', dataKey, runs: options.runs ?? [] },
    object: options.object ?? 0,
    segment: options.segment ?? 0,
    signal: stop.signal,
    ledger: { ...silentLedger, ...options.ledger },
    newRunId: randomUUID,
  });
  return { budget, memory, stop, writer };
}

async function writeAll(writer: SealedWriter, megabytes: number): Promise<number> {
  for (let count = 0; count < megabytes; count += 1) await writer.write(megabyte);
  await writer.finish();
  return writer.layout.chunkCount;
}

/** The file as a reader would receive it. */
function written(writer: SealedWriter, sizeBytes: number): SealedFile {
  return {
    accountId: 'an account',
    id: 'file',
    name: 'a.bin',
    path: 'a.bin',
    sizeBytes,
    sha256: Buffer.alloc(32),
    crc32: 0,
    scan: 'clean',
    unscannedReason: null,
    wrappedKey: dataKey,
    keyDay: 1,
    runs: writer.layout.runs,
  };
}

/** Lets everything run that is not waiting for the test. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('memory', () => {
  test('holds at most five chunks and does not read on while four are on their way', async () => {
    const { waiting, objects } = heldStore();
    const { memory, writer } = writerOn(objects);
    let count = 0;
    const upload = (async () => {
      for (; count < 80; count += 1) await writer.write(megabyte);
      await writer.finish();
    })();
    await expect.poll(() => waiting.length).toBe(4);
    await settle();
    const stalledAt = count;
    await settle();
    expect(count).toBe(stalledAt);
    expect(count).toBeLessThanOrEqual(41);
    expect(memory.held).toBeLessThanOrEqual(5 * segmentsPerChunk + 1);
    expect(waiting).toHaveLength(4);
    for (let done = 0; done < 10; done += 1) {
      await expect.poll(() => waiting.length).toBeGreaterThan(done);
      waiting[done]?.finish();
    }
    await upload;
    expect(writer.layout).toEqual({ runs: [], chunkCount: 10 });
    await writer.close();
    expect(memory.maxHeld).toBeLessThanOrEqual(5 * segmentsPerChunk + 1);
    expect([memory.held, memory.closed]).toEqual([0, true]);
  });

  test('is used again: a file of any size needs no more of it than one of a few chunks', async () => {
    // Time stands still: on a machine that does little for two seconds, a chunk would be stored before it is full.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const objects: ObjectStore = { ...memoryObjectStore(), put: () => settle() as Promise<void> };
    const { memory, writer } = writerOn(objects, { slabs: 5 * segmentsPerChunk + 2, waitMs: 60_000 });
    expect(await writeAll(writer, 100)).toBe(13);
    await writer.close();
    expect(memory.held).toBe(0);
  });

  test.prop([fc.nat(3), fc.nat(3)], { numRuns: 8 })('is given back when a PUT fails', async (failing, chunks) => {
    const store = memoryObjectStore();
    const put: ObjectStore['put'] = async (key, pieces, signal) => {
      if (key === chunkKey('file', failing)) throw new Error('refused');
      await store.put(key, pieces, signal);
    };
    const { memory, budget, writer } = writerOn({ ...store, put });
    const upload = writeAll(writer, chunks * 8 + 1);
    if (failing <= chunks) await expect(upload).rejects.toThrow('refused');
    else await upload;
    await writer.close();
    expect([memory.held, memory.closed, budget.heldBytes]).toEqual([0, true, 0]);
  });

  test.each(['claim', 'beginRun', 'stored'] as const)('is given back when %s fails', async (entry) => {
    let calls = 0;
    const ledger = {
      [entry]: async () => {
        if (++calls === (entry === 'beginRun' ? 1 : 2)) throw new Error('superseded');
      },
    };
    const { memory, writer } = writerOn(memoryObjectStore(), { ledger });
    await writer.write(megabyte);
    if (entry === 'beginRun') memory.flush();
    await expect(writeAll(writer, 20)).rejects.toThrow('superseded');
    await writer.close();
    expect([memory.held, memory.closed]).toEqual([0, true]);
  });

  test('is given back when the upload is aborted with chunks on their way', async () => {
    const { waiting, objects } = heldStore();
    const { memory, stop, writer } = writerOn(objects);
    const upload = expect(writeAll(writer, 80)).rejects.toThrow('aborted');
    await expect.poll(() => waiting.length).toBe(4);
    stop.abort();
    await upload;
    await writer.close();
    expect(memory.held).toBe(0);
  });

  test('is given back in the middle of a chunk, and with nothing written', async () => {
    for (const bytes of [0, 1, segmentBytes, 3 * segmentBytes + 1]) {
      const { memory, writer } = writerOn(memoryObjectStore());
      await writer.write(Buffer.alloc(bytes));
      await writer.close();
      expect([memory.held, memory.closed]).toEqual([0, true]);
    }
  });

  test('that cannot be had fails the upload, which then holds none', async () => {
    const { objects } = heldStore();
    const { memory, writer, stop } = writerOn(objects, { slabs: 5 });
    await expect(writeAll(writer, 9)).rejects.toMatchObject({ code: 'unavailable' });
    stop.abort();
    await writer.close();
    expect(memory.held).toBe(0);
  });
});

test('claims every object before its first byte leaves, and each run before its objects', async () => {
  const events: string[] = [];
  const store = memoryObjectStore();
  const put: ObjectStore['put'] = async (key, pieces, signal) => {
    events.push(`put ${key}`);
    await store.put(key, pieces, signal);
  };
  let run = 'file';
  const ledger: Partial<Ledger> = {
    async claim(object) {
      await settle();
      events.push(`claim ${chunkKey(run, object)}`);
    },
    async beginRun(runs) {
      await settle();
      run = runs.at(-1)?.id as string;
    },
  };
  const { writer, memory } = writerOn({ ...store, put }, { ledger });
  for (let count = 0; count < 17; count += 1) {
    await writer.write(megabyte);
    if (count === 9) memory.flush();
  }
  await writer.finish();
  const puts = events.filter((event) => event.startsWith('put '));
  expect(puts).toHaveLength(store.objects.size);
  expect(writer.layout.runs.length).toBeGreaterThan(1);
  for (const event of puts) {
    expect(events.indexOf(event.replace('put', 'claim'))).toBeGreaterThanOrEqual(0);
    expect(events.indexOf(event.replace('put', 'claim'))).toBeLessThan(events.indexOf(event));
  }
});

test('says that it is finished only when every chunk is stored', async () => {
  const { waiting, objects } = heldStore();
  const { writer } = writerOn(objects);
  let finished = false;
  const upload = writeAll(writer, 9).then(() => (finished = true));
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]?.finish();
  await settle();
  expect(finished).toBe(false);
  waiting[0]?.finish();
  await upload;
});

test('fails although the failed chunk was not the last', async () => {
  const { waiting, objects } = heldStore();
  const { writer } = writerOn(objects);
  const upload = expect(writeAll(writer, 9)).rejects.toThrow('lost');
  await expect.poll(() => waiting.length).toBe(2);
  waiting[0]?.finish(new Error('lost'));
  waiting[1]?.finish();
  await upload;
});

test('an empty file is one object', async () => {
  const store = memoryObjectStore();
  const { writer, memory } = writerOn(store);
  await writer.finish();
  await writer.close();
  expect([writer.layout, store.objects.size, memory.held]).toEqual([{ runs: [], chunkCount: 1 }, 1, 0]);
  expect(chunkBytes).toBe(8 * 1024 * 1024);
});

describe('what is called stored', () => {
  test('is all that lies before it, in order, whichever chunk was stored first', async () => {
    const { waiting, objects } = heldStore();
    const stored: number[] = [];
    const { writer } = writerOn(objects, { ledger: { stored: async (segment) => void stored.push(segment) } });
    const upload = writeAll(writer, 25);
    await expect.poll(() => waiting.length).toBe(4);
    for (const chunk of [2, 1, 3]) waiting[chunk]?.finish();
    await settle();
    expect(stored).toEqual([]);
    waiting[0]?.finish();
    expect(await upload).toBe(4);
    expect(stored).toEqual([128, 256, 384, 400]);
  });

  test('is recorded one entry at a time', async () => {
    let [busy, max] = [0, 0];
    const entry = async () => {
      max = Math.max(max, ++busy);
      await settle();
      busy -= 1;
    };
    const ledger = { claim: entry, beginRun: entry, stored: entry };
    const { writer, memory } = writerOn(memoryObjectStore(), { ledger });
    for (let count = 0; count < 20; count += 1) {
      await writer.write(megabyte);
      if (count % 7 === 3) memory.flush();
    }
    await writer.finish();
    await writer.close();
    expect([max, busy]).toEqual([1, 0]);
  });

  test('cannot be recorded: no other chunk leaves', async () => {
    const store = memoryObjectStore();
    const { memory, writer } = writerOn(store, { ledger: { stored: () => Promise.reject(new Error('superseded')) } });
    await expect(writeAll(writer, 24)).rejects.toThrow('superseded');
    await writer.close();
    expect([[...store.objects.keys()], memory.held]).toEqual([[chunkKey('file', 0)], 0]);
  });

  test('was stored', async () => {
    const called: number[] = [];
    const { writer } = writerOn(
      { ...memoryObjectStore(), put: () => Promise.reject(new Error('refused')) },
      { ledger: { stored: async (segment) => void called.push(segment) } },
    );
    await expect(writeAll(writer, 9)).rejects.toThrow('refused');
    await writer.close();
    expect(called).toEqual([]);
  });
});

describe('a pause', () => {
  test.prop([fc.integer({ min: -2, max: 2 }), fc.nat(2)], { numRuns: 15 })(
    'stores the whole chunks and nothing of what lies behind them',
    async (bytesBeyond, chunks) => {
      const store = memoryObjectStore();
      const { memory, writer } = writerOn(store);
      const length = Math.max(0, chunks * chunkBytes + bytesBeyond);
      await writer.write(Buffer.alloc(length));
      await writer.pause();
      await writer.close();
      expect(store.objects.size).toBe(Math.floor(length / chunkBytes));
      expect(memory.held).toBe(0);
    },
  );

  test('and a writer that goes on after it store what one writer would have', async () => {
    const content = deterministicRandom('paused').bytes(2 * chunkBytes + 5);
    const [whole, parts] = [memoryObjectStore(), memoryObjectStore()];
    const { writer: alone } = writerOn(whole);
    await alone.write(content);
    await alone.finish();
    const { writer: first } = writerOn(parts);
    await first.write(content.subarray(0, chunkBytes + 7));
    await first.pause();
    await first.close();
    const { writer: second } = writerOn(parts, { object: 1, segment: segmentsPerChunk });
    await second.write(content.subarray(chunkBytes));
    await second.finish();
    expect(second.layout).toEqual({ runs: [], chunkCount: 3 });
    expect([...parts.objects.keys()]).toEqual([...whole.objects.keys()]);
    for (const [key, sealed] of whole.objects) expect(parts.objects.get(key)?.equals(sealed)).toBe(true);
  });

  test('waits for what is on its way, and fails with it', async () => {
    const { waiting, objects } = heldStore();
    const { writer } = writerOn(objects);
    await writer.write(Buffer.alloc(chunkBytes));
    let paused = false;
    const pausing = writer.pause().finally(() => (paused = true));
    await expect.poll(() => waiting.length).toBe(1);
    await settle();
    expect(paused).toBe(false);
    waiting[0]?.finish(new Error('lost'));
    await expect(pausing).rejects.toThrow('lost');
  });
});

describe('a writer that is asked for its memory', () => {
  const content = deterministicRandom('flushed').bytes(300 * segmentBytes);
  const plan = fc.record({
    size: fc.integer({ min: 0, max: content.length }),
    pieces: fc.array(fc.integer({ min: 1, max: 40 * segmentBytes }), { minLength: 1, maxLength: 12 }),
    /** Before which writes, and before which slabs, the writer is asked to free memory; both lists repeat. */
    betweenWrites: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
    beforeSlabs: fc.array(fc.boolean(), { minLength: 1, maxLength: 101 }),
  });

  test.prop([plan], { numRuns: 12 })(
    'whenever and however often, stores what is read back as it was written, and nothing else',
    async ({ size, pieces, betweenWrites, beforeSlabs }) => {
      const store = memoryObjectStore();
      const put: ObjectStore['put'] = async (key, body, signal) => {
        expect(store.objects.has(key)).toBe(false);
        await settle();
        await store.put(key, body, signal);
      };
      let takes = 0;
      let recorded: readonly ChunkRun[] = [];
      const stored: number[] = [];
      const { writer, memory } = writerOn(
        { ...store, put },
        {
          onTake: (flush) => void (beforeSlabs[takes++ % beforeSlabs.length] && flush()),
          ledger: {
            beginRun: async (runs) => void (recorded = runs),
            stored: async (segment) => void stored.push(segment),
          },
        },
      );
      for (let [start, nth] = [0, 0]; start < size; nth += 1) {
        if (betweenWrites[nth % betweenWrites.length]) memory.flush();
        const end = Math.min(size, start + (pieces[nth % pieces.length] as number));
        await writer.write(content.subarray(start, end));
        start = end;
      }
      await writer.finish();
      await writer.close();
      memory.flush();
      expect(memory.held).toBe(0);
      const { runs, chunkCount } = writer.layout;
      expect(runs).toEqual(recorded);
      const { keys } = takeKeys({ id: 'file', runs, chunkCount }, Number.POSITIVE_INFINITY);
      expect(keys.toSorted()).toEqual([...store.objects.keys()].toSorted());
      expect(stored).toEqual(stored.toSorted((a, b) => a - b));
      expect(stored.at(-1)).toBe(Math.max(1, Math.ceil(size / segmentBytes)));
      expect((await openFile(store, written(writer, size))).equals(content.subarray(0, size))).toBe(true);
    },
  );

  describe('and is slow', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['performance'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });
    const segment = (nth: number) => content.subarray(nth * segmentBytes, (nth + 1) * segmentBytes);

    test('holds a couple of slabs from then on', async () => {
      const budget = new MemoryBudget({
        slabBytes: sealedSegmentBytes,
        bytes: 40 * sealedSegmentBytes,
        waitMs: 10,
        maxWaiting: 9,
      });
      const store = memoryObjectStore();
      const slow = writerOn(store, { budget });
      for (let nth = 0; nth < 20; nth += 1) {
        vi.advanceTimersByTime(1_000);
        await slow.writer.write(segment(nth));
      }
      expect(slow.memory.held).toBe(20);
      const other = budget.openShare('another', 1, { flush: () => undefined, signal: slow.stop.signal });
      const taken = [];
      for (let nth = 0; nth < 11; nth += 1) taken.push(await other.acquire());
      await settle();
      expect(slow.memory.held).toBe(1);
      slow.memory.maxHeld = 0;
      for (let nth = 20; nth < 60; nth += 1) {
        vi.advanceTimersByTime(1_000);
        await slow.writer.write(segment(nth));
        await settle();
      }
      expect(slow.memory.maxHeld).toBeLessThanOrEqual(3);
      for (const slab of taken) other.release(slab);
      await slow.writer.finish();
      expect(
        (await openFile(store, written(slow.writer, 60 * segmentBytes))).equals(content.subarray(0, 60 * segmentBytes)),
      ).toBe(true);
      await slow.writer.close();
      expect(budget.heldBytes).toBe(0);
    });

    test.each([
      ['stays with small chunks while it is', 200, 1],
      ['goes back to large ones when it is fast again', 1, segmentsPerChunk],
    ])('%s', async (_what, msPerSegment, chunkSize) => {
      const store = memoryObjectStore();
      const { writer, memory } = writerOn(store);
      await writer.write(content.subarray(0, 3 * segmentBytes));
      memory.flush();
      expect(writer.layout.runs.at(-1)).toMatchObject({ segmentsPerChunk: 1 });
      for (let nth = 3; nth < 103; nth += 1) {
        vi.advanceTimersByTime(msPerSegment);
        await writer.write(segment(nth));
      }
      expect(writer.layout.runs.at(-1)).toMatchObject({ segmentsPerChunk: chunkSize });
      await writer.finish();
      await writer.close();
      expect(memory.held).toBe(0);
      const size = 103 * segmentBytes;
      expect((await openFile(store, written(writer, size))).equals(content.subarray(0, size))).toBe(true);
    });

    test('again and again has a bounded number of runs', async () => {
      const { writer, memory } = writerOn({ ...memoryObjectStore(), put: async () => undefined });
      for (let nth = 0; nth < 80 * 70; nth += 1) {
        memory.flush();
        await writer.write(content.subarray(0, 2 * segmentBytes));
      }
      expect(writer.layout.runs.length).toBeLessThanOrEqual(100);
      await writer.close();
      expect(memory.held).toBe(0);
    });
  });
});
