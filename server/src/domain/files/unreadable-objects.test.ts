import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { openFailingStore, startFailingObjects } from '../../../test/failing-object.ts';
import { createEmptyBucket } from '../../../test/object-store.ts';
import type { Actor } from '../actor.ts';
import { removeFile } from '../drafts/change-draft.ts';
import { sweep } from '../sweep.ts';
import { scrubAlone } from './scrub.ts';
import { chunkKey } from './sealing.ts';
import { deleteObjects } from './sweep-files.ts';

const closing: (() => Promise<void> | void)[] = [];
let s3: Awaited<ReturnType<typeof startFailingObjects>>;
const failing = new Set<string>();
let exchange: TestExchange;
let actor: Actor;
const reports: Readonly<Record<string, string | number>>[] = [];
beforeAll(async () => {
  s3 = await startFailingObjects(failing);
  const bucket = await createEmptyBucket();
  const objects = openFailingStore(s3, failing, bucket.name);
  exchange = await openTestExchange(objects, objects);
  exchange.engines.logger.warn = (_event, details) => void reports.push(details);
  actor = await exchange.account();
  closing.push(() => objects.close());
  for (const each of [exchange, bucket, s3]) closing.push(async () => each[Symbol.asyncDispose]());
});
afterAll(async () => {
  for (const close of closing) await close();
});

const names = ['a', 'b', 'c', 'd'];
const findKey = async (name: string) => {
  const [file] = await exchange.database.query<{ id: string }>('select id from files where name = $1', [name]);
  return chunkKey(file?.id ?? '', 0);
};
const damaged = () => exchange.engines.store.scrub.damaged(undefined, 10);
const undeleted = () => exchange.engines.store.undeletedObjects.list(undefined, 10);

test('an object for which the store always fails is recorded, stops neither the scrub nor a deletion, and is tried again', async () => {
  const { engines, database } = exchange;
  for (const name of names) await exchange.upload(actor, name);
  const bad = await findKey('b');
  failing.add(bad);
  expect(await scrubAlone(engines)).toMatchObject({ files: names.length, completedAt: expect.any(Date) });
  expect(await damaged()).toMatchObject([{ name: 'b', problem: 'unreadable', object: bad }]);

  for (const name of names) await removeFile(engines, actor, '', name);
  reports.length = 0;
  expect(await sweep(engines)).toMatchObject({ files: names.length, objects: names.length - 1 });
  expect(reports).toEqual([{ object: bad, objects: 1 }]);
  expect(await undeleted()).toMatchObject([{ key: bad, attempts: 1 }]);
  expect(await database.query('select from files')).toEqual([]);

  // It is not due yet, then it fails again and waits longer, then it is deleted.
  const makeDue = () => database.query('update undeleted_objects set due_at = now()');
  await sweep(engines);
  expect(await undeleted()).toMatchObject([{ key: bad, attempts: 1 }]);
  await makeDue();
  await sweep(engines);
  expect(await undeleted()).toMatchObject([{ key: bad, attempts: 2 }]);
  failing.clear();
  await makeDue();
  await sweep(engines);
  expect(await undeleted()).toEqual([]);
  await expect(engines.objects.read(bad, { offset: 0, length: 1 }, new AbortController().signal)).rejects.toMatchObject(
    { code: 'damaged' },
  );
});

test('a store that fails for every object is away: nothing is recorded', async () => {
  const { engines } = exchange;
  await exchange.upload(actor, 'e');
  await engines.store.scrub.begin();
  s3.isAway = true;
  await expect(scrubAlone(engines, { fromStart: true })).rejects.toMatchObject({ code: 'unavailable' });
  await expect(engines.objects.delete([await findKey('e')])).rejects.toMatchObject({ code: 'unavailable' });
  s3.isAway = false;
  const keys = Array.from({ length: 60 }, (_, index) => chunkKey('none', index));
  for (const key of keys) failing.add(key);
  await expect(deleteObjects(engines, keys)).rejects.toMatchObject({ code: 'unavailable' });
  failing.clear();
  expect(await damaged()).toEqual([]);
  expect(await undeleted()).toEqual([]);
});
