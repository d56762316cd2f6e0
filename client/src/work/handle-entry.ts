import { ignoreNotFound, isWaybillError } from '../errors.ts';
import type { ClaimedEntry } from '../generated/wire.ts';
import { judgeError } from './judge-error.ts';
import { canReadOtherEntry } from './read-other-entry.ts';
import type { WorkContext } from './work-context.ts';
import { toWorkEntry } from './work-entry.ts';
import type { Verdict } from './work-options.ts';

/** The end of a handler's work on an entry. `gone`: the entry had ended. */
export type HandlerResult =
  | { end: 'handled' }
  | { end: 'gone' }
  | { end: 'stopped' }
  | { end: 'failed'; verdict: Exclude<Verdict, 'keep'>; error: unknown };

/** The times that the server reads another entry, but not this one, before this one is returned to the queue. */
const maxOwnFaults = 3;

/**
 * Calls the handler, and again after a fault of the whole server or machine has passed: the next entry would fail as well,
 * and each return to the queue is one of the few attempts of an entry. If the server can read another entry meanwhile, the
 * fault is one of this entry, and must not delay the others.
 */
export async function handleEntry(
  context: WorkContext,
  entry: ClaimedEntry,
  lost: AbortSignal,
): Promise<HandlerResult> {
  const { options, needs, handler } = context;
  const signal = AbortSignal.any([context.stop, lost]);
  for (let ownFaults = 0; ; ) {
    try {
      const details = await ignoreNotFound(needs.inbox.get(entry.id, { signal }));
      if (details === undefined) return { end: 'gone' };
      await handler(toWorkEntry(needs.api, details, signal));
      return { end: 'handled' };
    } catch (error) {
      if (signal.aborted) return { end: 'stopped' };
      const verdict = (options.judge ?? judgeError)(error);
      if (verdict !== 'keep') return { end: 'failed', verdict, error };
      if (ownFaults === maxOwnFaults) return { end: 'failed', verdict: 'return', error };
      context.report({ error, outcome: 'kept', entry });
      try {
        await context.pause(signal);
        if (isWaybillError(error) && (await canReadOtherEntry(needs, entry.id, signal))) ownFaults += 1;
      } catch (interruption) {
        if (signal.aborted) return { end: 'stopped' };
        throw interruption;
      }
    }
  }
}
