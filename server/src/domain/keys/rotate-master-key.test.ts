import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPool } from '../../../test/database.ts';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { keyfileProvider } from '../../engines/keyfile/key-provider.ts';
import { databaseCopies } from '../../engines/postgres/backup/copies.ts';
import { scrubAlone } from '../files/scrub.ts';
import type { KeyProvider } from '../ports/key-provider.ts';
import { DayKeys } from './day-keys.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-rotation-'));
const lines = [1, 2].map((version) => `${version}:${randomBytes(32).toString('base64')}`) as [string, string];
let exchange: TestExchange;
beforeAll(async () => {
  exchange = await openTestExchange();
});
afterAll(async () => {
  await exchange[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const dayKeyObjects = memoryObjectStore();
function enginesWith(masterKeys: KeyProvider) {
  const { store, random } = exchange.engines;
  const dayKeys = new DayKeys({ store, objects: dayKeyObjects, masterKeys, random });
  return { dayKeys, masterKeys };
}

function withCopies<Given>(engines: Given) {
  const { url } = exchange.database;
  return { ...engines, database: databaseCopies({ url, openPool: () => openTestPool(url) }) };
}

/** Day keys by the version of the master key that wraps them. */
const wrappedDayKeys = async () =>
  Object.fromEntries(
    Map.groupBy(await exchange.engines.store.dayKeys.list(), ({ version }) => version)
      .entries()
      .map(([version, days]) => [version, days.length]),
  );

let files = 0;
function makeKeyProvider(...content: string[]): KeyProvider {
  files += 1;
  const path = join(folder, `${files}`);
  writeFileSync(path, content.join('\n'), { mode: 0o600 });
  return keyfileProvider(path, exchange.engines.random);
}

test('after a rotation the old master key is not needed, also if it was interrupted and files came meanwhile', async () => {
  const [old, both, fresh] = [
    makeKeyProvider(lines[0]),
    makeKeyProvider(lines[1], lines[0]),
    makeKeyProvider(lines[1]),
  ];
  const { engines, database } = exchange;
  // The tests' exchange seals with these keys from now on.
  Object.assign(engines, enginesWith(old));
  const sender = await exchange.account('r@example.org');
  await exchange.drop(sender, ['r@example.org'], ['sent']);
  await exchange.upload(sender, 'staged');
  expect(await wrappedDayKeys()).toEqual({ 1: 2 });

  Object.assign(engines, enginesWith(both));
  const interrupted = new Error('interrupted');
  const fails = rotateMasterKey(engines, () => {
    throw interrupted;
  });
  await expect(fails).rejects.toBe(interrupted);
  expect(await wrappedDayKeys()).toEqual({ 1: 1, 2: 1 });
  await exchange.upload(sender, 'meanwhile');
  const rotated = await runAdmin({ engines: withCopies(engines) }, 'master-keys', 'rotate', '--json');
  expect(JSON.parse(rotated)).toMatchObject({ replaced: 1, done: true });
  expect(await wrappedDayKeys()).toEqual({ 2: 2 });

  const withoutOld = { ...engines, ...enginesWith(fresh) };
  await scrubAlone(withoutOld);
  expect(await engines.store.scrub.countDamaged()).toBe(0);
  expect(await rotateMasterKey(withoutOld)).toBe(0);
  // The objects that the old master key wraps are deleted later, because another process may be about to read them.
  expect(dayKeyObjects.objects.size).toBe(4);
  await database.query(`update day_key_objects set created_at = created_at - interval '11 minutes'`);
  await withoutOld.dayKeys.destroy(0);
  expect(dayKeyObjects.objects.size).toBe(2);
});

test('a key that is destroyed meanwhile stays destroyed, and a row that is being changed is not waited for', async () => {
  const { store } = exchange.engines;
  const sender = await exchange.account();
  for (const name of ['removed', 'locked']) await exchange.upload(sender, name);
  const rows = await exchange.database.query<{ id: string; key: Buffer }>(
    'select id, wrapped_key as key from files where account_id = $1 order by name desc',
    [sender.accountId],
  );
  const wrapped = rows.map(({ id, key }) => ({
    accountId: sender.accountId,
    id,
    before: key,
    wrapped: randomBytes(60),
    day: 7,
  }));
  await store.files.removeStaged(sender.accountId, '', 'removed');
  await store
    .transaction(async (tx) => {
      await tx.files.moveToDrop(sender.accountId, '', rows[1]?.id ?? '');
      expect(await store.wrappedKeys.replace('files', wrapped)).toBe(0);
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  expect(await store.wrappedKeys.replace('files', wrapped)).toBe(1);
  const after = await exchange.database.query(
    'select name, key_day, wrapped_key is null as destroyed from files where account_id = $1 order by name',
    [sender.accountId],
  );
  expect(after).toEqual([
    { name: 'locked', key_day: 7, destroyed: false },
    { name: 'removed', key_day: expect.any(Number), destroyed: true },
  ]);
});

test('the status names a master key that does not open what is stored, although its version is right', async () => {
  const right = makeKeyProvider(lines[0]);
  const engines = { ...exchange.engines, ...enginesWith(right) };
  await exchange.database.query('delete from day_keys');
  await engines.dayKeys.wrap(randomBytes(32), 'a file', null);
  const readStatus = async (masterKeys: KeyProvider, ...options: string[]) => {
    const printed = await runAdmin(
      { engines: withCopies({ ...engines, ...enginesWith(masterKeys) }) },
      'master-keys',
      'status',
      ...options,
    );
    const { exitCode } = process;
    process.exitCode = undefined;
    return { exitCode, printed };
  };
  expect(await readStatus(right)).toMatchObject({ exitCode: undefined, printed: expect.not.stringContaining('open') });
  const other = makeKeyProvider(`1:${randomBytes(32).toString('base64')}`);
  expect(await readStatus(other)).toMatchObject({
    exitCode: 1,
    printed: expect.stringContaining('The master key of version 1 does not open what is stored.'),
  });
  const { printed } = await readStatus(other, '--json');
  expect(JSON.parse(printed)).toMatchObject([{ version: 1, day_keys: 1, is_wrong: true }]);
});
