import { sweepDeletedAccounts } from './accounts/delete-account.ts';
import { systemAuthor } from './audit/author.ts';
import { type Batch, type BatchPosition, batchSize } from './batch.ts';
import type { Engines } from './engines.ts';
import { dropEvents } from './events/drop-events.ts';
import { retryDeletions, sweepFiles } from './files/sweep-files.ts';
import { reportParkedEntries } from './inbox/report-parked.ts';
import { sweepDayKeys } from './keys/sweep-day-keys.ts';
import { deletePeopleOf } from './people/delete-person.ts';

const idempotencyKeySeconds = 7 * 24 * 60 * 60;
const testMessageSeconds = 7 * 24 * 60 * 60;
const rowsPerBatch = batchSize.rows;
/** Each may have a thousand receivers. */
const remindersPerBatch = 10;
const overdueSeconds = 30;

export type Swept = Record<
  | 'drops'
  | 'drafts'
  | 'reminded'
  | 'parked'
  | 'messages'
  | 'checks'
  | 'webhooks'
  | 'uploads'
  | 'purged'
  | 'files'
  | 'objects',
  number
>;
type Needs = Pick<Engines, 'store' | 'objects' | 'dayKeys' | 'checkpoint' | 'policy' | 'logger' | 'random'>;

/** Called at the end of every sweep with what it has done, also if a part of it has failed. */
export type OnSwept = (swept: Swept) => void;

/** Sweeps, unless another process is already sweeping, in which case it returns `undefined`. */
export async function sweepAlone(
  engines: Needs,
  stopping?: AbortSignal,
  positions?: SweepPositions,
  onSwept?: OnSwept,
): Promise<Swept | undefined> {
  return engines.store.exclusively('sweep', (lost) =>
    sweep(engines, stopping ? AbortSignal.any([stopping, lost]) : lost, positions, onSwept),
  );
}

/**
 * Everything that becomes due with time: accounts that were deleted, drops at their deadline, reminders before it, stale drafts, failed
 * uploads, entries that were parked, files whose legal hold was released, old history, deliveries, audit entries, released holds, messages,
 * events, idempotency keys, what was sent to webhooks, browsers, sessions and sign-in links; and messages, checks and webhooks that are due
 * although their job was lost. What accounts store
 * is added up where an upgrade left it to be done. A drop is inaccessible from its deadline on, whether or not this has
 * run. Here its keys are destroyed, which makes the bytes unreadable at once, and then its objects are deleted. Each
 * statement changes a bounded number of rows. Without positions, it is a sweep by itself, and passes everything that is held.
 */
export async function sweep(
  engines: Needs,
  signal?: AbortSignal,
  positions = new SweepPositions(Number.POSITIVE_INFINITY),
  onSwept: OnSwept = () => undefined,
): Promise<Swept> {
  const { responses, audit, drafts, drops, events, evidence, holds, links, outbox, uploads, webhookDeliveries } =
    engines.store;
  const { personLinks, sessions, testMessages, usedTokens } = engines.store;
  const { keepSeconds } = engines.policy;
  // A failure in one step must not prevent the others in every sweep.
  const failures: unknown[] = [];
  const tried = async (work: () => Promise<number>) =>
    (await work().catch((error: unknown) => void failures.push(error))) ?? 0;
  const inBatches = async (batch: () => Promise<Batch>) => {
    let total = 0;
    const counted = async () => {
      const done = await batch();
      total += done.rows;
      return done;
    };
    // The batches before one that fails count.
    await tried(async () => (await runBatches(counted, signal)).rows);
    return total;
  };
  const inPositions = (kind: string, batch: (after: BatchPosition | undefined) => Promise<Batch>) =>
    tried(() => positions.runFrom(kind, batch, signal));
  const upTo = (limit: number, batch: (limit: number) => Promise<number>) =>
    inBatches(async () => {
      const rows = await batch(limit);
      return { rows, more: rows === limit };
    });

  await tried(() =>
    sweepDeletedAccounts(engines, (accountId) => deletePeopleOf(engines, systemAuthor('sweep'), accountId), signal),
  );
  const ended = await upTo(rowsPerBatch, (limit) => endExpired(engines, limit));
  await inBatches(() => drops.empty(batchSize));
  await inPositions('released holds', async (after) => {
    const batch = await holds.emptyReleased(rowsPerBatch, after);
    // Rows that the hold kept may have been passed.
    if (batch.more) positions.clear();
    return batch;
  });
  const swept = {
    drops: ended,
    drafts: await inBatches(() => drafts.dropStale(keepSeconds.drafts, batchSize)),
    reminded: await upTo(remindersPerBatch, outbox.remind),
    parked: await upTo(rowsPerBatch, (limit) => reportParkedEntries(engines, limit)),
    messages: await tried(() => outbox.wakeOverdue(overdueSeconds, rowsPerBatch)),
    checks: await tried(() => uploads.wakeOverdue(overdueSeconds, rowsPerBatch)),
    webhooks: await tried(() => webhookDeliveries.wakeOverdue(overdueSeconds, rowsPerBatch)),
    uploads: await upTo(rowsPerBatch, uploads.expire),
    purged: await purgeOld(keepSeconds.history, (age) =>
      inPositions('drops', (after) => drops.purge(age, batchSize, after)),
    ),
  };
  await purgeOld(keepSeconds.activity, (age) =>
    inPositions('activity', (after) => drops.purgeActivity(age, batchSize, after)),
  );
  await upTo(rowsPerBatch, sessions.purge);
  await upTo(rowsPerBatch, personLinks.purge);
  await upTo(rowsPerBatch, usedTokens.purge);
  await purgeOld(keepSeconds.audit, (age) => inPositions('audit', (after) => audit.purge(age, rowsPerBatch, after)));
  await purgeOld(keepSeconds.audit, (age) => inPositions('holds', (after) => holds.purge(age, rowsPerBatch, after)));
  await purgeOld(keepSeconds.evidence, (age) =>
    inPositions('evidence', (after) => evidence.purge(age, rowsPerBatch, after)),
  );
  await purgeOld(keepSeconds.messages, (age) =>
    inPositions('messages', (after) => outbox.purge(age, rowsPerBatch, after)),
  );
  await upTo(rowsPerBatch, (limit) => testMessages.purge(testMessageSeconds, limit));
  await upTo(rowsPerBatch, (limit) => events.purge(keepSeconds.events, limit));
  await upTo(rowsPerBatch, (limit) => webhookDeliveries.purgeDeliveries(keepSeconds.webhooks, limit));
  await upTo(rowsPerBatch, (limit) => webhookDeliveries.purgeAttempts(keepSeconds.webhooks, limit));
  await upTo(rowsPerBatch, (limit) => responses.purge(idempotencyKeySeconds, limit));
  await inPositions('sessions', (after) => links.purgeSessions(rowsPerBatch, after));
  let deleted = { files: 0, objects: 0 };
  await tried(async () => {
    deleted = await sweepFiles(engines, signal);
    return deleted.files;
  });
  await tried(() => retryDeletions(engines, signal));
  await tried(() => sweepDayKeys(engines, signal));
  const all = { ...swept, ...deleted };
  onSwept(all);
  if (failures.length > 0) throw failures[0];
  return all;
}

