import { systemAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { toEvent } from '../events/read-events.ts';
import { retryThroughOutage } from '../flow/retry-through-outage.ts';
import type { Random } from '../ports/random.ts';
import type { PostOutcome } from '../ports/webhook-sender.ts';
import type { AutomaticDisabledReason, ClaimedDelivery, Webhook } from './webhook-store.ts';

const [minute, hour] = [60, 60 * 60];
/**
 * Before each attempt after the first. The first are short, for a receiver that restarts and for people who are waiting
 * while they try their own.
 */
const shortPauses = [5, 30, 2 * minute, 5 * minute, 30 * minute];
const pauses = [...shortPauses, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
/** A receiver can ask for a pause, but not forever. */
const longestPauseSeconds = hour;

/**
 * How long to wait after this many attempts; undefined after the last one. Up to a fifth longer than planned, so that
 * what failed together is not tried again together.
 */
export function retryPause(attempts: number, random: Random): number | undefined {
  const pause = pauses[attempts - 1];
  return pause === undefined ? undefined : pause * (1 + random.bytes(1).readUInt8() / 1275);
}

/** For how long the receiver wants to be left alone (429 and 503 with Retry-After); null: it did not say. */
export function readPause(outcome: PostOutcome): number | null {
  if (!('status' in outcome) || outcome.retryAfterSeconds === undefined) return null;
  if (outcome.status !== 429 && outcome.status !== 503) return null;
  return Math.min(outcome.retryAfterSeconds, longestPauseSeconds);
}

/** The job that sends a webhook what is due. */
export const deliverEventsJob = 'deliver-events';

/** Longer than a turn: what a process that died was sending is sent again after this time. */
const leaseSeconds = 60;
/** After it, other webhooks have their turn. A request takes 15 seconds at most. */
const turnMs = 20_000;
const requestsAtOnce = 4;
const rowsAtOnce = 500;
/** Nothing has reached the receiver for so long that nobody seems to be waiting for it. */
export const disableAfterSeconds = 5 * 24 * 60 * 60;

type Needs = Pick<Engines, 'store' | 'random' | 'webhookSender' | 'webhookSecrets' | 'logger' | 'checkpoint'>;

/**
 * Sends a webhook the events that are due, a few at a time. A webhook has one sender at a time, however many workers
 * there are, so that a slow receiver cannot keep them all busy. An event may be sent twice, if a process dies between
 * sending and recording it; its id is the same.
 */
export async function deliverEvents(
  engines: Needs,
  accountId: string,
  webhookId: string,
  signal?: AbortSignal,
): Promise<void> {
  const { webhookDeliveries } = engines.store;
  // If it cannot be read, it is not leased: the queue tries again in seconds.
  const webhook = await engines.store.transaction((tx) =>
    tx.webhookDeliveries.take(accountId, webhookId, leaseSeconds),
  );
  if (!webhook) {
    // It may have been removed.
    await webhookDeliveries.abandonWaiting(accountId, webhookId, rowsAtOnce);
    return;
  }
  try {
    if (webhook.disabled) await webhookDeliveries.abandonWaiting(accountId, webhookId, rowsAtOnce);
    else await sendWhatIsDue(engines, accountId, webhook, signal);
  } finally {
    await retryThroughOutage(() => webhookDeliveries.release(accountId, webhookId, webhook.lease));
  }
}

async function sendWhatIsDue(
  engines: Needs,
  accountId: string,
  webhook: Webhook,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { webhookDeliveries } = engines.store;
  const end = performance.now() + turnMs;
  await webhookDeliveries.replayNext(accountId, webhook.id, rowsAtOnce);
  const mayGoOn = () => performance.now() < end && signal?.aborted !== true;
  while (mayGoOn()) {
    const due = await webhookDeliveries.claim(accountId, webhook.id, requestsAtOnce, leaseSeconds);
    if (due.length === 0) return;
    const results = await waitForAll(due.map((delivery) => attempt(engines, accountId, webhook, delivery)));
    const reason = results.find(({ disables }) => disables !== undefined)?.disables;
    if (reason !== undefined) await disableFailing(engines, accountId, webhook.id, reason);
    // A receiver that fails makes room for the others.
    if (reason !== undefined || results.some(({ isDelivered }) => !isDelivered)) return;
  }
}

interface AttemptResult {
  readonly isDelivered: boolean;
  readonly disables?: AutomaticDisabledReason | undefined;
}

async function attempt(
  { store, random, webhookSender, webhookSecrets, checkpoint }: Needs,
  accountId: string,
  webhook: Webhook,
  delivery: ClaimedDelivery,
): Promise<AttemptResult> {
  const { eventId, type, attempts, occurredAt: createdAt, data, claimedAt } = delivery;
  const body = JSON.stringify(toEvent({ id: eventId, type, createdAt, data }));
  const salts = [webhook.salt, ...(webhook.previous ? [webhook.previous.salt] : [])];
  const sources = salts.map((salt) => ({ accountId, webhookId: webhook.id, salt }));
  const signed = webhookSecrets.headersFor({ id: eventId, sentAt: claimedAt, body }, sources);
  const begin = performance.now();
  const outcome = await webhookSender.post(
    webhook.url,
    { 'content-type': 'application/json', 'user-agent': 'Waybill', ...signed },
    body,
  );
  checkpoint('webhook:sent');
  const isDelivered = 'status' in outcome && outcome.status >= 200 && outcome.status <= 299;
  const retrySeconds = retryPause(attempts, random);
  const pauseSeconds = readPause(outcome);
  const result = isDelivered
    ? 'delivered'
    : retrySeconds === undefined
      ? 'abandoned'
      : { retrySeconds: Math.max(retrySeconds, pauseSeconds ?? 0), pauseSeconds };
  const recorded = {
    id: random.uuid(),
    eventId,
    type,
    attempt: attempts,
    ...summarizeResponse(outcome),
    durationMs: Math.round(performance.now() - begin),
  };
  // Separate from sending: an attempt that succeeded must not be repeated because recording it failed.
  const failingSeconds = await retryThroughOutage(() =>
    store.webhookDeliveries.record(accountId, webhook.id, recorded, result),
  );
  if (isDelivered) return { isDelivered };
  if (recorded.status === 410) return { isDelivered, disables: 'gone' };
  return { isDelivered, disables: failingSeconds >= disableAfterSeconds ? 'failing' : undefined };
}

function summarizeResponse(outcome: PostOutcome) {
  return 'status' in outcome ? { status: outcome.status, failure: null } : { status: null, failure: outcome.failure };
}

/** Fails only when all have ended: nothing may be on its way when the lease ends. */
async function waitForAll<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Stops sending to a webhook, and tells the account's owner by mail. */
async function disableFailing(
  engines: Pick<Engines, 'store' | 'random' | 'logger'>,
  accountId: string,
  webhookId: string,
  reason: AutomaticDisabledReason,
): Promise<void> {
  const { store, random, logger } = engines;
  await store.transaction(async (tx) => {
    if (!(await tx.webhooks.disable(accountId, webhookId, reason, random.uuid()))) return;
    const details = { webhookId, reason };
    await record(engines, tx, { accountId, author: systemAuthor('server'), action: 'webhook.disabled', details });
    logger.warn('a webhook was disabled', { webhook: webhookId, reason });
  });
}
