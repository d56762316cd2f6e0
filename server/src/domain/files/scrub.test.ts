import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { removeFile } from '../drafts/change-draft.ts';
import { placeHold } from '../holds/change-holds.ts';
import { LostKey } from '../keys/wrapping.ts';
import { scrubAlone } from './scrub.ts';
import { chunkBytes, chunkKey } from './sealing.ts';

/** Each test has its own files, because a pass reads them all. */
async function newExchange() {
  const exchange = await openTestExchange(memoryObjectStore());
  opened.push(exchange);
  const actor = await exchange.account();
  const ids = async () => {
    const rows = await exchange.database.query<{ name: string; id: string }>('select name, id from files');
    return Object.fromEntries(rows.map(({ name, id }) => [name, id]));
  };
  const found = async () =>
    (await exchange.engines.store.scrub.damaged(undefined, 100))
      .map(({ name, problem, object }) => `${name} ${problem} ${object.slice(-2)}`)
      .toSorted();
  return { ...exchange, actor, objects: exchange.engines.objects.objects, ids, found };
}
const opened: TestExchange[] = [];
let large: Buffer;
beforeAll(() => {
  large = randomBytes(2 * chunkBytes + 5);
});
afterAll(async () => {
  for (const exchange of opened) await exchange[Symbol.asyncDispose]();
});

test('a damaged, a missing, a cut and a swapped object are each found, and nothing else is', async () => {
  const { engines, actor, upload, objects, ids, found } = await newExchange();
  const names = ['good', 'empty', 'altered', 'missing', 'cut', 'swapped', 'exchanged', 'large', 'other-digest'];
  for (const name of names) await upload(actor, name, name === 'large' ? large : name === 'empty' ? '' : undefined);
  const id = await ids();
  const of = (name: string, chunk = 0) => chunkKey(id[name] ?? '', chunk);
  const get = (key: string) => objects.get(key) as Buffer;

  expect(await scrubAlone(engines)).toMatchObject({ files: names.length, completedAt: expect.any(Date) });
  expect(await found()).toEqual([]);

  get(of('altered')).writeUInt8(get(of('altered')).readUInt8(3) ^ 1, 3);
  objects.delete(of('missing'));
  objects.set(of('cut'), get(of('cut')).subarray(1));
  const [swapped, exchanged] = [get(of('swapped')), get(of('exchanged'))];
  objects.set(of('swapped'), exchanged);
  objects.set(of('exchanged'), swapped);
  objects.set(of('large', 1), get(of('large', 0)));
  await opened.at(-1)?.database.query(`update files set sha256 = sha256('x') where name = 'other-digest'`);
  const before = objects.size;
  await scrubAlone(engines);
  expect(await found()).toEqual([
    'altered damaged 00',
    'cut damaged 00',
    'exchanged damaged 00',
    'large damaged 01',
    'missing missing 00',
    'other-digest digest 00',
    'swapped damaged 00',
  ]);
  expect(objects.size).toBe(before);

  // Restored from a backup, they read well again.
  objects.set(of('swapped'), swapped);
  objects.set(of('exchanged'), exchanged);
  await scrubAlone(engines);
  expect(await found()).not.toContain('swapped damaged 00');
  expect(await engines.store.scrub.countDamaged()).toBe(5);
});

test('a file that is kept only by a legal hold is read too', async () => {
  const { engines, actor, upload, objects, ids, found } = await newExchange();
  const account = { id: actor.accountId, email: actor.email };
  await upload(actor, 'held');
  const { held } = await ids();
  await placeHold(engines, account, { dropId: null, name: 'case', reason: 'x', by: 'someone' });
  await removeFile(engines, actor, '', 'held');
  objects.delete(chunkKey(held ?? '', 0));
  await scrubAlone(engines);
  expect(await found()).toEqual(['held missing 00']);
});

test('a pass that was interrupted goes on where it was, within a file too', async () => {
  const { engines, actor, upload, objects, ids, found } = await newExchange();
  await upload(actor, 'large', large);
  await upload(actor, 'missing');
  objects.delete(chunkKey((await ids())['missing'] ?? '', 0));
  const stopping = new AbortController();
  const read: string[] = [];
  const counting = {
    ...engines,
    objects: {
      ...engines.objects,
      read: (key: string, part: { offset: number; length: number }, signal: AbortSignal) => {
        if (!signal.aborted) read.push(key.slice(-2));
        return engines.objects.read(key, part, signal);
      },
    },
  };
  const interrupted = scrubAlone(counting, { signal: stopping.signal, onProgress: () => stopping.abort() });
  await expect(interrupted).rejects.toThrow('aborted');
  expect(read.splice(0)).toEqual(['00']);
  expect(await engines.store.scrub.pass()).toMatchObject({ completedAt: null, position: { objects: 1 } });
  expect(await scrubAlone(counting)).toMatchObject({ files: 2, bytes: expect.any(Number) });
  expect(read.splice(0)).toEqual(['01', '02', '00', '00']);
  expect(await found()).toEqual(['missing missing 00']);

  // The findings of the pass survive in the process that continues it.
  await opened.at(-1)?.database.query('update scrub set completed_at = null');
  await scrubAlone(counting);
  expect(await found()).toEqual(['missing missing 00']);
});

test('files that end while they are read are not called damaged', async () => {
  const { engines, actor, upload, objects, found, database } = await newExchange();
  await upload(actor, 'ending');
  const read = async (...parameters: Parameters<typeof engines.objects.read>) => {
    await database.query(`update files set state = 'deleting', wrapped_key = null, lease_until = now()`);
    objects.clear();
    return engines.objects.read(...parameters);
  };
  await scrubAlone({ ...engines, objects: { ...engines.objects, read } });
  expect(await found()).toEqual([]);
  expect(await database.query('select * from damaged_files')).toEqual([]);
});

test('damage on the way from the store is not damage', async () => {
  const { engines, actor, upload, found } = await newExchange();
  await upload(actor, 'flipped');
  let reads = 0;
  const read = async (...parameters: Parameters<typeof engines.objects.read>) => {
    const bytes = await engines.objects.read(...parameters);
    reads += 1;
    if (reads === 1) bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
    return bytes;
  };
  await scrubAlone({ ...engines, objects: { ...engines.objects, read } });
  expect([reads, await found()]).toEqual([2, []]);
});

test('without the right master key, nothing is called damaged', async () => {
  const { engines, actor, upload, found } = await newExchange();
  await upload(actor, 'a file');
  const masterKeys = { ...engines.masterKeys, unwrap: () => Promise.reject(new LostKey('another key')) };
  await expect(scrubAlone({ ...engines, masterKeys })).rejects.toThrow('does not open what is stored');
  expect(await found()).toEqual([]);
});

test('a worker begins a pass when one is due, continues any, and never two at once', async () => {
  const { engines, actor, upload, database } = await newExchange();
  await upload(actor, 'a file');
  const weekly = { restSeconds: 7 * 86_400 };
  const [first, second] = await Promise.all([scrubAlone(engines, weekly), scrubAlone(engines, weekly)]);
  expect([first, second].filter(Boolean)).toHaveLength(1);
  expect(await scrubAlone(engines, weekly)).toBeUndefined();
  await database.query(`update scrub set started_at = now() - interval '7 days'`);
  expect(await scrubAlone(engines, weekly)).toBeDefined();
  await database.query('update scrub set completed_at = null');
  expect(await scrubAlone(engines, weekly)).toBeDefined();
});
