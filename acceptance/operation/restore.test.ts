// A restore beside a running system is refused. A restore is killed at every step: no process starts with what it leaves,
// and restoring again completes it. A day of use follows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { engineS3 } from '../../tools/demo/bucket.ts';
import { deliver, dispatch } from '../lib/scenario.ts';
import { admin } from '../lib/servers/admin.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { useForADay } from '../lib/use-for-a-day.ts';
import { eventually } from '../lib/wait.ts';

/** In the order in which a restore reaches them. */
const steps = [
  'marked',
  'objects-copied',
  'dump-read',
  'database-replaced',
  'migrated',
  'settled',
  'day-keys-stored',
  'epoch-started',
  'bucket-cleaned',
];
interface LogRow {
  origin: string;
  checkpoint: string;
}

/** Runs a worker until everything is in the log, whose last epoch is this one. */
async function publishLog(exchange: OwnExchange, epoch: number): Promise<void> {
  await exchange.work();
  await eventually(
    'the log is published',
    async () => {
      const rows = await exchange.query(
        `select from evidence_logs where epoch = $1 and ended_at is null and size = published_size
           and not exists (select from evidence_entries where leaf_index is null)`,
        [epoch],
      );
      return rows.length > 0 || undefined;
    },
    { withinMs: 120_000 },
  );
  await exchange.rest();
}

const content = Buffer.from('what was sent before the backup');

test('after a kill at any step, no process starts, and restoring again completes the restore', {
  timeout: 600_000,
}, async () => {
  await using exchange = await ownExchange();
  await publishLog(exchange, 1);
  const previous = (await exchange.query<LogRow>('select origin, checkpoint from evidence_logs'))[0];
  // Without a worker: the mail waits, and must not be sent after the restore.
  const folder = mkdtempSync(join(tmpdir(), 'waybill-restore-'));
  const places = ['--day-keys', join(folder, 'day-keys')];
  const sender = await exchange.client('sender');
  const receiver = await exchange.client('receiver');
  const { url } = await deliver(sender, receiver, [{ name: 'note.txt', content }]);
  await dispatch(sender, { to: ['someone@example.org'], files: [{ name: 'mailed.txt', content }] });
  const backup = await exchange.admin('backup', '--to', join(folder, 'backup'), ...places);
  expect([backup.exitCode, backup.stderr]).toEqual([0, '']);
  // All of this is replaced, and its object belongs to no file afterwards.
  await dispatch(sender, { to: ['someone@example.org'], files: [{ name: 'later.txt', content }] });
  const [before] = await exchange.query<{ epoch: string }>('select epoch::text from event_log');
  const restore = (failpoint = '') =>
    admin(['restore', '--overwrite', '--json', '--from', join(folder, 'backup'), ...places], '', {
      ...exchange.settings,
      WAYBILL_FAILPOINT: failpoint === '' ? '' : `restore:${failpoint}`,
    });

  const beside = await restore();
  expect(beside.exitCode).toBe(1);
  expect(JSON.parse(beside.stderr)).toMatchObject({
    message: expect.stringMatching(/^The database is in use: .*waybill serve \(process \d+\)/) as string,
  });
  const serving = await sender.readHistory();
  expect(serving.history).toHaveLength(3);
  await Promise.all(exchange.processes.map((process) => process.stop()));

  for (const step of steps) {
    expect((await restore(step)).exitCode, step).toBe(null);
    const start = await exchange.admin('accounts', 'list');
    expect([step, start.exitCode, start.stdout, start.stderr]).toEqual([
      step,
      78,
      '',
      expect.stringMatching(/^waybilld: The database is being restored from a backup\. .*\n$/),
    ]);
  }
  await expect(exchange.serve()).rejects.toThrow('The database is being restored from a backup.');

  const s3 = engineS3();
  await s3.send(new PutObjectCommand({ Bucket: exchange.bucket, Key: 'of/others', Body: 'x' }));
  s3.destroy();
  const completed = await restore();
  expect([completed.exitCode, completed.stderr]).toEqual([0, '']);
  expect(JSON.parse(completed.stdout)).toMatchObject({
    missing_objects: 0,
    missing_day_keys: [],
    faults: [],
    abandoned_messages: 2,
    log_epoch: 2,
    damaged_epochs: [],
  });
  const [state] = await exchange.query(`
    select (select epoch from event_log) > ${before?.epoch} as "hasNewEpoch",
      (select count(*)::int from messages where state = 'waiting') as waiting,
      (select count(*)::int from day_keys) > 0 as "hasDayKeys"`);
  expect(state).toEqual({ hasNewEpoch: true, waiting: 0, hasDayKeys: true });
  const serve = await exchange.serve();
  const again = receiver.through(serve.baseUrl);
  expect((await again.download(url, 'note.txt')).body).toEqual(content);
  expect((await sender.through(serve.baseUrl).readHistory()).history).toHaveLength(2);
  const [files, keys] = await Promise.all([
    exchange.query<{ id: string }>(`select id::text from files where state = 'ready'`),
    exchange.objectKeys(),
  ]);
  const dayKeys = await exchange.query<{ id: string }>('select object_id::text as id from day_keys');
  const expected = [...files.map(({ id }) => `${id}/00000000`), ...dayKeys.map(({ id }) => `day-keys/${id}`)];
  expect(keys.toSorted()).toEqual([...expected, 'of/others'].toSorted());
  expect((await exchange.admin('scrub')).exitCode).toBe(0);

  // One new epoch, which links to what was published, and logs what the backup had not.
  await publishLog(exchange, 2);
  const [first] = await exchange.query<{ data: unknown }>(
    `select data from evidence_entries where epoch = 2 and leaf_index = 0`,
  );
  const [, size, root] = previous?.checkpoint.split('\n') ?? [];
  expect(first?.data).toMatchObject({ previous: { origin: previous?.origin, size: Number(size), root } });
  const checked = await exchange.admin('log', 'check', '--json');
  expect([checked.exitCode, JSON.parse(checked.stdout)]).toEqual([0, expect.objectContaining({ found: 0, lost: 0 })]);
  await exchange.work();
  await useForADay(exchange, { sender: sender.through(serve.baseUrl), receiver: again });
  rmSync(folder, { recursive: true });
});
