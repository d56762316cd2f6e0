import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { runAdmin } from '../../test/run-admin.ts';
import type { FullAuditEntry } from '../domain/audit/audit-store.ts';
import { type AuditTarget, AuditTargetError } from '../domain/audit/audit-target.ts';
import { systemAuthor } from '../domain/audit/author.ts';
import { forwardAudit } from '../domain/audit/forward-audit.ts';

const exchange = await useTestExchange();
const { store } = exchange.engines;

/** A target that records entries, and refuses all batches with a certain one. */
function refusingTarget() {
  const taken: string[] = [];
  const target = {
    refusedId: '',
    settleMs: 0,
    isLost: false,
    probe: async () => undefined,
    close: () => undefined,
    send: async (entries: readonly FullAuditEntry[]) => {
      if (entries.some(({ id }) => id === target.refusedId)) {
        throw new AuditTargetError('The response was 400', 'Look at its log.', { isRefusal: true });
      }
      taken.push(...entries.map(({ id }) => id));
    },
  } satisfies AuditTarget & { refusedId: string };
  return { target, taken };
}

const { target, taken } = refusingTarget();
const engines = { ...exchange.engines, auditTargets: new Map<string, AuditTarget>([['https', target]]) };
const run = (...words: string[]) => runAdmin({ engines }, 'audit', ...words);
const readTargets = async () => JSON.parse(await run('targets', '--json')) as Record<string, unknown>[];

function startSending(): Promise<void> {
  const stopping = new AbortController();
  const ended = forwardAudit(exchange.engines, 'https', target, stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await ended;
  });
  return ended;
}

async function append(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const id of ids) {
    await store.audit.append(randomUUID(), { id, author: systemAuthor('sweep'), action: 'drop.extended', details: {} });
  }
  return ids;
}

/** A transaction of any other test on the same PostgreSQL server delays entries until it ends. */
const patience = { timeout: 60_000, interval: 100 };

test('an entry that a target refuses is found, shown, and left out only by a command that is recorded', async () => {
  expect(await readTargets()).toMatchObject([{ target: 'https', status: 'new', position: null, last_success: null }]);
  const ids = await append(9);
  const refusedId = ids[5] ?? '';
  target.refusedId = refusedId;
  const ended = startSending();
  await vi.waitFor(async () => expect(await readTargets()).toMatchObject([{ refused_entry: refusedId }]), patience);
  expect(taken).toEqual(ids.slice(0, 5));
  const [shown] = await readTargets();
  expect(shown).toMatchObject({ status: 'failing', waiting_entries: 4, last_error: 'The response was 400' });
  expect(shown?.['remedy']).toContain(`waybilld admin audit skip https ${refusedId}`);
  expect(await run('targets')).toMatch(
    /^https: failing\. Since .*: The response was 400\.\n {2}Look at its log\..*\n {2}position \d/,
  );

  const other = run('skip', 'https', ids[6] ?? '');
  await expect(other).rejects.toThrow(`The target https does not refuse the entry ${ids[6]}.`);
  await expect(run('skip', 'syslog', refusedId)).rejects.toThrow('The target syslog does not refuse');
  expect(await run('skip', 'https', refusedId)).toContain(`The target https does not get the entry ${refusedId}.`);
  await expect(run('skip', 'https', refusedId)).rejects.toThrow('does not refuse');
  // The sender notices that it has lost its lease, and nobody sends before this lease would have ended.
  await ended;
  expect(await store.auditTargets.take('https', 30)).toBeUndefined();
  await exchange.database.query('update audit_targets set lease_until = now()');

  void startSending();
  await vi.waitFor(
    async () => expect(await readTargets()).toMatchObject([{ status: 'well', waiting_entries: 0 }]),
    patience,
  );
  expect(taken.slice(0, -1)).toEqual(ids.filter((id) => id !== refusedId));
  const [recorded] = await store.audit.search(
    { actions: ['audit.skipped'] },
    { order: 'newest first', after: undefined, count: 2 },
  );
  expect(taken.at(-1)).toBe(recorded?.id);
  expect(recorded).toMatchObject({
    author: { kind: 'command' },
    details: { target: 'https', entryId: refusedId, failure: 'The response was 400' },
  });
});

test('a target that is not set any more is shown as such', async () => {
  await store.auditTargets.take('syslog', 1);
  const targets = await readTargets();
  expect(targets.find(({ target: name }) => name === 'syslog')).toMatchObject({ status: 'off', remedy: null });
});
