// Measures the log at a rate of events, and at a size. Short by default; `npm run lab -- evidence-log` runs it at length.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { computeRoot, hashLeaf, proveInclusion, verifyInclusion } from '@waybill/evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { createEmptyBucket } from '../../../test/object-store.ts';
import { type S3LogObjects, s3LogObjects } from '../../engines/s3/log-objects.ts';
import { startSequencing } from '../../jobs/loops.ts';
import { LogTree } from './log-tree.ts';
import { readTilesOf, toObjectName } from './read-log.ts';

const seconds = Number(process.env['WAYBILL_LOG_SECONDS'] ?? 3);
const perSecond = Number(process.env['WAYBILL_LOG_EVENTS'] ?? 200);
const leaves = Number(process.env['WAYBILL_LOG_LEAVES'] ?? 5_000);
/** The promise is 3 s; a machine that also runs all other tests gets more. */
const maxLagMs = Number(process.env['WAYBILL_LOG_LAG_MS'] ?? 15_000);
const live = new AbortController().signal;
const report = (line: string) => process.stderr.write(`${line}\n`);

let exchange: TestExchange;
let bucket: Awaited<ReturnType<typeof createEmptyBucket>>;
let logObjects: S3LogObjects;
beforeAll(async () => {
  exchange = await openTestExchange();
  bucket = await createEmptyBucket();
  logObjects = s3LogObjects({ ...engineAddresses.s3, bucket: bucket.name });
});
afterAll(async () => {
  logObjects.close();
  await exchange[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
}, 1_800_000);

test(`${perSecond} events a second are published soon`, { timeout: (seconds + 120) * 1000 }, async () => {
  const { store } = exchange.engines;
  const engines = { ...exchange.engines, logObjects };
  const failures: unknown[] = [];
  const sequencing = startSequencing(engines, { onFailure: (error) => failures.push(error) });
  const published: { size: number; atMs: number }[] = [];
  const watching = new AbortController();
  const watched = (async () => {
    while (!watching.signal.aborted) {
      const [log] = await store.evidenceLog.list();
      if (log && log.publishedSize > (published.at(-1)?.size ?? 0)) {
        published.push({ size: log.publishedSize, atMs: log.publishedAt?.getTime() ?? 0 });
      }
      await pause(50);
    }
  })();
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  const accountId = randomUUID();
  const perStep = Math.max(1, Math.round(perSecond / 20));
  for (let written = 0; written < seconds * perSecond; written += perStep) {
    await pause(Math.max(0, (written / perSecond) * 1000 - (performance.now() - began)));
    const dropId = randomUUID();
    const entries = Array.from({ length: perStep }, () => ({
      accountId,
      dropId,
      position: 0,
      kind: 'link.opened' as const,
      data: {},
    }));
    await store.evidence.append(entries);
  }
  const writtenMs = performance.now() - began;
  let waiting = 1;
  for (let tries = 0; tries < 600 && waiting > 0; tries += 1) {
    ({ waiting } = await store.evidenceLog.readCondition());
    await pause(100);
  }
  await pause(200);
  const { user, system } = process.cpuUsage(cpuBefore);
  const tookMs = performance.now() - began;
  watching.abort();
  await watched;
  await sequencing.stop();
  const rows = await exchange.database.query<{ leafIndex: number; at: Date }>(
    'select leaf_index as "leafIndex", at from evidence_entries order by leaf_index',
  );
  expect(failures).toEqual([]);
  expect(rows.map(({ leafIndex }) => leafIndex)).toEqual(rows.map((_, index) => index));
  let next = 0;
  const lags = rows
    .map(({ leafIndex, at }) => {
      while ((published[next]?.size ?? Number.POSITIVE_INFINITY) <= leafIndex) next += 1;
      return (published[next]?.atMs ?? Number.POSITIVE_INFINITY) - at.getTime();
    })
    .toSorted((a, b) => a - b);
  const percentile = (part: number) => Math.round(lags[Math.floor((lags.length - 1) * part)] ?? 0);
  report(
    `${rows.length} events in ${(writtenMs / 1000).toFixed(1)} s (${Math.round((rows.length / writtenMs) * 1000)}/s): from event to published checkpoint p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, most ${percentile(1)} ms; ${published.length} checkpoints; CPU of writer and sequencer ${Math.round(((user + system) / 1000 / tookMs) * 100)} %`,
  );
  expect(percentile(0.99)).toBeLessThan(maxLagMs);
});

test(`a log of ${leaves} leaves has its size, its objects and quick proofs`, { timeout: 3_600_000 }, async () => {
  const epoch = 9;
  const tree = LogTree.empty();
  const kept: Uint8Array[] = [];
  const entry = Buffer.alloc(32);
  let [objects, bytes, deleted] = [0, 0, 0];
  const began = performance.now();
  while (tree.size < leaves) {
    const count = Math.min(4_096, leaves - tree.size);
    const entries = Array.from({ length: count }, (_, index) => {
      entry.writeUInt32BE(tree.size + index);
      return Buffer.from(entry);
    });
    if (leaves <= 10_000) kept.push(...entries.map((one) => hashLeaf(one)));
    const { files, obsolete } = tree.append(entries);
    for (let from = 0; from < files.length; from += 16) {
      const some = files.slice(from, from + 16);
      await Promise.all(some.map((file) => logObjects.put(toObjectName(epoch, file.path), file.bytes, live)));
    }
    objects += files.length;
    bytes += files.reduce((sum, file) => sum + file.bytes.length, 0);
    deleted += obsolete.length;
    await logObjects.delete(
      obsolete.map((path) => toObjectName(epoch, path)),
      live,
    );
  }
  const wroteMs = performance.now() - began;
  const times: number[] = [];
  for (let nth = 0; nth < 50; nth += 1) {
    const index = Math.floor((leaves / 50) * nth);
    entry.writeUInt32BE(index);
    const since = performance.now();
    const proof = await proveInclusion(readTilesOf(logObjects, epoch), index, leaves);
    times.push(performance.now() - since);
    expect(verifyInclusion({ leafHash: hashLeaf(entry), index, size: leaves, root: tree.root, proof })).toBe(true);
  }
  times.sort((a, b) => a - b);
  if (kept.length > 0) expect(Buffer.compare(tree.root, computeRoot(kept))).toBe(0);
  report(
    `${leaves} leaves in ${Math.round(wroteMs / 1000)} s: ${objects - deleted} objects, ${(bytes / 1024 ** 2).toFixed(1)} MiB written (${(bytes / leaves).toFixed(1)} bytes a leaf); a proof takes ${Math.round(times[25] ?? 0)} ms (p50), ${Math.round(times[49] ?? 0)} ms at most`,
  );
});
