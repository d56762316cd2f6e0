// The object store is full, as Ceph is when an OSD reaches its full ratio: it blocks writes instead of refusing them.
// `npm run lab -- cluster-faults` runs this, on a cluster that no one else uses.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { enginesDir } from '../../tools/demo/environment.ts';
import { freshClient } from '../lib/accounts.ts';
import { succeeded } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { deliver } from '../lib/scenario.ts';
import { eventually } from '../lib/wait.ts';

const run = promisify(execFile);
const putOffWithinMs = 10_000;

const ceph = async (...command: string[]) =>
  (await run('ceph', ['-c', `${enginesDir}/ceph/ceph.conf`, ...command])).stdout;
/** The share of its space at which the store accepts no more. */
const fullAt = async (ratio: number) => {
  for (const limit of ['nearfull', 'backfillfull', 'full']) await ceph('osd', `set-${limit}-ratio`, String(ratio));
};
const isFull = async () => /OSD_FULL|POOL_FULL/.test(await ceph('health', 'detail'));

test('a full store: uploads are put off in time, files can still be fetched, and all is well when there is space', {
  timeout: 300_000,
}, async () => {
  const [sender, receiver] = await Promise.all([freshClient('full'), freshClient('fetching')]);
  const entry = await deliver(sender, receiver, [{ name: 'before.txt', content: 'before' }]);
  await fullAt(0.000001);
  try {
    await eventually('the store is full', async () => (await isFull()) || undefined, { withinMs: 120_000 });
    const began = performance.now();
    assertErrorResponse(
      await sender.impatient().upload({ name: 'meanwhile.txt', content: 'meanwhile' }),
      503,
      'unavailable',
    );
    const tookMs = performance.now() - began;
    process.stdout.write(`full store: an upload was put off after ${Math.round(tookMs)} ms\n`);
    expect(tookMs).toBeLessThan(putOffWithinMs);
    expect((await receiver.download(entry.url, 'before.txt')).body.toString()).toBe('before');
    expect(await sender.readFiles()).toEqual([]);
  } finally {
    await fullAt(0.95);
  }
  await eventually('there is space', async () => !(await isFull()) || undefined, { withinMs: 120_000 });
  succeeded(await sender.upload({ name: 'after.txt', content: 'after' }));
  expect((await sender.readFiles()).map(({ name }) => name)).toEqual(['after.txt']);
});
