import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { memoryObjectStore } from '../../testing/memory-object-store.ts';
import { deterministicRandom } from '../../testing/random.ts';
import { CountingPool } from '../../testing/sealed-file.ts';
import type { ObjectStore } from '../ports.ts';
import { chunkBytes, chunkKey } from './sealing.ts';
import { SealedWriter } from './write-sealed.ts';

const seal = { dataKey: Buffer.alloc(32, 1), fileId: 'file' };
const megabyte = Buffer.alloc(1024 * 1024, 1);

/** Holds every PUT until the test lets it go. */
function heldStore() {
  const waiting: { key: string; finish: (error?: Error) => void }[] = [];
  const put: ObjectStore['put'] = (key, _body, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      waiting.push({ key, finish: (error) => (error ? reject(error) : resolve()) });
    });
  return { waiting, objects: { ...memoryObjectStore(), put } };
}

function writerOn(
  objects: ObjectStore,
  {
    pool = new CountingPool(),
    ...options
  }: { pool?: CountingPool } & Partial<
    Pick<ConstructorParameters<typeof SealedWriter>[0], 'beforeChunk' | 'afterChunk' | 'putsInFlight' | 'firstChunk'>
  > = {},
) {
  const stop = new AbortController();
  const beforeChunk = async () => undefined;
  const writer = new SealedWriter({ objects, buffers: pool, seal, signal: stop.signal, beforeChunk, ...options });
  return { pool, stop, writer };
}

async function writeAll(writer: SealedWriter, megabytes: number): Promise<number> {
  for (let count = 0; count < megabytes; count += 1) await writer.write(megabyte);
  return writer.finish();
}

