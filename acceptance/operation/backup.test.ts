// A backup made under load, everything emptied, and restored: every acknowledged file is there, byte for byte. Then
// objects are damaged, and the scrubber finds each.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CopyObjectCommand, DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { createBucket, deleteBucket, engineS3 } from '../../tools/demo/bucket.ts';
import { check } from '../checker/checker.ts';
import { Journal, type Outcome, settledOutcome } from '../checker/journal.ts';
import { Lane, laneSettings, type Sailing, sail } from '../checker/lane.ts';
import { fullSize } from '../lib/full-size.ts';
import { seeded } from '../lib/seeded.ts';
import type { AdminResult } from '../lib/servers/admin.ts';
import { chunkKey } from '../lib/servers/exchange-internals.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { useForADay } from '../lib/use-for-a-day.ts';
import { eventually } from '../lib/wait.ts';

const uploadsBefore = fullSize ? 1_500 : 12;
const uploadsDuring = fullSize ? 100 : 3;
const withinMs = fullSize ? 1_200_000 : 60_000;

interface Backup {
  backup: string;
  files: number;
  objects: number;
  object_bytes: number;
  copied_objects: number;
  ended_files: number;
  lost_files: number;
  day_keys_exported: number | null;
  took_ms: number;
}

test('backed up under load, emptied and restored: every acknowledged file is byte-identical', {
  timeout: 8 * withinMs,
}, async () => {
  for (const kind of fullSize ? ['a directory', 'another bucket'] : ['a directory']) await backUpAndRestore(kind);
});

async function backUpAndRestore(kind: string): Promise<void> {
  // There is no worker, so that all mails wait, and are sent after the restore.
  await using exchange = await ownExchange({ settings: laneSettings });
  await using place = await newPlace(kind);
  await using keyPlace = await newPlace('a directory');
  const lanes = await openLanes(exchange);
  await using sailing = sail(lanes);
  const run = async <Result>(...command: string[]) =>
    succeeded<Result>(await exchange.admin(...command, place.address, '--json'));
  await uploads(sailing, uploadsBefore);
  const withoutDayKeys = await exchange.admin('backup', '--to', place.address, '--json');
  expect(withoutProgress(withoutDayKeys.stderr)).toMatch(
    /^The files of this backup cannot be read without the day keys\./,
  );
  const first = succeeded<Backup>({ ...withoutDayKeys, stderr: '' });
  await uploads(sailing, uploadsDuring);

  const acknowledged = lanes.map(({ journal }) => acknowledgedIn(journal));
  const withDayKeys = ['--day-keys', keyPlace.address];
  const [backup] = await Promise.all([run<Backup>('backup', ...withDayKeys, '--to'), exchange.sweep()]);
  await uploads(sailing, uploadsDuring);
  await sailing.end();
  expect(lanes.flatMap(({ problems }) => problems)).toEqual([]);
  expect([first.lost_files, backup.lost_files]).toEqual([0, 0]);
  // Only new objects are copied.
  expect(backup.copied_objects).toBeLessThan(backup.objects);
  expect([first.day_keys_exported, backup.day_keys_exported]).toEqual([null, expect.any(Number)]);
  expect(await run('backup', 'verify', ...withDayKeys, '--from')).toMatchObject({ backup: backup.backup, damaged: 0 });

  await Promise.all(exchange.processes.map((process) => process.stop()));
  const ended = await endedFiles(exchange);
  await empty(exchange);
  // An administrator who looks first leaves the database as empty as it is.
  expect((await exchange.admin('log', 'status')).stderr).toMatch(/^waybilld: The database is empty: /);
  const restored = await run<{ took_ms: number }>('restore', '--send-waiting', ...withDayKeys, '--from');
  expect(restored).toMatchObject({ backup: backup.backup, missing_objects: 0, missing_day_keys: [] });
  process.stdout.write(
    `to ${kind}: ${first.files} files, ${first.object_bytes} bytes in ${first.objects} objects, backed up under load ` +
      `in ${first.took_ms} ms; ${backup.copied_objects} new objects in ${backup.took_ms} ms, ` +
      `${backup.ended_files} files ended meanwhile; restored in ${restored.took_ms} ms\n`,
  );

  const serve = await exchange.serve();
  await exchange.work();
  const present = {
    intentions: new Set(acknowledged.flatMap((intentions) => [...intentions])),
    ended,
    drops: await messages(exchange),
  };
  const journals = lanes.map(({ journal }) => restoredFrom(journal, present, serve.baseUrl));
  expect(await check(journals, { inside: exchange, scanned: true })).toEqual([]);
  // Lifetimes are in seconds.
  await useForADay(exchange, journals[0] as Journal, { desttime: 500_000 });
  await findsDamage(exchange);
}

