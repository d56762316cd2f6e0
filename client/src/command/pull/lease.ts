import { isWaybillError } from '../../errors.ts';
import type { LeasedEntry } from '../../resources/inbox.ts';
import { defaultRuntime } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';

/** So long nobody else gets an entry if this machine is switched off. */
export const leaseSeconds = 60;
const renewIntervalMs = (leaseSeconds * 1000) / 3;

/** Somebody else may have the entry now. */
export class LeaseLostError extends Error {}

/** Works on an entry while its lease is renewed. If the lease is lost, the work is ended. */
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
