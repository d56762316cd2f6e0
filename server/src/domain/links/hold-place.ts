import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Link } from './link-store.ts';

const leaseSeconds = 60;
const renewalMs = 15_000;
/** Before the lease ends: the transfer must have ended when another visit may get its place. */
const marginMs = 5_000;

/**
 * Runs a transfer for which a link with a maximum of downloads has a place for its visit. The place is held until what was
 * sent is recorded, which counts the visit if it got a file in full, and is given back otherwise; that of a process that died
 * is free after the lease. A transfer that lost its place is aborted.
 */
export async function holdPlace<Result>(
  { store, random }: Pick<Engines, 'store' | 'random'>,
  link: Link,
  signal: AbortSignal,
  transfer: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (link.maxDownloads === null || link.session === null) return transfer(signal);
  const id = random.uuid();
  let heldFrom = performance.now();
  const held = await store.transaction((tx) => tx.sharedLinks.reserve(link, id, leaseSeconds));
  if (held === 'used_up') throw new ExchangeError('link_ended', usedUp);
  if (held === 'taken') throw new ExchangeError('too_many_transfers', allTaken, { retryAfterSeconds: leaseSeconds });
  const lost = new AbortController();
  const lose = () => lost.abort(new ExchangeError('too_many_transfers', allTaken, { retryAfterSeconds: leaseSeconds }));
  const renew = async () => {
    const began = performance.now();
    try {
      if (await store.sharedLinks.renew(link, id, leaseSeconds)) heldFrom = began;
      else lose();
    } catch {
      // The database may be back before the lease ends.
    }
    if (performance.now() - heldFrom > leaseSeconds * 1000 - renewalMs - marginMs) lose();
  };
  const timer = setInterval(() => void renew(), renewalMs);
  try {
    return await transfer(AbortSignal.any([signal, lost.signal]));
  } finally {
    clearInterval(timer);
    // Otherwise it is free after the lease.
    await store.sharedLinks.release(link, id).catch(() => undefined);
  }
}

const usedUp = 'This link has been downloaded as often as it may be. Ask its sender for a new one.';
const allTaken =
  'As many others are downloading through this link as may. Try again in a minute: who breaks off gives their place back.';
