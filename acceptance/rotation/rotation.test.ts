// The master key is replaced as docs/operations.md says, under load, and `master-keys rotate` is killed again and again; then
// the installation changes to day keys. No request fails, the old key is not needed any more, and files can be read.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { check } from '../faults/checker.ts';
import { laneSettings } from '../faults/lane.ts';
import { adminJson } from '../lib/admin.ts';
import { type Program, thisProgram } from '../lib/own-serve.ts';
import { type OwnStorage, ownStorage } from '../lib/own-storage.ts';
import { eventually } from '../lib/wait.ts';
import { Installation } from '../mixed-versions/installation.ts';
import { Load } from '../mixed-versions/load.ts';
import { storeFiles } from './stored-files.ts';

const files = Number(process.env['WAYBILL_ROTATION_FILES'] ?? 1_000);
const kills = Number(process.env['WAYBILL_ROTATION_KILLS'] ?? 2);
/** Read at the end, evenly spread over all files. Each has a wrapped key of its own; reading all would take an hour. */
const sample = 2_000;
const withinMs = 600_000 + 10 * files;

const folder = mkdtempSync(join(tmpdir(), 'waybill-rotation-'));
const keyFile = join(folder, 'master-keys');
const [old, fresh] = [1, 2].map((version) => `${version}:${randomBytes(32).toString('base64')}`) as [string, string];
const setKeys = (...lines: string[]) => writeFileSync(keyFile, `${lines.join('\n')}\n`, { mode: 0o600 });
afterAll(() => rmSync(folder, { recursive: true }));

test(`the master key of ${files} files is replaced under load, and the rotation killed ${kills} times`, {
  timeout: withinMs,
}, async () => {
  setKeys(old, fresh);
  await using storage = await ownStorage({ settings: laneSettings });
  const settings = { ...laneSettings, ...storage.settings, WAYBILL_MASTER_KEY_FILE: keyFile };
  const admin = <Result>(...command: string[]) => adminJson<Result>([...command, '--json'], '', settings);
  await admin('migrate');
  // As a version without day keys left it.
  await storage.query('delete from day_key_start');
  const { waybilld, environment } = thisProgram();
  const program = { waybilld, environment: { ...environment, ...settings } };
  await using installation = await Installation.start(program);
  await using reader = await storeFiles(
    storage,
    await installation.client('stored'),
    await installation.client('reader'),
    files,
  );
  await using load = await Load.start(installation);
  reader.start();
  const restart = async () => {
    await installation.replaceWork(program);
    for (const place of [0, 1] as const) await installation.replaceServe(place, program);
    await load.uploads(5);
  };
  await load.uploads(5);

  setKeys(fresh, old);
  await restart();
  const [killed, rotatedMs] = await timed(() => killRotations(storage, program));
  const [rotated, restMs] = await timed(() => admin<{ done: boolean }>('master-keys', 'rotate'));
  expect(rotated.done).toBe(true);
  setKeys(fresh);
  await restart();
  const [, byDayMs] = await timed(() => admin('day-keys', 'start'));
  await load.uploads(5);
  await reader.end();
  expect([...(await load.end()), ...reader.failures]).toEqual([]);
  const wrappedBy = 'select distinct key_version > 0 as "aMasterKey" from files where wrapped_key is not null';
  expect(await storage.query(wrappedBy)).toEqual([{ aMasterKey: false }]);

  process.stdout.write(
    `${files} files: rotated in ${rotatedMs + restMs} ms, killed when ${killed.join(', ')} keys were left; changed to day ` +
      `keys in ${byDayMs} ms; ${reader.count} downloads meanwhile\n`,
  );
  expect(await reader.readSample(sample)).toEqual([]);
  expect(await check(load.journals, { inside: storage, scanned: true })).toEqual([]);
});

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const began = performance.now();
  const result = await work();
  return [result, Math.round(performance.now() - began)];
}

/** Kills it when a part of the keys is wrapped again, each time a further one. Returns how many were left each time. */
async function killRotations({ query }: OwnStorage, { waybilld, environment }: Program): Promise<number[]> {
  const keysLeft = async () => {
    const [row] = await query<{ left: number }>(
      `select ((select count(*) from files where key_version = 1 and wrapped_key is not null) +
               (select count(*) from drops where key_version = 1 and link_key is not null))::integer as left`,
    );
    return row?.left ?? 0;
  };
  const all = await keysLeft();
  const left: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    const rotation = spawn(process.execPath, [waybilld, 'admin', 'master-keys', 'rotate', '--json'], {
      env: environment,
      stdio: 'ignore',
    });
    const ended = once(rotation, 'exit');
    const enough = all * (1 - kill / (kills + 1));
    await eventually('enough keys', async () => (await keysLeft()) <= enough || undefined, { withinMs, everyMs: 5 });
    rotation.kill('SIGKILL');
    const [, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    expect(signal, 'the rotation ended before it was killed: use more files').toBe('SIGKILL');
    left.push(await keysLeft());
  }
  return left;
}
