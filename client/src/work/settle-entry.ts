import type { PostOptions } from '../call-options.ts';
import { ignoreNotFound, isWaybillError } from '../errors.ts';
import type { ClaimedEntry, InboxEntry } from '../generated/wire.ts';
import type { Inbox } from '../resources/inbox.ts';
import type { HandlerResult } from './handle-entry.ts';
import { mayPass } from './judge-error.ts';
import { leaseSeconds } from './lease.ts';
import type { WorkContext } from './work-context.ts';

/** The server has refused to settle an entry for too long, although it renews the lease. The cause is its last error. */
export class NotSettledError extends Error {}

/** A request that fails for as long as this fails because of its entry, and other entries need the slot. */
const maxSettleMs = 5 * leaseSeconds * 1000;

/** Acknowledges an entry or gives it back. Returns false if the server could not be told. */
export async function settleEntry(
  context: WorkContext,
  entry: ClaimedEntry,
  lost: AbortSignal,
  result: HandlerResult,
): Promise<boolean> {
  const { inbox, api } = context.needs;
  const signal = AbortSignal.any([context.beginToSettle(), lost]);
  if (result.end === 'gone') return true;
  if (result.end === 'handled') {
    const idempotencyKey = api.generateKey();
    await persist(context, entry, signal, () => inbox.ack(entry, { idempotencyKey, signal }));
    return true;
  }
  if (result.end === 'stopped') {
    return await giveBack(context, entry, signal, { delaySeconds: 0 }).then(
      () => true,
      () => false,
    );
  }
  const { verdict, error } = result;
  if (verdict === 'stop') context.fail(error);
  const isRefused = verdict === 'refuse';
  const returned = await giveBack(context, entry, signal, { isRefused });
  if (returned && verdict !== 'stop') {
    context.report({ error, outcome: isRefused ? 'refused' : 'returned', entry: returned });
  }
  return true;
}

/** Gives an entry back. One that was not refused is not parked, however often that happens. */
async function giveBack(
  context: WorkContext,
  entry: ClaimedEntry,
  signal: AbortSignal,
  { delaySeconds, isRefused = false }: { delaySeconds?: number; isRefused?: boolean },
): Promise<InboxEntry | undefined> {
  const { inbox, api } = context.needs;
  const idempotencyKey = api.generateKey();
  const returned = await persist(context, entry, signal, () =>
    inbox.nack(entry, { delaySeconds, idempotencyKey, signal }),
  );
  if (isRefused || !returned || returned.parked_at === null) return returned;
  const releaseKey = api.generateKey();
  return await persist(context, entry, signal, () => release(inbox, entry.id, { idempotencyKey: releaseKey, signal }));
}

/** Releases an entry, unless a person has done so first. */
async function release(inbox: Inbox, id: string, options: PostOptions): Promise<InboxEntry> {
  return await inbox.release(id, options).catch((error: unknown) => {
    if (!isWaybillError(error, 'not_parked')) throw error;
    return inbox.get(id, options);
  });
}

/**
 * Repeats a request while the server is away or fails, because the work on the entry is done. The lease ends meanwhile if the
 * server is away; if only this request fails, it is repeated for a limited time.
 */
async function persist<T>(
  context: WorkContext,
  entry: ClaimedEntry,
  signal: AbortSignal,
  request: () => Promise<T>,
): Promise<T | undefined> {
  const beganAt = context.runtime.now();
  for (;;) {
    try {
      return await ignoreNotFound(request());
    } catch (error) {
      const mayWait = !context.options.untilEmpty && !context.stop.aborted && !signal.aborted;
      if (!mayWait || !mayPass(error)) throw error;
      if (context.runtime.now() >= beganAt + maxSettleMs) throw new NotSettledError(undefined, { cause: error });
      context.report({ error, outcome: 'kept', entry });
      await context.pause(AbortSignal.any([signal, context.stop]));
    }
  }
}

/**
 * Releases an entry if the end of its lost lease has parked it, although nobody has refused it. Returns false if the lease
 * has not ended on the server yet.
 */
export async function releaseLost({ needs: { inbox }, leave }: WorkContext, entry: ClaimedEntry): Promise<boolean> {
  const now = await ignoreNotFound(inbox.get(entry.id, { signal: leave }));
  if (now?.attempts !== entry.attempts) return true;
  if (now.state === 'parked') await ignoreNotFound(release(inbox, entry.id, { signal: leave }));
  return now.state !== 'claimed';
}
