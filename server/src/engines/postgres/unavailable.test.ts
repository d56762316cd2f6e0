import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { createTestDatabase, openTestPool, type TestDatabase } from '../../../test/database.ts';
import { startStandby } from '../../../test/servers/own-postgres.ts';
import type { Store } from '../../domain/store.ts';
import { openDatabase } from './database.ts';
import { unlessRefused } from './setup.ts';
import { postgresStore } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const unavailable = { code: 'unavailable' };
const storeOn = (url: string) => {
  const pool = openTestPool(url);
  return { pool, store: postgresStore(openDatabase(pool)) };
};
const account = () =>
  ({ id: randomUUID(), email: `${randomUUID()}@example.org`, phone: '', type: 'api', language: '' }) as const;

/** A store with connections that the test can end without affecting others. */
function namedStore() {
  const application = randomUUID();
  const { pool, store } = storeOn(`${database.url}?application_name=${application}`);
  const signalled = (signal: string, condition = 'true') =>
    database.query(
      `with ours as materialized (select pid from pg_stat_activity where application_name = $1 and ${condition})
       select ${signal}(pid) from ours`,
      [application],
    );
  return {
    pool,
    store,
    end: () => signalled('pg_terminate_backend'),
    cancelWaiting: () => signalled('pg_cancel_backend', "wait_event_type = 'Lock'"),
    endWaiting: () => signalled('pg_terminate_backend', "wait_event_type = 'Lock'"),
  };
}

const responses = (store: Store) =>
  store.accounts.byEmail('a@example.org').then(
    () => true,
    () => false,
  );

describe('a connection that is lost', () => {
  test('and then refused, as after a change of the password, is unavailable; when a process starts, it is a setting', async () => {
    const url = new URL(database.url);
    url.pathname = `/missing-${randomUUID()}`;
    const { pool, store } = storeOn(url.href);
    const call = () => store.accounts.byEmail('a@example.org');
    await expect(call()).rejects.toMatchObject({ ...unavailable, engine: 'postgres' });
    await expect(unlessRefused(call)).rejects.toThrow('Correct WAYBILL_DATABASE_URL');
    await pool.end();
  });

  test('in the middle of a transaction is unavailable, leaves nothing, and the pool recovers', async () => {
    const { pool, store, end: kill } = namedStore();
    const lost = account();
    const work = store.transaction(async (tx: Store) => {
      await tx.accounts.insert(lost);
      expect(await kill()).not.toHaveLength(0);
      await tx.accounts.byId(lost.id);
    });
    await expect(work).rejects.toMatchObject(unavailable);
    expect(await store.accounts.byId(lost.id)).toBeUndefined();
    const next = account();
    await store.transaction(async (tx) => {
      await tx.accounts.insert(next);
    });
    expect(await store.accounts.byId(next.id)).toMatchObject({ email: next.email });
    await pool.end();
  });

  test('just before the commit is unavailable and leaves nothing', async () => {
    const { pool, store, end: kill } = namedStore();
    const lost = account();
    const work = store.transaction(async (tx) => {
      await tx.accounts.insert(lost);
      await kill();
    });
    await expect(work).rejects.toMatchObject(unavailable);
    expect(await store.accounts.byId(lost.id)).toBeUndefined();
    await pool.end();
  });

  test('in the middle of a statement is unavailable', async () => {
    const { pool, store, endWaiting } = namedStore();
    const blocker = await database.pool.connect();
    await blocker.query('begin');
    await blocker.query('lock table accounts');
    const waiting = expect(store.accounts.byEmail('a@example.org')).rejects.toMatchObject(unavailable);
    await expect.poll(endWaiting).toHaveLength(1);
    await waiting;
    await blocker.query('rollback');
    blocker.release();
    await expect.poll(() => responses(store)).toBe(true);
    await pool.end();
  });

  test('while it was idle is noticed by nobody', async () => {
    const { pool, store, end: kill } = namedStore();
    await store.accounts.byEmail('a@example.org');
    const removed = new Promise((resolve) => pool.once('remove', resolve));
    await kill();
    await removed;
    expect(await store.accounts.byEmail('a@example.org')).toBeUndefined();
    await pool.end();
  });
});

test('a server that refuses the connection is unavailable', async () => {
  const { pool, store } = storeOn(`postgres://postgres@127.0.0.1:${await closedPort()}/waybill`);
  await expect(store.accounts.byEmail('a@example.org')).rejects.toMatchObject(unavailable);
  await expect(store.transaction(async () => undefined)).rejects.toMatchObject(unavailable);
  await pool.end();
});

test('a server that hangs up is unavailable', async () => {
  await using peer = await startPeer((socket) => socket.end());
  const { pool, store } = storeOn(`postgres://postgres@127.0.0.1:${peer.port}/waybill`);
  await expect(store.accounts.byEmail('a@example.org')).rejects.toMatchObject(unavailable);
  await pool.end();
});

test('a standby server is unavailable: it may lack what was acknowledged', async () => {
  await using standby = await startStandby();
  const { pool, store } = storeOn(standby.url);
  await expect(store.accounts.byEmail('a@example.org')).rejects.toMatchObject(unavailable);
  await expect(store.transaction(async () => undefined)).rejects.toMatchObject(unavailable);
  await pool.end();
});

test('a database that is read-only is unavailable for changes', async () => {
  const { pool, store } = storeOn(`${database.url}?options=-c%20default_transaction_read_only%3Don`);
  await expect(store.accounts.insert(account())).rejects.toMatchObject(unavailable);
  expect(await store.accounts.byEmail('a@example.org')).toBeUndefined();
  await pool.end();
});

test('a statement that takes too long is unavailable', async () => {
  const { pool, store, cancelWaiting } = namedStore();
  const blocker = await database.pool.connect();
  await blocker.query('begin');
  await blocker.query('lock table accounts');
  const cancelled = expect(store.transaction((tx) => tx.accounts.byEmail('a@example.org'))).rejects.toMatchObject(
    unavailable,
  );
  // Does what the timeout does, without waiting for it.
  await expect.poll(cancelWaiting).toHaveLength(1);
  await cancelled;
  await blocker.query('rollback');
  blocker.release();
  expect(await responses(store)).toBe(true);
  await pool.end();
});

describe('a fault of ours stays what it is', () => {
  test('an error of the work inside a transaction', async () => {
    const fault = new TypeError('a bug');
    await expect(database.store.transaction(() => Promise.reject(fault))).rejects.toBe(fault);
  });

  test('a statement the database refuses', async () => {
    const refused = database.store.accounts.insert({ ...account(), id: 'no uuid' });
    await expect(refused).rejects.toMatchObject({ code: '22P02' });
  });

  test('a text that the database cannot store: no request gets one this far', async () => {
    await expect(database.store.accounts.byEmail('a\0b')).rejects.toMatchObject({ code: '22021' });
  });
});

test.each([
  ['a disk that is full', { code: 'ENOSPC', syscall: 'write' }],
  ['a directory that is refused', { code: 'EACCES', syscall: 'mkdir', path: '/var/backups' }],
])('%s while work is done under a lock is not a fault of PostgreSQL', async (_what, properties) => {
  const failed = Object.assign(new Error('of the disk'), properties);
  await expect(database.store.exclusively('a backup', () => Promise.reject(failed))).rejects.toBe(failed);
});
