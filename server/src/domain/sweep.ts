import { sweepFiles } from './files/sweep-files.ts';
import type { Batch, BatchSize, Engines } from './ports/index.ts';

const daySeconds = 24 * 60 * 60;
const staleDraftSeconds = 7 * daySeconds;
const idempotencyKeySeconds = 7 * daySeconds;
const rowsPerBatch = 1000;
/** `rows` keeps a statement short where drops have many files, `owners` where they have few. */
export const batchSize: BatchSize = { owners: 100, rows: rowsPerBatch };
/** Each may have a thousand receivers. */
const remindersPerBatch = 10;
const overdueSeconds = 30;
/** Of one kind in one sweep; the next sweep does the rest. */
const maxBatches = 1000;

export type Swept = Record<
  'drops' | 'drafts' | 'reminded' | 'messages' | 'checks' | 'uploads' | 'forgotten' | 'files' | 'objects',
  number
>;
type Needs = Pick<Engines, 'store' | 'objects' | 'checkpoint' | 'policy'>;

/** Sweeps, unless a sweep is running in some process: then it answers `undefined`. */
export async function sweepAlone(engines: Needs, stopping?: AbortSignal): Promise<Swept | undefined> {
  return engines.store.exclusively('sweep', (lost) =>
    sweep(engines, stopping ? AbortSignal.any([stopping, lost]) : lost),
  );
}

/**
 * Everything that time ends or brings: drops at their deadline, reminders before it, forgotten drafts, failed uploads,
 * old history, audit entries, idempotency keys and browsers; and messages and checks that are due although the job that
 * was to do them is gone. Past its deadline a drop does not answer, whether this has run or not; here its keys are destroyed, which makes the
 * bytes unreadable at once, and then its objects are deleted. Each statement changes a bounded number of rows.
 */
export async function sweep(engines: Needs, signal?: AbortSignal): Promise<Swept> {
  const { audit, drafts, drops, links, outbox, uploads } = engines.store;
  const { keepSeconds } = engines.policy;
  // What fails must not keep the rest from being done, in every sweep again.
  const failures: unknown[] = [];
  const tried = async (work: () => Promise<number>) =>
    (await work().catch((error: unknown) => void failures.push(error))) ?? 0;
  const inBatches = (batch: () => Promise<Batch>) =>
    tried(async () => {
      let total = 0;
      for (let count = 0; count < maxBatches; count += 1) {
        signal?.throwIfAborted();
        const { rows, more } = await batch();
        total += rows;
        if (!more) break;
      }
      return total;
    });
  const upTo = (limit: number, batch: (limit: number) => Promise<number>) =>
    inBatches(async () => {
      const rows = await batch(limit);
      return { rows, more: rows === limit };
    });

  const ended = await upTo(rowsPerBatch, drops.endExpired);
  await inBatches(() => drops.empty(batchSize));
  const swept = {
    drops: ended,
    drafts: await inBatches(() => drafts.dropStale(staleDraftSeconds, batchSize)),
    reminded: await upTo(remindersPerBatch, outbox.remind),
    messages: await tried(() => outbox.wakeOverdue(overdueSeconds, rowsPerBatch)),
    checks: await tried(() => uploads.wakeOverdue(overdueSeconds, rowsPerBatch)),
    uploads: await upTo(rowsPerBatch, uploads.expire),
    forgotten: await forgetOld(keepSeconds.history, (age) => inBatches(() => drops.forget(age, batchSize))),
  };
  await forgetOld(keepSeconds.audit, (age) => upTo(rowsPerBatch, (limit) => audit.forget(age, limit)));
  await upTo(rowsPerBatch, (limit) => drops.forgetIdempotencyKeys(idempotencyKeySeconds, limit));
  await upTo(rowsPerBatch, links.forgetSessions);
  let deleted = { files: 0, objects: 0 };
  await tried(async () => {
    deleted = await sweepFiles(engines, signal);
    return deleted.files;
  });
  if (failures.length > 0) throw failures[0];
  return { ...swept, ...deleted };
}

/** What is kept for ever has no age at which it is forgotten. */
async function forgetOld(
  keepSeconds: number | undefined,
  forget: (olderThanSeconds: number) => Promise<number>,
): Promise<number> {
  return keepSeconds === undefined ? 0 : await forget(keepSeconds);
}
