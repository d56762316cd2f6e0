import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { memoryObjectStore } from '../../testing/memory-object-store.ts';
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
  options: { pool?: CountingPool; beforeChunk?: (chunk: number) => Promise<void> } = {},
) {
  const pool = options.pool ?? new CountingPool();
  const stop = new AbortController();
  const beforeChunk = options.beforeChunk ?? (async () => undefined);
  const writer = new SealedWriter({ objects, buffers: pool, seal, signal: stop.signal, beforeChunk });
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
