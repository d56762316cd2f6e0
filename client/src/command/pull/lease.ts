import { isWaybillError } from '../../errors.ts';
import type { Leased } from '../../resources/inbox.ts';
import { realSurroundings } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';

/** So long nobody else gets an entry if this machine is switched off. */
export const leaseSeconds = 60;
const renewMs = (leaseSeconds * 1000) / 3;

/** Somebody else may have the entry now. */
export class LeaseLost extends Error {}

/** Works on an entry while its lease is renewed. If the lease is lost, the work is ended. */
export async function whileLeased<T>(
  client: Waybill,
  entry: Leased,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [done, lost] = [new AbortController(), new AbortController()];
  const renewing = keepRenewing(client, entry, AbortSignal.any([signal, done.signal])).catch((error: unknown) => {
    if (!done.signal.aborted)
      lost.abort(isWaybillError(error, 'lease_not_held', 'not_found') ? new LeaseLost() : error);
  });
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    done.abort();
    await renewing;
  }
}

async function keepRenewing(client: Waybill, entry: Leased, signal: AbortSignal): Promise<never> {
  for (;;) {
    await realSurroundings.sleep(renewMs, signal);
    await client.inbox.renew(entry, { leaseSeconds, signal });
  }
}
