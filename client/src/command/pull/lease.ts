import { isWaybillError } from '../../errors.ts';
import type { LeasedEntry } from '../../resources/inbox.ts';
import { defaultRuntime } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';

/** How long an entry stays leased if this machine dies. */
export const leaseSeconds = 60;
const renewIntervalMs = (leaseSeconds * 1000) / 3;

/** The lease has ended: another program may have claimed the entry. */
export class LeaseLostError extends Error {}

/** Runs work on an entry while renewing its lease. If the lease is lost, the work is aborted. */
export async function withLease<T>(
  client: Waybill,
  entry: LeasedEntry,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [done, lost] = [new AbortController(), new AbortController()];
  const renewing = renewUntilAborted(client, entry, AbortSignal.any([signal, done.signal])).catch((error: unknown) => {
    if (!done.signal.aborted)
      lost.abort(isWaybillError(error, 'lease_not_held', 'not_found') ? new LeaseLostError() : error);
  });
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    done.abort();
    await renewing;
  }
}

async function renewUntilAborted(client: Waybill, entry: LeasedEntry, signal: AbortSignal): Promise<never> {
  for (;;) {
    await defaultRuntime.sleep(renewIntervalMs, signal);
    await client.inbox.renew(entry, { leaseSeconds, signal });
  }
}