/** Lets everything run that does not wait for the test. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('memory', () => {
  test('holds at most five buffers and does not read on while four chunks are on their way', async () => {
    const { waiting, objects } = heldStore();
    const { pool, writer } = writerOn(objects);
    let written = 0;
    const upload = (async () => {
      for (; written < 80; written += 1) await writer.write(megabyte);
      return writer.finish();
    })();
    await expect.poll(() => waiting.length).toBe(4);
    await settle();
    const stalledAt = written;
    await settle();
    expect(written).toBe(stalledAt);
    expect(written).toBeLessThanOrEqual(41);
    expect([pool.out, waiting.length]).toEqual([5, 4]);
    for (let done = 0; done < 10; done += 1) {
      await expect.poll(() => waiting.length).toBeGreaterThan(done);
      waiting[done]?.finish();
    }
    expect(await upload).toBe(10);
    expect([pool.mostOut, pool.out]).toEqual([5, 0]);
  });

  test.prop([fc.nat(3), fc.nat(3)], { numRuns: 8 })(
    'returns every buffer when a PUT fails',
    async (failing, chunks) => {
      const memory = memoryObjectStore();
      const put: ObjectStore['put'] = async (key, body, signal) => {
        if (key === chunkKey('file', failing)) throw new Error('refused');
        await memory.put(key, body, signal);
      };
      const { pool, writer } = writerOn({ ...memory, put });
      const upload = writeAll(writer, chunks * 8 + 1);
      if (failing <= chunks) await expect(upload).rejects.toThrow('refused');
      else await upload;
      await writer.close();
      expect(pool.out).toBe(0);
    },
  );

  test('returns every buffer when the upload is aborted with chunks on their way', async () => {
    const { waiting, objects } = heldStore();
    const { pool, stop, writer } = writerOn(objects);
    const upload = expect(writeAll(writer, 80)).rejects.toThrow('aborted');
    await expect.poll(() => waiting.length).toBe(4);
    stop.abort();
    await upload;
    await writer.close();
    expect(pool.out).toBe(0);
  });

  test('returns every buffer when a chunk number cannot be reserved', async () => {
    const refuse = async (chunk: number) => {
      if (chunk === 1) throw new Error('swept');
    };
    const { pool, writer } = writerOn(memoryObjectStore(), { beforeChunk: refuse });
    await expect(writeAll(writer, 20)).rejects.toThrow('swept');
    await writer.close();
    expect(pool.out).toBe(0);
  });

  test('fails when no buffer becomes free, and then holds none', async () => {
    const { objects } = heldStore();
    const { pool, writer, stop } = writerOn(objects, { pool: new CountingPool(1) });
    await expect(writeAll(writer, 9)).rejects.toMatchObject({ code: 'unavailable' });
    stop.abort();
    await writer.close();
    expect(pool.out).toBe(0);
  });
});

test('reserves every chunk number before its first byte leaves', async () => {
  const events: string[] = [];
  const memory = memoryObjectStore();
  const put: ObjectStore['put'] = async (key, body, signal) => {
    events.push(`put ${key}`);
    await memory.put(key, body, signal);
  };
  const { writer } = writerOn(
    { ...memory, put },
    {
      beforeChunk: async (chunk) => {
        await settle();
        events.push(`reserve ${chunk}`);
      },
    },
  );
  expect(await writeAll(writer, 17)).toBe(3);
  for (const chunk of [0, 1, 2]) {
    expect(events.indexOf(`reserve ${chunk}`)).toBeGreaterThanOrEqual(0);
    expect(events.indexOf(`reserve ${chunk}`)).toBeLessThan(events.indexOf(`put ${chunkKey('file', chunk)}`));
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
  const memory = memoryObjectStore();
  const { writer, pool } = writerOn(memory);
  expect(await writer.finish()).toBe(1);
  expect(memory.objects.size).toBe(1);
  expect(pool.out).toBe(0);
  expect(chunkBytes).toBe(8 * 1024 * 1024);
});

describe('one chunk at a time', () => {
  test('is stored, and then called stored, before the next one leaves', async () => {
    const { waiting, objects } = heldStore();
    const events: string[] = [];
    const { pool, writer } = writerOn(objects, {
      putsInFlight: 1,
      afterChunk: async (chunk) => {
        await settle();
        events.push(`stored ${chunk}, ${waiting.length} sent`);
      },
    });
    const upload = writeAll(writer, 17);
    for (let chunk = 0; chunk < 3; chunk += 1) {
      await expect.poll(() => waiting.length).toBe(chunk + 1);
      await settle();
      expect(waiting).toHaveLength(chunk + 1);
      waiting[chunk]?.finish();
    }
    expect(await upload).toBe(3);
    expect(events).toEqual(['stored 0, 1 sent', 'stored 1, 2 sent', 'stored 2, 3 sent']);
    expect([pool.mostOut, pool.out]).toEqual([2, 0]);
  });

  test('no other leaves after one that cannot be called stored', async () => {
    const memory = memoryObjectStore();
    const { pool, writer } = writerOn(memory, {
      putsInFlight: 1,
      afterChunk: () => Promise.reject(new Error('superseded')),
    });
    await expect(writeAll(writer, 24)).rejects.toThrow('superseded');
    await writer.close();
    expect([[...memory.objects.keys()], pool.out]).toEqual([[chunkKey('file', 0)], 0]);
  });

  test('is not called stored when it was not', async () => {
    const called: number[] = [];
    const { writer } = writerOn(
      { ...memoryObjectStore(), put: () => Promise.reject(new Error('refused')) },
      { putsInFlight: 1, afterChunk: async (chunk) => void called.push(chunk) },
    );
    await expect(writeAll(writer, 9)).rejects.toThrow('refused');
    expect(called).toEqual([]);
  });
});

describe('a pause', () => {
  test.prop([fc.integer({ min: -2, max: 2 }), fc.nat(2)], { numRuns: 15 })(
    'stores the whole chunks and nothing of what lies behind them',
    async (bytesBeyond, chunks) => {
      const memory = memoryObjectStore();
      const { pool, writer } = writerOn(memory);
      const length = Math.max(0, chunks * chunkBytes + bytesBeyond);
      await writer.write(Buffer.alloc(length));
      await writer.pause();
      await writer.close();
      expect(memory.objects.size).toBe(Math.floor(length / chunkBytes));
      expect(pool.out).toBe(0);
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
    const { writer: second } = writerOn(parts, { firstChunk: 1 });
    await second.write(content.subarray(chunkBytes));
    expect(await second.finish()).toBe(3);
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