async function findsDamage(exchange: OwnExchange): Promise<void> {
  const scrub = async (...options: string[]) => {
    const { exitCode, stdout } = await exchange.admin('scrub', ...options, '--json');
    return { exitCode, found: JSON.parse(stdout) as unknown };
  };
  expect(await scrub('--from-start')).toMatchObject({ exitCode: 0, found: { damaged: 0 } });
  const stored = `select id::text from files where state = 'ready' and size_bytes < 1000000 order by id limit 4`;
  const [altered = '', missing = '', swapped = '', exchanged = ''] = (await exchange.query<{ id: string }>(stored)).map(
    ({ id }) => chunkKey(id, 0),
  );
  const s3 = engineS3();
  const Bucket = exchange.bucket;
  await s3.send(new PutObjectCommand({ Bucket, Key: altered, Body: Buffer.alloc(2_000_000) }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: missing }));
  for (const [from, to] of [
    [swapped, 'aside'],
    [exchanged, swapped],
    ['aside', exchanged],
  ] as const) {
    await s3.send(new CopyObjectCommand({ Bucket, Key: to, CopySource: `${Bucket}/${from}` }));
  }
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'aside' }));
  s3.destroy();
  expect(await scrub()).toMatchObject({ exitCode: 1, found: { damaged: 4 } });
  const { exitCode, found } = await scrub('--report');
  const lines = (found as { object: string; problem: string }[]).map(({ object, problem }) => `${problem} ${object}`);
  expect([exitCode, lines.toSorted()]).toEqual([
    1,
    [`damaged ${altered}`, `damaged ${exchanged}`, `damaged ${swapped}`, `missing ${missing}`].toSorted(),
  ]);
}

async function openLanes(exchange: OwnExchange): Promise<Lane[]> {
  const world = { exchange, serveUrls: [exchange.baseUrl, (await exchange.serve()).baseUrl] };
  return await Promise.all([1, 2, 3].map((seed) => Lane.open(world, seeded(seed))));
}

async function uploads(sailing: Sailing, count: number): Promise<void> {
  const before = sailing.uploads();
  await eventually(`${count} uploads`, async () => sailing.uploads() >= before + count || undefined, { withinMs });
}

async function newPlace(kind: string): Promise<{ address: string } & AsyncDisposable> {
  if (kind === 'a directory') {
    const address = mkdtempSync(join(tmpdir(), 'waybill-backup-'));
    return { address, [Symbol.asyncDispose]: async () => rmSync(address, { recursive: true }) };
  }
  const bucket = `waybill-backup-${process.pid}`;
  await createBucket(bucket);
  return { address: `s3://${bucket}/daily`, [Symbol.asyncDispose]: () => deleteBucket(bucket) };
}

async function empty({ query, bucket }: OwnExchange): Promise<void> {
  for (const schema of ['public', 'graphile_worker']) await query(`drop schema ${schema} cascade`);
  await query('create schema public');
  await deleteBucket(bucket);
  await createBucket(bucket);
}

/** The intentions that are fulfilled by now. */
function acknowledgedIn({ uploads: sent, dispatches }: Journal): Set<object> {
  return new Set([...sent, ...dispatches].filter((intention) => settledOutcome(intention) === 'ok'));
}

/** Files that ended before everything was emptied, perhaps before they were copied. */
async function endedFiles({ query }: OwnExchange): Promise<Set<string>> {
  const rows = await query<{ name: string }>(
    `select name from files left join drops on drops.id = drop_id where state <> 'ready' or expires_at <= now()`,
  );
  return new Set(rows.map(({ name }) => name));
}

async function messages({ query }: OwnExchange): Promise<Set<string>> {
  return new Set((await query<{ message: string }>('select message from drops')).map(({ message }) => message));
}

/**
 * The promises that the restored server keeps to a client: all that was acknowledged before the backup began and has not ended
 * since. What came later is in the backup completely or not at all.
 */
function restoredFrom(
  { sender, receiver, uploads: sent, dispatches }: Journal,
  present: { intentions: Set<object>; ended: Set<string>; drops: Set<string> },
  baseUrl: string,
): Journal {
  const restored = new Journal(sender.through(baseUrl), receiver.through(baseUrl));
  const unless = (isSure: boolean, { outcomes }: { outcomes: Outcome[] }): Outcome[] =>
    isSure || !outcomes.includes('ok') ? outcomes : ['unknown'];
  for (const intention of sent) {
    const isSure = present.intentions.has(intention) && !intention.files.some(({ name }) => present.ended.has(name));
    restored.uploads.push({ ...intention, outcomes: unless(isSure, intention) });
  }
  for (const intention of dispatches) {
    const isSure = present.intentions.has(intention) || present.drops.has(intention.message);
    restored.dispatches.push({ ...intention, outcomes: unless(isSure, intention) });
  }
  return restored;
}

function succeeded<Result>({ exitCode, stdout, stderr }: AdminResult): Result {
  expect([exitCode, withoutProgress(stderr)]).toEqual([0, '']);
  return JSON.parse(stdout) as Result;
}

/** A command reports its progress every half minute, such as "953 files, 313 MiB read". */
const withoutProgress = (stderr: string) => stderr.replaceAll(/^(?!waybilld: )[a-z\d].*\n/gm, '');
