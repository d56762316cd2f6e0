import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { type AuditTarget, AuditTargetError } from './audit-target.ts';
import { systemAuthor } from './author.ts';
import { forwardAudit } from './forward-audit.ts';

const exchange = await useTestExchange();
const { store } = exchange.engines;

async function append(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const id of ids) {
    await store.audit.append(randomUUID(), { id, author: systemAuthor('sweep'), action: 'drop.extended', details: {} });
  }
  return ids;
}

/** Records batches; `fate` may make it refuse one, or stop after it. */
function recordingTarget(settleMs = 0) {
  const batches: string[][] = [];
  const target = {
    settleMs,
    isLost: false,
    fate: (): 'taken' | 'refused' | 'lost' => 'taken',
    probe: async () => undefined,
    close: () => {
      target.isLost = false;
    },
    send: async (entries: Parameters<AuditTarget['send']>[0]) => {
      const fate = target.fate();
      if (fate === 'refused') throw new AuditTargetError('The response was 500', 'Look at its log.');
      batches.push(entries.map(({ id }) => id));
      if (fate === 'lost') target.isLost = true;
    },
  };
  return { target, batches };
}

function start(target: AuditTarget) {
  const stopping = new AbortController();
  const ended = forwardAudit(exchange.engines, 'syslog', target, stopping.signal);
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  onTestFinished(stop);
  return { stop, ended };
}

/** A transaction of any other test on the same PostgreSQL server delays entries until it ends. */
const patience = { timeout: 60_000, interval: 50 };
const readState = async () => (await store.auditTargets.list()).find(({ name }) => name === 'syslog');
const waitUntilDelivered = () =>
  vi.waitFor(async () => expect(await readState()).toMatchObject({ oldestWaitingAt: null, failure: null }), patience);

test('entries are sent once, from the oldest one, and the position survives', async () => {
  const first = await append(25);
  const one = recordingTarget();
  const sender = start(one.target);
  await waitUntilDelivered();
  await sender.stop();
  expect(one.batches.flat().slice(-25)).toEqual(first);
  expect(one.batches[0]?.length).toBeLessThanOrEqual(10);

  const second = await append(3);
  const other = recordingTarget();
  start(other.target);
  await waitUntilDelivered();
  expect(other.batches.flat()).toEqual(second);
});

test('a refusal is recorded with its reason, and ends with the next success', async () => {
  const { target, batches } = recordingTarget();
  target.fate = () => 'refused';
  start(target);
  const ids = await append(2);
  await vi.waitFor(async () => expect(await readState()).toMatchObject({ failure: 'The response was 500' }), patience);
  expect((await readState())?.failingSince).not.toBeNull();
  target.fate = () => 'taken';
  await waitUntilDelivered();
  expect(batches.flat()).toEqual(ids);
  expect((await readState())?.failingSince).toBeNull();
});

test('entries that a target may have lost are sent again, and those that it has stored are not', async () => {
  const { target, batches } = recordingTarget(600);
  start(target);
  const stored = await append(2);
  await waitUntilDelivered();
  expect(batches.flat()).toEqual(stored);
  const storedBatches = batches.length;
  target.fate = () => (batches.length === storedBatches ? 'lost' : 'taken');
  const lost = await append(2);
  await waitUntilDelivered();
  const sentAfter = batches.slice(storedBatches).flat();
  expect([...new Set(sentAfter)]).toEqual(lost);
  expect(sentAfter.length).toBeGreaterThan(lost.length);

  // With nothing that could be lost, a closed connection is no failure.
  target.isLost = true;
  const later = await append(1);
  await waitUntilDelivered();
  expect(batches.at(-1)).toEqual(later);
});

test('one process at a time sends, and one that has lost its lease records nothing', async () => {
  const holder = await store.auditTargets.take('https', 30);
  expect(await store.auditTargets.take('https', 30)).toBeUndefined();
  await exchange.database.query("update audit_targets set lease_until = now() where name = 'https'");
  const next = await store.auditTargets.take('https', 30);
  const position = { epoch: 1, transactionId: '9', sequence: 9 };
  if (!holder || !next) throw new Error('there is no lease');
  expect(next.lease.fence).toBeGreaterThan(holder.lease.fence);
  expect(await store.auditTargets.advance(holder.lease, position, 30)).toBe(false);
  expect(await store.auditTargets.fail(holder.lease, { reason: 'late', remedy: '' }, 30)).toBe(false);
  await store.auditTargets.release(holder.lease);
  expect(await store.auditTargets.take('https', 30)).toBeUndefined();
  expect(await store.auditTargets.advance(next.lease, position, 30)).toBe(true);
  await store.auditTargets.release(next.lease);
  expect(await store.auditTargets.take('https', 30)).toMatchObject({ position });
});
