import { sweepFiles } from './files/sweep-files.ts';
import type { Engines } from './ports.ts';

const daySeconds = 24 * 60 * 60;
const staleDraftSeconds = 7 * daySeconds;
const idempotencyKeySeconds = 7 * daySeconds;
const rowsPerBatch = 200;
const overdueMailSeconds = 30;

/**
 * Everything that time ends: drops at their deadline, forgotten drafts, failed uploads, old idempotency keys; and mails
 * that are due although the job that was to send them is gone. Past its
 * deadline a drop does not answer, whether this has run or not; here its keys are destroyed, which makes the bytes
 * unreadable at once, and then its objects are deleted.
 */
export async function sweep(
  engines: Pick<Engines, 'store' | 'objects' | 'checkpoint'>,
  signal?: AbortSignal,
): Promise<{ drops: number; drafts: number; mails: number; files: number; objects: number }> {
  const { drafts, drops, mails } = engines.store;
  const endedDrops = await inBatches(() => drops.endExpired(rowsPerBatch));
  const droppedDrafts = await inBatches(() => drafts.dropStale(staleDraftSeconds, rowsPerBatch));
  const wokenMails = await mails.wakeOverdue(overdueMailSeconds, rowsPerBatch * 5);
  await inBatches(() => drops.forgetIdempotencyKeys(idempotencyKeySeconds, rowsPerBatch));
  return { drops: endedDrops, drafts: droppedDrafts, mails: wokenMails, ...(await sweepFiles(engines, signal)) };
}

async function inBatches(batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await batch();
    total += count;
    if (count < rowsPerBatch) return total;
  }
}
