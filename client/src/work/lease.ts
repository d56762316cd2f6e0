import { isWaybillError, WaybillError } from '../errors.ts';
import type { Inbox, LeasedEntry } from '../resources/inbox.ts';
import type { Runtime } from '../runtime.ts';
import { mayPass } from './judge-error.ts';

/** How long an entry stays leased if this machine dies. */
export const leaseSeconds = 60;
const leaseMs = leaseSeconds * 1000;
export const renewIntervalMs = leaseMs / 3;
/** The pause before a renewal that failed is tried again. */
const retryMs = 1_000;

interface Needs {
  inbox: Pick<Inbox, 'renew'>;
  runtime: Runtime;
}

/**
 * Runs work on an entry while renewing its lease, which began no earlier than the given time. A server that is away or
 * fails for a moment does no harm. If the lease is lost, the signal of the work is aborted.
 */
export async function withLease<T>(
  needs: Needs,
  entry: LeasedEntry,
  since: number,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const [done, lost] = [new AbortController(), new AbortController()];
  const renewing = renewUntilLost(needs, entry, since, done.signal).catch((error: unknown) => {
    if (!done.signal.aborted) lost.abort(error);
  });
  try {
    return await work(lost.signal);
  } finally {
    done.abort();
    await renewing;
  }
}

async function renewUntilLost(
  { inbox, runtime }: Needs,
  entry: LeasedEntry,
  since: number,
  done: AbortSignal,
): Promise<never> {
  let beganAt = since;
  for (let pause = since + renewIntervalMs - runtime.now(); ; ) {
    await runtime.sleep(Math.max(0, pause), done);
    const startedAt = runtime.now();
    // A request without a response must not outlast the lease.
    const ended = new AbortController();
    const renewed = AbortSignal.any([done, ended.signal]);
    void runtime.sleep(Math.max(0, beganAt + leaseMs - startedAt), renewed).then(
      () => ended.abort(leaseLostError()),
      () => undefined,
    );
    try {
      await inbox.renew(entry, { leaseSeconds, signal: renewed });
      beganAt = startedAt;
      pause = renewIntervalMs;
    } catch (error) {
      if (isWaybillError(error, 'lease_not_held', 'not_found')) throw leaseLostError();
      if (!mayPass(error)) throw error;
      if (runtime.now() >= beganAt + leaseMs) throw leaseLostError();
      pause = retryMs;
    } finally {
      ended.abort();
    }
  }
}

function leaseLostError(): WaybillError {
  return new WaybillError('lease_not_held', 'The lease of the entry was lost.');
}
