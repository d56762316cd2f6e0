// One of three storage daemons is killed under load and comes back: clients notice only the time it takes.
// `npm run lab -- cluster-faults` runs it, on a cluster that no one else uses.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectDir } from '../../tools/demo/environment.ts';
import { check } from '../checker/checker.ts';
import { askOnce, Journal } from '../checker/journal.ts';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { introduce } from '../lib/scenario.ts';
import { eventually } from '../lib/wait.ts';

const run = promisify(execFile);
const rounds = 10;

async function osds(): Promise<Record<string, number>> {
  const { stdout } = await run(`${projectDir}/tools/engines/engines`, ['status', '--json', 'ceph']).catch(
    (error: { stdout: string }) => error,
  );
  const { pids } = (JSON.parse(stdout) as { engines: { ceph: { pids: Record<string, number> } } }).engines.ceph;
  return Object.fromEntries(Object.entries(pids).filter(([name]) => name.startsWith('osd')));
}

test('one of three OSDs is killed, and started again', { timeout: 600_000 }, async () => {
  expect(Object.keys(await osds())).toEqual(['osd0', 'osd1', 'osd2']);
  const journal = new Journal(await freshClient('clustered'), await freshClient('receiving'));
  await introduce(journal.sender, [journal.receiver.user]);
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const victim = (await osds())['osd1'];
    if (round === 2 && victim !== undefined) process.kill(victim, 'SIGKILL');
    if (round === 6) await run(`${projectDir}/tools/engines/engines`, ['up', 'ceph']);
    const began = performance.now();
    await send(journal, journal.sender.inDraft(`round-${round}`), round);
    tookMs.push(Math.round(performance.now() - began));
  }
  process.stdout.write(`lost OSD: a dispatch of 9 MiB took ${tookMs.join(', ')} ms; killed before the third\n`);
  await eventually('all three run', async () => Object.keys(await osds()).length === 3 || undefined);
  expect(await check([journal])).toEqual([]);
  const refusals = [...journal.uploads, ...journal.dispatches].flatMap((intention) => intention.refusals);
  expect(refusals).toEqual([]);
});

async function send(journal: Journal, client: Client, round: number): Promise<void> {
  const files = [{ name: `${round}.bin`, content: randomBytes(9 * 1024 * 1024) }];
  const to = [journal.receiver.user];
  const upload = journal.recordUpload(`round-${round}`, files);
  expect((await client.setReceivers(to.map((email) => ({ email })))).status).toBe(200);
  expect((await client.files()).status).toBe(200);
  expect((await askOnce(upload, 'done', () => client.upload(...files)))?.status).toBe(200);
  const dispatch = journal.recordDispatch(
    `round-${round}`,
    files,
    to,
    `message ${round}-${randomBytes(6).toString('hex')}`,
  );
  const response = await askOnce(dispatch, 'ok', () => client.createDrop({ ddmessage: dispatch.message }));
  expect(response?.status).toBe(200);
}
