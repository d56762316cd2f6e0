import type { CallOptions } from '../call-options.ts';
import { isWaybillError, WaybillError } from '../errors.ts';
import type { AccountEvent, DropDetails } from '../generated/wire.ts';
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

/**
 * Waits until every receiver has downloaded every file, the drop has ended, or the time runs out.
 *
 * @internal
 */
export async function waitForCompletion(
  api: ApiClient,
  getDrop: () => Promise<DropDetails>,
  { timeoutSeconds = Number.POSITIVE_INFINITY, signal }: CompletionOptions,
): Promise<Completion> {
  if (!(timeoutSeconds >= 0)) throw new WaybillError('invalid_argument', 'The time to wait must not be negative.');
  const events = new Events(api);
  const end = api.runtime.now() + timeoutSeconds * 1000;
  let cursor: string | undefined;
  let last: Completion | undefined;
  for (;;) {
    try {
      if (cursor === undefined || last === undefined) {
        // The position comes first: what happens after the drop was read is then an event.
        cursor = (await events.list({ cursor: 'end', limit: 1, signal })).next_cursor;
        last = await readCompletion(getDrop);
      }
      const left = Math.ceil((end - api.runtime.now()) / 1000);
      if (last.completed || last.drop.state !== 'live' || left <= 0) return last;
      const page = await events.list({ cursor, wait: Math.min(left, maxWaitSeconds), signal });
      cursor = page.next_cursor;
      const { id } = last.drop;
      if (page.data.some((event) => mayEndWait(event, id))) last = await readCompletion(getDrop);
    } catch (error) {
      if (isWaybillError(error, 'cursor_expired')) cursor = undefined;
      else await waitForServer(api, error, end, signal);
    }
  }
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

const lastEvents: ReadonlySet<AccountEvent['type']> = new Set([
  'drop.completed',
  'drop.expired',
  'drop.receiver_revoked',
  'drop.revoked',
]);

function mayEndWait({ type, data }: AccountEvent, id: string): boolean {
  return lastEvents.has(type) && 'drop_id' in data && data.drop_id === id;
}
