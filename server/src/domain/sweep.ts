import { sweepFiles } from './files/sweep-files.ts';
import type { Engines } from './ports.ts';

const daySeconds = 24 * 60 * 60;
const staleDraftSeconds = 7 * daySeconds;
const idempotencyKeySeconds = 7 * daySeconds;
const rowsPerBatch = 200;
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
): Promise<Record<'drops' | 'drafts' | 'reminded' | 'messages' | 'checks' | 'files' | 'objects', number>> {
  const { drafts, drops, links, outbox, uploads } = engines.store;
  const swept = {
    drops: await inBatches(() => drops.endExpired(rowsPerBatch)),
    drafts: await inBatches(() => drafts.dropStale(staleDraftSeconds, rowsPerBatch)),
    reminded: await inBatches(() => outbox.remind(rowsPerBatch)),
    messages: await outbox.wakeOverdue(overdueSeconds, rowsPerBatch * 5),
    checks: await uploads.wakeOverdue(overdueSeconds, rowsPerBatch),
  };
  await inBatches(() => drops.forgetIdempotencyKeys(idempotencyKeySeconds, rowsPerBatch));
  await inBatches(() => links.forgetSessions(rowsPerBatch));
  return { ...swept, ...(await sweepFiles(engines, signal)) };
}

async function inBatches(batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await batch();
    total += count;
    if (count < rowsPerBatch) return total;
  }
}
