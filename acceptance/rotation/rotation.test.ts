// The master key is replaced as docs/keys.md says, under load. No request fails, the old key is not
// needed any more, and files can be read.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { check } from '../checker/checker.ts';
import { laneSettings } from '../checker/lane.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { thisProgram } from '../lib/servers/own-serve.ts';
import { ownStorage } from '../lib/servers/own-storage.ts';
import { Installation } from '../mixed-versions/installation.ts';
import { Load } from '../mixed-versions/load.ts';
import { storeFiles } from './stored-files.ts';

const files = Number(process.env['WAYBILL_ROTATION_FILES'] ?? 1_000);
/** Read at the end, evenly spread over all files. Each has a wrapped key of its own; reading all would take an hour. */
const sample = 2_000;
const withinMs = 600_000 + 10 * files;

const folder = mkdtempSync(join(tmpdir(), 'waybill-rotation-'));
const keyFile = join(folder, 'master-keys');
const [old, fresh] = [1, 2].map((version) => `${version}:${randomBytes(32).toString('base64')}`) as [string, string];
const setKeys = (...lines: string[]) => writeFileSync(keyFile, `${lines.join('\n')}\n`, { mode: 0o600 });
afterAll(() => rmSync(folder, { recursive: true }));

test(`the master key of ${files} files is replaced under load`, {
  timeout: withinMs,
}, async () => {
  setKeys(old, fresh);
  await using storage = await ownStorage({ settings: laneSettings });
  const settings = { ...laneSettings, ...storage.settings, WAYBILL_MASTER_KEY_FILE: keyFile };
  const admin = <Result>(...command: string[]) => adminJson<Result>([...command, '--json'], '', settings);
  await admin('migrate');
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
  const [rotated, rotatedMs] = await timed(() => admin<{ done: boolean }>('master-keys', 'rotate'));
  expect(rotated.done).toBe(true);
  setKeys(fresh);
  await restart();
  await load.uploads(5);
  await reader.end();
  expect([...(await load.end()), ...reader.failures]).toEqual([]);
  expect(await storage.query('select distinct key_version as version from day_keys')).toEqual([{ version: 2 }]);

  process.stdout.write(`${files} files: rotated in ${rotatedMs} ms; ${reader.count} downloads meanwhile\n`);
  expect(await reader.readSample(sample)).toEqual([]);
  expect(await check(load.journals, { inside: storage, scanned: true })).toEqual([]);
});

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const began = performance.now();
  const result = await work();
  return [result, Math.round(performance.now() - began)];
}
