import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPool } from '../../../../test/database.ts';
import { openTestExchange, type TestExchange } from '../../../../test/exchange.ts';
import { createWebhook } from '../../../domain/webhooks/change-webhook.ts';
import { databaseCopies } from '../backup/copies.ts';
import { openDatabase } from '../database.ts';
import { countedUpTo, readBacklog } from './backlog.ts';

let exchange: TestExchange;
beforeAll(async () => {
  exchange = await openTestExchange();
});
afterAll(() => exchange[Symbol.asyncDispose]());

test('what is due is counted by job, and messages by their state', async () => {
  const { database } = exchange;
  const sender = await exchange.account('one@example.org', 'two@example.org', 'three@example.org');
  await exchange.drop(sender, ['one@example.org', 'two@example.org', 'three@example.org'], ['file.txt']);
  await database.query(
    `update messages set state = 'abandoned', settled_at = now() where id = (select min(id::text)::uuid from messages)`,
  );
  await database.query(
    `update messages set due_at = now() + interval '1 hour' where id = (select max(id::text)::uuid from messages)`,
  );
  await database.query(`update graphile_worker._private_jobs set run_at = now() - interval '90 seconds'`);
  const { jobs, messages } = await readBacklog(openDatabase(database.pool));
  expect(messages).toEqual({ waiting: 2, due: 1, abandoned: 1 });
  const due = jobs.filter(({ ready }) => ready > 0);
  expect(due).toEqual([{ job: 'send-message', priority: 'normal', ready: 3, oldestSeconds: expect.closeTo(90, -1) }]);
});

test('the jobs of a webhook that fails are counted apart', async () => {
  const { database, engines } = exchange;
  const actor = await exchange.account();
  const input = { url: 'https://example.org/', types: null, description: '' };
  const { id } = await createWebhook(engines, actor, input);
  await database.query('update webhooks set failing_since = now() where id = $1', [id]);
  await engines.store.events.append([{ accountId: actor.accountId, type: 'contact.changed', data: { contacts: 1 } }]);
  const { jobs } = await readBacklog(openDatabase(database.pool));
  const counts = jobs.filter(({ job }) => job === 'deliver-events').map(({ priority, ready }) => [priority, ready]);
  expect(Object.fromEntries(counts)).toEqual({ high: 0, normal: 0, low: 1 });
});

test('damaged files are counted while they are stored, and the time of the last backup is known', async () => {
  const { database, engines } = exchange;
  const stored = async () => (await readBacklog(openDatabase(database.pool))).stored;
  expect(await stored()).toEqual({ damagedFiles: 0, lastBackupSeconds: null, lastBackupFailureSeconds: null });
  const owner = await exchange.account();
  await exchange.upload(owner, 'damaged');
  const [file] = await database.query<{ id: string }>(`select id from files where name = 'damaged'`);
  const damaged = { accountId: owner.accountId, id: file?.id ?? '' };
  await engines.store.scrub.record(damaged, { object: 'x', problem: 'missing' });
  const { url } = database;
  const copies = databaseCopies({ url, openPool: () => openTestPool(url) });
  for (const seconds of [1_000, 2_000]) {
    await copies.recordBackup({ id: 'x', takenAt: new Date(seconds * 1000), leftOut: 0 });
    expect(await stored()).toMatchObject({ damagedFiles: 1, lastBackupSeconds: seconds });
  }
  await engines.store.files.removeStaged(owner.accountId, '', 'damaged');
  expect(await stored()).toMatchObject({ damagedFiles: 0 });
});

test('counting costs the same however much there is: it reads the beginnings of indexes', async () => {
  const { database } = exchange;
  const texts: string[] = [];
  const db = openDatabase(database.pool, {
    around: (text, call) => {
      texts.push(text);
      return call();
    },
  });
  await readBacklog(db);
  expect(texts).toHaveLength(4);
  for (const text of texts) {
    const plan = await database.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).not.toMatch(/Seq Scan on (?:messages|_private_jobs|evidence_entries)/);
    expect(text).toContain(`limit ${countedUpTo}`);
  }
});
