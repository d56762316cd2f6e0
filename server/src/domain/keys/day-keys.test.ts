import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestExchange, type TestExchange, testPolicy } from '../../../test/exchange.ts';
import { collectFindings, expectTrouble } from '../../../test/findings.ts';
import { type MemoryObjectStore, memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { buildTestServer, testHost } from '../../../test/server.ts';
import type { Actor } from '../actor.ts';
import { dispatchDraft } from '../drops/dispatch-draft.ts';
import { extendDrop } from '../drops/extend-drop.ts';
import { MissingObject } from '../exchange-error.ts';
import { scrubAlone } from '../files/scrub.ts';
import type { ScrubStore } from '../files/scrub-store.ts';
import type { Scanner, Verdict } from '../ports/scanner.ts';
import { sweep } from '../sweep.ts';
import { DayKeys, toDay } from './day-keys.ts';
import { examineDayKeys } from './examine-day-keys.ts';
import { LostKey } from './wrapping.ts';

const daySeconds = 86_400;
let exchange: TestExchange;
let objects: MemoryObjectStore;
beforeAll(async () => {
  objects = memoryObjectStore();
  exchange = await openTestExchange(memoryObjectStore(), objects);
});
afterAll(() => exchange[Symbol.asyncDispose]());

/** Keys as another process has them, or one whose clock is this many days behind. */
function otherDayKeys({ daysAgo = 0 } = {}): DayKeys {
  const { store, masterKeys, random } = exchange.engines;
  const clock = async () => (await store.dayKeys.clock()) - daysAgo * daySeconds;
  return new DayKeys({ store: { ...store, dayKeys: { ...store.dayKeys, clock } }, objects, masterKeys, random });
}

/** The day it is in this many days, as a request sees it. */
const inDays = (days: number) => toDay(Date.now() / 1000 + 600) + days;

async function daysOfFiles(actor: Actor): Promise<Record<string, number>> {
  const rows = await exchange.database.query<{ name: string; day: number }>(
    'select name, key_day as day from files where account_id = $1 and wrapped_key is not null',
    [actor.accountId],
  );
  return Object.fromEntries(rows.map(({ name, day }) => [name, day]));
}

const existing = async () => (await exchange.engines.store.dayKeys.list()).map(({ day }) => day);

/** As if it had been there for a while. */
const age = () => exchange.database.query(`update day_key_objects set created_at = created_at - interval '1 hour'`);

test('processes that need the key of a day at the same time all get the same one', async () => {
  const file = randomBytes(32);
  const wrapped = await Promise.all(
    Array.from({ length: 8 }, () => otherDayKeys().wrap(file, 'a file', 20 * daySeconds)),
  );
  for (const { wrapped: key, day } of wrapped) {
    expect(day).toBe(inDays(20));
    expect(await otherDayKeys().unwrap(key, day, 'a file')).toEqual(file);
    await expect(otherDayKeys().unwrap(key, day, 'another file')).rejects.toThrow();
  }
  const found = await exchange.engines.store.dayKeys.find(inDays(20));
  await age();
  await exchange.engines.dayKeys.destroy(0);
  expect([...objects.objects.keys()]).toEqual([`day-keys/${found?.objectId}`]);
});

test('the key of a file is wrapped until tomorrow, then until its drop ends, and again when the drop is extended', async () => {
  const sender = await exchange.account('r@example.org');
  const names = Array.from({ length: 50 }, (_, number) => `file ${number}`);
  await exchange.prepare(sender, ['r@example.org'], names);
  const all = (day: number) => Object.fromEntries(names.map((name) => [name, day]));
  expect(await daysOfFiles(sender)).toEqual(all(inDays(1)));
  const dropId = await dispatchDraft(
    exchange.engines,
    sender,
    { draft: '', parameters: { desttime: 5 } },
    'downloadfiles',
  );
  expect(await daysOfFiles(sender)).toEqual(all(inDays(5)));
  const account = { id: sender.accountId, email: sender.email } as Parameters<typeof extendDrop>[1];
  await extendDrop(exchange.engines, account, dropId ?? '', new Date(Date.now() + 9 * daySeconds * 1000));
  expect(await daysOfFiles(sender)).toEqual(all(inDays(9)));
  const [drop] = await exchange.database.query<{ key_day: number }>('select key_day from drops where id = $1', [
    dropId,
  ]);
  expect(Number(drop?.key_day)).toBe(inDays(9));
  const tooLong = extendDrop(exchange.engines, account, dropId ?? '', new Date(Date.now() + 900 * daySeconds * 1000));
  await expect(tooLong).rejects.toMatchObject({ code: 'invalid_input' });
  expect(Math.max(...(await existing()))).toBeLessThanOrEqual(inDays(testPolicy.lifetime.max));
});

describe('when a day is over', () => {
  test('its key is destroyed, once nothing is wrapped by it; what is not sent yet is wrapped again', async () => {
    const sender = await exchange.account('r@example.org');
    const past = { ...exchange, engines: { ...exchange.engines, dayKeys: otherDayKeys({ daysAgo: 4 }) } };
    Object.assign(exchange.engines, past.engines);
    await exchange.drop(sender, ['r@example.org'], ['sent']);
    await exchange.upload(sender, 'staged');
    const dayKeys = otherDayKeys();
    Object.assign(exchange.engines, { dayKeys });
    // The drop lives for seven days; with a clock that is four days behind, its key is one of three days from now.
    expect(await daysOfFiles(sender)).toEqual({ sent: inDays(3), staged: inDays(-3) });
    await age();
    await sweep(exchange.engines);
    expect(await daysOfFiles(sender)).toEqual({ sent: inDays(3), staged: inDays(1) });
    expect(await existing()).not.toContain(inDays(-3));
    await expect(otherDayKeys().open(inDays(-3))).rejects.toMatchObject({ code: 'damaged' });
    expect(await dayKeys.destroy(-60 * daySeconds)).toBeGreaterThan(0);
    expect(await existing()).toEqual(expect.arrayContaining([inDays(1), inDays(3)]));
  });

  test('a drop that ends in the meantime takes its key with it, and one under a legal hold keeps it', async () => {
    const sender = await exchange.account('r@example.org');
    Object.assign(exchange.engines, { dayKeys: otherDayKeys({ daysAgo: 9 }) });
    await exchange.drop(sender, ['r@example.org'], ['held']);
    Object.assign(exchange.engines, { dayKeys: otherDayKeys() });
    const day = inDays(-2);
    expect(await daysOfFiles(sender)).toEqual({ held: day });
    const { store, random } = exchange.engines;
    const id = random.uuid();
    const hold = { id, accountId: sender.accountId, dropId: null, name: 'x', reason: 'x', placedBy: 'x' };
    await store.transaction((tx) => tx.holds.place(hold));
    await exchange.expireAll(sender, '2 days');
    await sweep(exchange.engines);
    expect(await daysOfFiles(sender)).toEqual({ held: day });
    expect(await existing()).toContain(day);
    await store.holds.release(id, 'x');
    await sweep(exchange.engines);
    expect(await daysOfFiles(sender)).toEqual({});
    expect(await existing()).not.toContain(day);
  });
});

describe('while the sweep wraps keys again and destroys the key of a day that is over', () => {
  /** Engines of a process that keeps no day key in memory, as after an hour; what they begin, they begin days ago. */
  const makeEngines = (daysAgo: number) => ({
    ...exchange.engines,
    dayKeys: Object.assign(otherDayKeys({ daysAgo }), {
      unwrap: (...key: Parameters<DayKeys['unwrap']>) => otherDayKeys().unwrap(...key),
    }),
  });
  const endDay = async (day: number) => {
    expect(await existing()).toContain(day);
    await age();
    await sweep(makeEngines(0));
    expect(await existing()).not.toContain(day);
  };

  test('a form goes on to its end, also if its scan has to be made again', async () => {
    const sender = await exchange.account();
    const scan = (verdict: Verdict) => ({
      write: async () => undefined,
      early: undefined,
      verdict: async () => verdict,
      abandon: () => undefined,
    });
    const scanner: Scanner = {
      maxBytes: Number.POSITIVE_INFINITY,
      begin: (source) =>
        scan(source === 'arriving' ? { result: 'unscanned', why: 'interrupted' } : { result: 'clean' }),
    };
    const app = buildTestServer(exchange, {
      ...makeEngines(5),
      scanner,
      policy: { ...testPolicy, scan: 'required' },
      csrfTokens: { mint: async () => '', accept: async () => true },
    });
    const body = async function* () {
      yield '--x\r\nContent-Disposition: form-data; name="do"\r\n\r\nupload\r\n';
      yield `--x\r\nContent-Disposition: form-data; name="file"; filename="slow"\r\n\r\n${'.'.repeat(100_000)}`;
      const begun = () => exchange.database.query('select from uploads where account_id = $1', [sender.accountId]);
      await expect.poll(begun).toHaveLength(1);
      await endDay(inDays(-4));
      yield 'the rest\r\n--x--\r\n';
    };
    const response = await app.inject({
      method: 'POST',
      url: `/${sender.email}/cgi/upload.cgi`,
      headers: {
        host: testHost,
        authorization: `Basic ${Buffer.from(`${sender.email}:${sender.apiKey}`).toString('base64')}`,
        'csrf-token': 'x'.repeat(43),
        'content-type': 'multipart/form-data; boundary=x',
      },
      payload: Readable.from(body()),
    });
    await app.close();
    expect([response.statusCode, response.body]).toEqual([200, '{"status":"done"}']);
    expect(await daysOfFiles(sender)).toEqual({ slow: inDays(1) });
  });

  test('a scrub finds no damage in files whose keys it read before', async () => {
    const sender = await exchange.account();
    const engines = makeEngines(6);
    Object.assign(exchange.engines, { dayKeys: engines.dayKeys });
    await exchange.upload(sender, 'staged');
    Object.assign(exchange.engines, { dayKeys: otherDayKeys() });
    expect(await daysOfFiles(sender)).toEqual({ staged: inDays(-5) });
    let pages = 0;
    const filesFrom: ScrubStore['filesFrom'] = async (...position) => {
      const page = await engines.store.scrub.filesFrom(...position);
      pages += 1;
      if (pages === 1) await endDay(inDays(-5));
      return page;
    };
    const store = { ...engines.store, scrub: { ...engines.store.scrub, filesFrom } };
    const pass = await scrubAlone({ ...engines, dayKeys: otherDayKeys(), store }, { fromStart: true });
    expect(pass?.completedAt).toBeInstanceOf(Date);
    expect(await daysOfFiles(sender)).toEqual({ staged: inDays(1) });
    const damaged = await engines.store.scrub.damaged(undefined, 100);
    expect(damaged.filter(({ accountId }) => accountId === sender.accountId)).toEqual([]);
  });
});

test('the doctor names day keys that are lost', async () => {
  const { store, masterKeys } = exchange.engines;
  const examination = (keys = masterKeys) => examineDayKeys({ store, masterKeys: keys, dayKeys: otherDayKeys() });
  await otherDayKeys().wrap(randomBytes(32), 'a file', 28 * daySeconds);
  expect(await collectFindings(examination())).toMatchObject([{ status: 'ok', check: 'keys.days' }]);
  const { objectId } = (await store.dayKeys.find(inDays(28))) as { objectId: string };
  const object = objects.objects.get(`day-keys/${objectId}`) as Buffer;
  objects.objects.delete(`day-keys/${objectId}`);
  await expectTrouble(examination(), 'fault keys.days');
  objects.objects.set(`day-keys/${objectId}`, object);
  // A bucket that has none of them is another one.
  const otherBucket = { fetch: () => Promise.reject(new MissingObject()) };
  expect(await collectFindings(examineDayKeys({ store, masterKeys, dayKeys: otherBucket as never }))).toMatchObject([
    {
      status: 'fault',
      check: 'keys.days',
      remedy: expect.stringMatching(/looks like another bucket: correct WAYBILL_S3_BUCKET/),
    },
  ]);
  // Another master key under the same version: nothing is lost.
  const other = { ...masterKeys, unwrap: () => Promise.reject(new LostKey('another key')) };
  await expectTrouble(examination(other), 'fault keys.master');
});

test('an object whose writer died is deleted, and one that comes too late is not used', async () => {
  const { store, random, dayKeys } = exchange.engines;
  const objectId = random.uuid();
  await store.dayKeys.announce(objectId);
  await objects.put(`day-keys/${objectId}`, [randomBytes(60)], new AbortController().signal);
  await dayKeys.destroy(0);
  expect(objects.objects.has(`day-keys/${objectId}`)).toBe(true);
  await age();
  const late = { day: inDays(25), objectId, objectBytes: 60, version: 1 };
  expect(await store.dayKeys.choose(late, undefined)).toBe(false);
  await dayKeys.destroy(0);
  expect(objects.objects.has(`day-keys/${objectId}`)).toBe(false);
});

test('a key counts as destroyed once its object is deleted, and the store may need several attempts for that', async () => {
  const { store, dayKeys } = exchange.engines;
  await otherDayKeys({ daysAgo: 40 }).wrap(randomBytes(32), 'a file', daySeconds);
  await age();
  const countDestroyed = async () => {
    const day = new Date(inDays(-39) * daySeconds * 1000).toISOString().slice(0, 10);
    const found = `select from evidence_entries where kind = 'key.destroyed' and data ->> 'day' = $1`;
    return (await exchange.database.query(found, [day])).length;
  };
  const { delete: deleteObjects } = objects;
  Object.assign(objects, { delete: async (keys: readonly string[]) => keys });
  await dayKeys.destroy(0);
  Object.assign(objects, { delete: deleteObjects });
  expect(await countDestroyed()).toBe(0);
  expect(await store.undeletedObjects.list(undefined, 10)).toHaveLength(1);
  await dayKeys.destroy(0);
  expect(await countDestroyed()).toBe(1);
});
