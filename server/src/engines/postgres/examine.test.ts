import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { urlOfDatabase } from '../../testing/database-url.ts';
import { collectFindings, expectTrouble } from '../../testing/findings.ts';
import { startStandby } from '../../testing/servers/own-standby.ts';
import { examinePostgres } from './examine.ts';

const connections = 10;
const readDatabaseName = ({ url }: { url: string }) => new URL(url).pathname.slice(1);

test('nothing is wrong with a database that is set up well', async () => {
  await using database = await createTestDatabase();
  const findings = await collectFindings(examinePostgres({ url: database.url, connections }));
  expect(new Set(findings.map(({ status }) => status))).toEqual(new Set(['ok']));
  expect(findings.length).toBeGreaterThan(8);
});

test('stopped', async () => {
  const url = `postgres://waybill@127.0.0.1:${await closedPort()}/waybill`;
  await expectTrouble(examinePostgres({ url, connections }), 'fault postgres.reachable');
});

test('silent', async () => {
  await using peer = await startPeer(() => undefined);
  const url = `postgres://waybill@127.0.0.1:${peer.port}/waybill`;
  await expectTrouble(examinePostgres({ url, connections }), 'fault postgres.reachable');
});

test.each([
  ['no such role', urlWithRole('no-such-role', 'no_such_database'), 'fault postgres.login'],
  ['no such database', urlOfDatabase('no_such_database'), 'fault postgres.database'],
])('%s', async (_what, url, expected) => {
  await expectTrouble(examinePostgres({ url, connections }), expected);
});

test.each<[what: string, change: (name: string) => string, ...expected: string[]]>([
  ['read-only', (name) => `alter database ${name} set default_transaction_read_only = on`, 'fault postgres.writable'],
  [
    'confirmed before it is on disk',
    (name) => `alter database ${name} set synchronous_commit = off`,
    'warning postgres.durability',
  ],
  ['few connections', (name) => `alter database ${name} connection limit 19`, 'fault postgres.connections'],
  [
    'a schema that is newer than the program',
    () => "insert into migrations (name, contract) values ('9999_future.sql', true)",
    'fault postgres.schema',
  ],
  [
    'a schema that is older than the program',
    () => "delete from migrations where name like '0001%'",
    'warning postgres.schema',
  ],
  [
    'a job that no worker takes',
    () => "select graphile_worker.add_job('send-message', run_at => now() - interval '10 minutes')",
    'fault work.running',
  ],
])('%s', async (_what, change, ...expected) => {
  await using database = await createTestDatabase();
  await database.query(change(readDatabaseName(database)));
  await expectTrouble(examinePostgres({ url: database.url, connections }), ...expected);
});

test('a standby, and a role that is not the name of the system’s user', async () => {
  await using standby = await startStandby();
  const [writable] = await collectFindings(examinePostgres({ url: standby.url, connections }));
  expect(writable).toMatchObject({
    check: 'postgres.writable',
    status: 'fault',
    remedy: expect.stringContaining('the primary server'),
  });
  const local = `postgres:///postgres?host=${standby.folder}&port=${standby.port}&user=waybill`;
  const [refused] = await collectFindings(examinePostgres({ url: local, connections }));
  expect(refused).toMatchObject({ check: 'postgres.login', says: expect.stringContaining('Peer authentication') });
  expect(refused?.remedy).toContain('Run this as the system’s user waybill');
});

test('older than the versions that Waybill is tested with', async () => {
  await using database = await createTestDatabase();
  const examination = { url: database.url, connections, oldestTested: 99 };
  await expectTrouble(examinePostgres(examination), 'warning postgres.version');
});

test('what is missing can be created with the commands of the remedy', async () => {
  const named = urlWithRole('no-such-role', 'files');
  const [role] = await collectFindings(examinePostgres({ url: named, connections }));
  expect(role?.remedy).toContain("su postgres -c 'createuser no-such-role && createdb --owner=no-such-role ");
  const [database] = await collectFindings(examinePostgres({ url: urlOfDatabase('files'), connections }));
  expect(database?.remedy).toMatch(/su postgres -c 'createdb --owner=postgres .* files'/);
});

test('a database without a schema', async () => {
  await using database = await createEmptyDatabase();
  await expectTrouble(examinePostgres({ url: database.url, connections }), 'warning postgres.schema');
});

test('an encoding that cannot hold every name', async () => {
  await using database = await createTestDatabase();
  const latin = `${readDatabaseName(database)}_latin`;
  await database.query(`create database ${latin} encoding LATIN1 locale 'C' template template0`);
  try {
    const url = urlOfDatabase(latin);
    await expectTrouble(examinePostgres({ url, connections }), 'fault postgres.encoding', 'warning postgres.schema');
  } finally {
    await database.query(`drop database ${latin} with (force)`);
  }
});

/** A role that may do nothing but connect. */
async function withRole(database: TestDatabase, work: (url: string, role: string) => Promise<void>): Promise<void> {
  const role = `waybill_test_${randomBytes(4).toString('hex')}`;
  await database.query(`create role ${role} login`);
  try {
    await work(urlWithRole(role, readDatabaseName(database)), role);
  } finally {
    await database.query(`drop owned by ${role}`);
    await database.query(`drop role ${role}`);
  }
}

test('a role that may not create tables', async () => {
  await using database = await createTestDatabase();
  await withRole(database, async (url) => {
    const findings = await collectFindings(examinePostgres({ url, connections }));
    expect(findings).toContainEqual(expect.objectContaining({ status: 'fault', check: 'postgres.permission' }));
  });
});

test('tables that belong to another role', async () => {
  await using database = await createTestDatabase();
  await withRole(database, async (url, role) => {
    await database.query(
      `grant create on database ${readDatabaseName(database)} to ${role}; grant create on schema public to ${role}`,
    );
    const findings = await collectFindings(examinePostgres({ url, connections }));
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'postgres.permission', says: expect.stringContaining('do not belong') }),
    );
  });
});

test.each([
  ['a little wrong', -10_000, 'warning postgres.clock'],
  ['wrong', 3_600_000, 'fault postgres.clock'],
])('a clock that is %s', async (_what, ms, expected) => {
  await using database = await createTestDatabase();
  await expectTrouble(examinePostgres({ url: database.url, connections, now: () => Date.now() + ms }), expected);
});

function urlWithRole(role: string, database: string): string {
  const url = new URL(urlOfDatabase(database));
  url.username = role;
  return url.href;
}