/** Purges nothing if there is no age: then records are kept forever. */
async function purgeOld(
  keepSeconds: number | undefined,
  purge: (olderThanSeconds: number) => Promise<number>,
): Promise<number> {
  return keepSeconds === undefined ? 0 : await purge(keepSeconds);
}

/** For one kind in one sweep; the next sweep does the rest. Those that only pass what is held do not count. */
const maxBatches = 1000;
/**
 * A million held records of a kind are passed within five sweeps, and so in about as many minutes. Those of the kind that become due
 * meanwhile wait for so long.
 */
const maxPassingBatches = 100;
/** A kind begins at the front again after so many sweeps, and so in about an hour. */
const sweepsPerPass = 60;

type BatchAfter = (after: BatchPosition | undefined) => Promise<Batch>;

/** Runs batches until nothing is left to do or a sweep has done enough. The next sweep may go on behind `after`. */
async function runBatches(
  batch: BatchAfter,
  signal: AbortSignal | undefined,
  from?: BatchPosition,
  maxPassing = Number.POSITIVE_INFINITY,
): Promise<{ readonly rows: number; readonly after: BatchPosition | undefined; readonly isComplete: boolean }> {
  let [total, count, passing] = [0, 0, 0];
  let after = from;
  while (count < maxBatches && passing < maxPassing) {
    signal?.throwIfAborted();
    const { rows, more, next } = await batch(after);
    total += rows;
    if (!more) return { rows: total, after, isComplete: true };
    if (rows > 0 || next === after) count += 1;
    else passing += 1;
    after = next;
  }
  return { rows: total, after, isComplete: false };
}

/**
 * Where the sweeps of a process go on, so that not each of them passes everything that legal holds keep. Records become due behind these
 * positions. Those that were passed and are not kept any more are reached when a kind begins at the front again.
 */
export class SweepPositions {
  readonly #maxPassing: number;
  readonly #positions = new Map<string, { readonly after: BatchPosition; readonly sweeps: number }>();

  constructor(maxPassing = maxPassingBatches) {
    this.#maxPassing = maxPassing;
  }

  /** Runs batches of a kind from its position on. Returns how many rows they changed. */
  async runFrom(kind: string, batch: BatchAfter, signal: AbortSignal | undefined): Promise<number> {
    const { after: from, sweeps = 0 } = this.#positions.get(kind) ?? {};
    const { rows, after, isComplete } = await runBatches(batch, signal, from, this.#maxPassing);
    const isLast = isComplete && sweeps + 1 >= sweepsPerPass;
    if (after && !isLast) this.#positions.set(kind, { after, sweeps: sweeps + 1 });
    else this.#positions.delete(kind);
    return rows;
  }

  clear(): void {
    this.#positions.clear();
  }
}

/** Ends up to `count` drops that are past their deadline. Returns how many. */
async function endExpired({ store }: Pick<Engines, 'store'>, count: number): Promise<number> {
  return store.transaction(async (tx) => {
    const ended = await tx.drops.endExpired(count);
    await tx.evidence.append(
      ended.map(({ accountId, dropId, keyDay }) => {
        return { accountId, dropId, kind: 'drop.expired', data: { key_day: keyDay } };
      }),
    );
    await tx.events.append(ended.flatMap((drop) => dropEvents(drop, 'expired')));
    return ended.length;
  });
}
