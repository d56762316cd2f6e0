// A clamd that takes long for a file: that upload takes as long, and no other one does.
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { succeeded } from '../lib/client.ts';
import { fullSize } from '../lib/full-size.ts';
import { ownServe } from '../lib/own-serve.ts';
import { slowClamd, slowToScan } from '../lib/slow-clamd.ts';

const scanMs = fullSize ? 90_000 : 35_000;

test('an upload that takes long to scan succeeds, and others are not held up', { timeout: 300_000 }, async () => {
  await using clamd = await slowClamd(scanMs);
  const serve = await ownServe({ WAYBILL_SCAN: 'required', WAYBILL_CLAMD: clamd.address });
  try {
    const client = await freshClient('patient', { baseUrl: serve.baseUrl });
    const began = performance.now();
    const elapsed = () => performance.now() - began;
    const slow = client.upload({ name: 'slow.bin', content: slowToScan }).then((answer) => ({ answer, ms: elapsed() }));
    const other = client.inDraft('other');
    for (let count = 0; count < 20; count++) succeeded(await other.upload({ name: `${count}.txt`, content: 'quick' }));
    const quickMs = elapsed();
    const { answer, ms } = await slow;
    succeeded(answer);
    process.stdout.write(
      `slow scan: 20 uploads in ${(quickMs / 1000).toFixed(1)} s beside one of ${(ms / 1000).toFixed(1)} s\n`,
    );
    expect(ms).toBeGreaterThanOrEqual(scanMs);
    expect(quickMs).toBeLessThan(scanMs);
    expect((await client.readFiles()).map(({ name }) => name)).toEqual(['slow.bin']);
  } finally {
    await serve.stop();
  }
});
