import { sweepFiles } from './files/sweep-files.ts';
import type { Engines } from './ports.ts';

const daySeconds = 24 * 60 * 60;
const staleDraftSeconds = 7 * daySeconds;
const idempotencyKeySeconds = 7 * daySeconds;
const rowsPerBatch = 200;
/** Each may have a thousand receivers. */
const remindersPerBatch = 10;
const overdueSeconds = 30;

/**
 * Everything that time ends or brings: drops at their deadline, reminders before it, forgotten drafts, failed uploads,
 * old idempotency keys and browsers; and messages and checks that are due although the job that was to do them is gone.
 * Past its deadline a drop does not answer, whether this has run or not; here its keys are destroyed, which makes the
 * bytes unreadable at once, and then its objects are deleted.
 */
export async function sweep(
  engines: Pick<Engines, 'store' | 'objects' | 'checkpoint'>,
  signal?: AbortSignal,
): Promise<Record<'drops' | 'drafts' | 'reminded' | 'messages' | 'checks' | 'uploads' | 'files' | 'objects', number>> {
  const { drafts, drops, links, outbox, uploads } = engines.store;
  // What fails must not keep the rest from being done, at every sweep anew.
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const all = async (batch: () => Promise<number>, most = rowsPerBatch) =>
    (await inBatches(batch, most).catch(failed)) ?? 0;
  const once = async (work: Promise<number>) => (await work.catch(failed)) ?? 0;

  const swept = {
    drops: await all(() => drops.endExpired(rowsPerBatch)),
    drafts: await all(() => drafts.dropStale(staleDraftSeconds, rowsPerBatch)),
    reminded: await all(() => outbox.remind(remindersPerBatch), remindersPerBatch),
    messages: await once(outbox.wakeOverdue(overdueSeconds, rowsPerBatch * 5)),
    checks: await once(uploads.wakeOverdue(overdueSeconds, rowsPerBatch)),
    uploads: await all(() => uploads.expire(rowsPerBatch)),
  };
  await all(() => drops.forgetIdempotencyKeys(idempotencyKeySeconds, rowsPerBatch));
  await all(() => links.forgetSessions(rowsPerBatch));
  const deleted = (await sweepFiles(engines, signal).catch(failed)) ?? { files: 0, objects: 0 };
  if (failures.length > 0) throw failures[0];
  return { ...swept, ...deleted };
}

async function inBatches(batch: () => Promise<number>, most: number): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await batch();
    total += count;
    if (count < most) return total;
  }
}
