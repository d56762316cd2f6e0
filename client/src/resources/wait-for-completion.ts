import type { CallOptions } from '../call-options.ts';
import { isWaybillError, WaybillError } from '../errors.ts';
import type { DropDetails } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import { Events, maxWaitSeconds } from './events.ts';

/** How long to wait for the receivers of a drop. */
export interface CompletionOptions extends CallOptions {
  /** How long to wait, in seconds. Without it, waits until the drop has ended. */
  timeoutSeconds?: number | undefined;
}

/** The end of a wait for the receivers of a drop. */
export interface Completion {
  /** Whether every file was sent in full to every receiver whose link is not revoked. */
  completed: boolean;
  /** The drop, with the state of every receiver. If it is not completed but `live`, the time ran out. */
  drop: DropDetails;
}

/** The pause while the server is away, besides those of each request. */
const retryMs = 10_000;
/** The pauses between two reads of the drop, if the key may not read events. */
const firstPollMs = 2_000;
const longestPollMs = 30_000;

/**
 * Waits until every receiver has downloaded every file, the drop has ended, or the time runs out.
 *
 * @internal
 */
export async function waitForCompletion(
  api: ApiClient,
  id: string,
  getDrop: () => Promise<DropDetails>,
  { timeoutSeconds = Number.POSITIVE_INFINITY, signal }: CompletionOptions,
): Promise<Completion> {
  if (!(timeoutSeconds >= 0)) throw new WaybillError('invalid_argument', 'The time to wait must not be negative.');
  const end = api.runtime.now() + timeoutSeconds * 1000;
  const wait: Wait = { id, events: new Events(api), api, getDrop, signal };
  let last: Completion | undefined;
  for (;;) {
    try {
      const left = Math.max(0, end - api.runtime.now());
      last = await readNext(wait, last, left);
      if (last.completed || last.drop.state !== 'live' || api.runtime.now() >= end) return last;
    } catch (error) {
      if (isWaybillError(error, 'cursor_expired')) wait.cursor = undefined;
      // A key that may only send reads its own drops, but no events.
      else if (isWaybillError(error, 'scope_missing') && wait.pollMs === undefined) wait.pollMs = firstPollMs;
      else await waitForServer(api, error, end, signal);
    }
  }
}

interface Wait {
  readonly id: string;
  readonly events: Events;
  readonly api: ApiClient;
  readonly getDrop: () => Promise<DropDetails>;
  readonly signal: AbortSignal | undefined;
  /** Where the events go on. */
  cursor?: string | undefined;
  /** The next pause, if the drop is read again and again instead. */
  pollMs?: number;
}

/** Reads the drop when it may have changed, or after a while. */
async function readNext(wait: Wait, last: Completion | undefined, leftMs: number): Promise<Completion> {
  const { id, events, api, getDrop, signal, cursor, pollMs } = wait;
  if (pollMs !== undefined) {
    if (last) await api.sleep(Math.min(leftMs, pollMs), signal);
    wait.pollMs = Math.min(longestPollMs, pollMs * 1.5);
    return await readCompletion(getDrop);
  }
  if (cursor === undefined || last === undefined) {
    // The position comes first: what happens after the drop was read is then an event.
    wait.cursor = (await events.list({ cursor: 'end', limit: 1, signal })).next_cursor;
    return await readCompletion(getDrop);
  }
  const waitSeconds = Math.min(Math.ceil(leftMs / 1000), maxWaitSeconds);
  const page = await events.list({ types: lastEvents, dropId: id, cursor, wait: waitSeconds, signal });
  const next = page.data.length > 0 ? await readCompletion(getDrop) : last;
  wait.cursor = page.next_cursor;
  return next;
}

/** Waits for a moment if the server is away, but no longer than the wait as a whole. */
async function waitForServer(
  { runtime }: ApiClient,
  error: unknown,
  end: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const left = end - runtime.now();
  if (!isWaybillError(error) || !error.isRetryable || left <= 0) throw error;
  await runtime.sleep(Math.min(left, retryMs), signal);
}

async function readCompletion(getDrop: () => Promise<DropDetails>): Promise<Completion> {
  const drop = await getDrop();
  const wanted = drop.receivers.filter(({ state }) => state !== 'revoked');
  return { completed: wanted.length > 0 && wanted.every(({ state }) => state === 'completed'), drop };
}

const lastEvents = ['drop.completed', 'drop.expired', 'drop.receiver_revoked', 'drop.revoked'] as const;
