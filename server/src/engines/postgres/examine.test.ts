import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { databaseUrl, urlOfDatabase } from '../../../test/database-url.ts';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { startNearlyFull, startStandby } from '../../../test/servers/own-postgres.ts';
import { silentLog } from '../../../test/silent-log.ts';
import { examinePostgres } from './examine.ts';
import { startJobRunner } from './jobs/job-runner.ts';

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
  [
    'a backup that is three days old',
    () => "insert into last_backup (id, taken_at, left_out) values ('x', now() - interval '3 days', 0)",
    'warning backup.last',
  ],
  [
    'a backup that failed after the last one',
    () =>
      "insert into last_backup (id, taken_at, left_out) values ('x', now() - interval '1 day', 0); insert into last_backup_failure default values",
    'warning backup.last',
  ],
  ['a first backup that failed', () => 'insert into last_backup_failure default values', 'warning backup.last'],
  [
    'an installation of ten days without a backup',
    () => "update migrations set applied_at = now() - interval '10 days'",
    'warning backup.last',
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

test('a disk that is full, although everything can be read', async () => {
  await using small = await startNearlyFull();
  await carryOutRemedy('postgres.space', examine(small.url), small.enlargeDisk, 'postgres.schema');
});

test('older than the versions that Waybill is tested with', async () => {
  await using database = await createTestDatabase();
  const examination = { url: database.url, connections, oldestTested: 99 };
  await expectTrouble(examinePostgres(examination), 'warning postgres.version');
});

const examine = (url: string) => () => examinePostgres({ url, connections });

/** Runs programs of PostgreSQL as its superuser, which `su postgres` is on its machine. */
function runAsSuperuser(command: string): void {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const PGPASSWORD = decodeURIComponent(password);
  const env = { ...process.env, PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD };
  execFileSync('sh', ['-c', command], { env, stdio: 'pipe' });
}
const runCommand = (remedy: string) => runAsSuperuser(readRemedy(remedy, /su postgres -c '([^']+)'/));

test('what is missing is created by the commands of the remedy', async () => {
  const name = `waybill_test_${randomBytes(4).toString('hex')}`;
  const url = urlWithRole(name, name);
  try {
    await carryOutRemedy('postgres.login', examine(url), runCommand, 'postgres.schema');
    runAsSuperuser(`dropdb ${name}`);
    await carryOutRemedy('postgres.database', examine(url), runCommand, 'postgres.schema');
    runAsSuperuser(
      `dropdb ${name} && createdb --encoding=LATIN1 --locale=C --template=template0 --owner=${name} ${name}`,
    );
    const createAgain = (remedy: string) =>
      runAsSuperuser(`dropdb ${name} && createdb ${readRemedy(remedy, /again with (.+);/)} --owner=${name} ${name}`);
    await carryOutRemedy('postgres.encoding', examine(url), createAgain, 'postgres.schema');
  } finally {
    runAsSuperuser(`dropdb --if-exists ${name}; dropuser --if-exists ${name}`);
  }
});

test('another port, another setting and fewer connections help, as the remedy says', async () => {
  await using database = await createTestDatabase();
  const name = readDatabaseName(database);
  const used = { url: database.url.replace(/:\d+\//, `:${await closedPort()}/`), connections };
  const here = () => examinePostgres(used);
  await carryOutRemedy('postgres.reachable', here, (remedy) => {
    expect(remedy).toContain('correct the host and the port in WAYBILL_DATABASE_URL');
    used.url = database.url;
  });
  await database.query(`alter database ${name} set default_transaction_read_only = on`);
  await carryOutRemedy('postgres.writable', here, (remedy) =>
    runAsSuperuser(`psql -qc 'alter database ${name} reset ${readRemedy(remedy, /Remove the setting (\w+)/)}'`),
  );
  await database.query(`alter database ${name} set synchronous_commit = off`);
  await carryOutRemedy('postgres.durability', here, (remedy) =>
    runAsSuperuser(
      `psql -qc 'alter database ${name} reset ${readRemedy(remedy, /and (\w+) = on in .*, and reset them/)}'`,
    ),
  );
  await database.query(`alter database ${name} connection limit 19`);
  await carryOutRemedy('postgres.connections', here, (remedy) => {
    expect(remedy).toContain('or lower WAYBILL_DATABASE_CONNECTIONS');
    used.connections = 9;
  });
});

test('a `work` process does what waits for it, as the remedy says', async () => {
  await using database = await createTestDatabase();
  await database.query("select graphile_worker.add_job('send-message', run_at => now() - interval '10 minutes')");
  await carryOutRemedy('work.running', examine(database.url), async (remedy) => {
    expect(remedy).toContain('Start a `work` process');
    const tasks = { 'send-message': async () => undefined };
    const work = await startJobRunner({ pool: database.pool, log: silentLog, concurrency: 1, tasks, stopMs: 0 });
    await expect.poll(() => database.query('select from graphile_worker.jobs')).toEqual([]);
    await work.stop();
  });
});

test('a database without a schema', async () => {
  await using database = await createEmptyDatabase();
  await expectTrouble(examinePostgres({ url: database.url, connections }), 'warning postgres.schema');
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

test('a role that may not create tables, or that others own: the statements of the remedies help', async () => {
  await using database = await createTestDatabase();
  await using empty = await createEmptyDatabase();
  await withRole(database, (_, former) =>
    withRole(database, async (_url, role) => {
      const name = readDatabaseName(empty);
      const url = urlWithRole(role, name);
      const runSql = (sql: string) => runAsSuperuser(`psql -qd ${name} -c '${sql}'`);
      const run = (remedy: string) =>
        runSql(readRemedy(remedy, /superuser: (.+)\.$/).replace('the former owner', former));
      await carryOutRemedy('postgres.permission', examine(url), run, 'postgres.schema');
      runSql(`create table others_table (); alter table others_table owner to ${former}`);
      expect(await collectFindings(examine(url)())).toContainEqual(
        expect.objectContaining({ check: 'postgres.permission', says: expect.stringContaining('do not belong') }),
      );
      await carryOutRemedy('postgres.permission', examine(url), run, 'postgres.schema');
      runSql(`drop owned by ${role}; alter database ${name} owner to current_user`);
    }),
  );
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
