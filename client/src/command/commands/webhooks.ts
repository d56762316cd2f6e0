import type { EventType, Webhook, WebhookAttempt } from '../../generated/wire.ts';
import { realSurroundings } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';
import { type Context, isId, missing, theOnly, withClient } from '../context.ts';
import { CommandError, exits } from '../exit-codes.ts';
import { confirm } from '../terminal/ask.ts';
import { localTime } from '../terminal/format.ts';
import type { Style } from '../terminal/paint.ts';
import type { Column } from '../terminal/table.ts';
import { firstOf } from './lists.ts';

const list = 'waybill webhooks list';

const webhookColumns: readonly Column<Webhook>[] = [
  { header: 'URL', cell: ({ url }) => url, min: 40 },
  { header: 'STATE', cell: stateOf, style: (webhook) => (stateOf(webhook) === 'live' ? 'green' : 'red') },
  { header: 'TYPES', cell: ({ types }) => types?.join(', ') ?? 'all', min: 12 },
  { header: 'DESCRIPTION', cell: ({ description }) => description, min: 11 },
  {
    header: 'CREATED',
    cell: ({ created_at: at }) => localTime(at),
    plain: ({ created_at: at }) => at,
  },
  { header: 'ID', cell: () => '', plain: ({ id }) => id },
];

export async function listWebhooks(context: Context): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const shown = await answers.list(webhookColumns, await client.webhooks.list({ signal }));
    if (shown === 0) answers.notice('There are no webhooks.');
  });
}

export interface CreateWebhookCommand {
  type?: EventType[];
  description?: string;
}

export async function createWebhook(
  context: Context,
  url: string,
  { type, description }: CreateWebhookCommand,
): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const webhook = await client.webhooks.create(
      {
        url,
        ...(type === undefined ? {} : { types: [...new Set(type)] }),
        ...(description === undefined ? {} : { description }),
      },
      { signal },
    );
    answers.notice('The secret is not shown again. Receivers check signatures with it, or with the public key.');
    await answers.show(webhook, (sheet) =>
      sheet.facts([
        ['URL', webhook.url],
        ['Types', webhook.types?.join(', ') ?? 'all'],
        ['Secret', webhook.secret],
        ['Public key', webhook.public_keys.join('\n')],
        ['Id', webhook.id],
      ]),
    );
  });
}

/** A webhook by its id or its URL. */
async function find(client: Waybill, word: string, signal: AbortSignal): Promise<Webhook> {
  const found = (await client.webhooks.list({ signal })).filter(({ id, url }) => id === word || url === word);
  return theOnly(found, 'webhook', word, list);
}

export async function deleteWebhook(context: Context, word: string, { yes }: { yes?: boolean }): Promise<void> {
  const { terminal, answers, signal } = context;
  await withClient(context, async (client) => {
    const { id, url } = await find(client, word, signal);
    await confirm(terminal, signal, `Delete the webhook ${url}?`, yes);
    await client.webhooks.remove(id, { signal });
    await answers.say(`Deleted the webhook ${url}.`, { status: 'deleted', id, url });
  });
}

export async function enableWebhook(context: Context, word: string): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const { id } = await find(client, word, signal);
    const webhook = await client.webhooks.enable(id, { signal });
    await answers.say(`Events are sent to ${webhook.url} again.`, { status: 'enabled', webhook });
  });
}

/** A request takes 15 seconds at most, and may have to wait for others. */
const testWaitMs = 30_000;
const askEveryMs = 500;

/** Sends an event to a webhook, and waits for what comes of it. */
export async function testWebhook(context: Context, word: string): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const { id, url } = await find(client, word, signal);
    const { event_id: eventId } = await client.webhooks.test(id, { signal });
    const attempt = await attemptOf(client, id, eventId, signal);
    if (attempt === undefined) {
      const next = `See later: waybill webhooks attempts ${word}`;
      throw new CommandError(exits.later, 'not_sent_yet', `The event was not sent to ${url} yet.`, next);
    }
    if (!isDelivered(attempt)) {
      const next = 'Correct the receiver, or the URL; the event is sent again later.';
      throw new CommandError(exits.refused, 'not_delivered', `${url} did not take it: ${outcome(attempt)}.`, next);
    }
    await answers.say(`${url} answered ${attempt.status} after ${attempt.duration_ms} ms.`, {
      status: 'delivered',
      attempt,
    });
  });
}

async function attemptOf(
  client: Waybill,
  id: string,
  eventId: string,
  signal: AbortSignal,
): Promise<WebhookAttempt | undefined> {
  const end = Date.now() + testWaitMs;
  for (;;) {
    for await (const attempt of firstOf(client.webhooks.attempts(id, { signal }), 100)) {
      if (attempt.event_id === eventId) return attempt;
    }
    if (Date.now() > end) return undefined;
    await realSurroundings.sleep(askEveryMs, signal);
  }
}

const attemptColumns: readonly Column<WebhookAttempt>[] = [
  { header: 'WHEN', cell: ({ at }) => localTime(at), plain: ({ at }) => at },
  { header: 'TYPE', cell: ({ type }) => type },
  { header: 'ATTEMPT', cell: ({ attempt }) => String(attempt), side: 'right' },
  { header: 'ANSWER', cell: outcome, style: attemptStyle },
  {
    header: 'TOOK',
    cell: ({ duration_ms: time }) => `${time} ms`,
    plain: ({ duration_ms: time }) => String(time),
    side: 'right',
  },
  { header: 'EVENT', cell: ({ event_id: id }) => id, min: 8 },
];

export async function listAttempts(context: Context, word: string, { limit }: { limit?: number }): Promise<void> {
  const { answers, signal } = context;
  await withClient(context, async (client) => {
    const { id } = await find(client, word, signal);
    const shown = await answers.list(attemptColumns, firstOf(client.webhooks.attempts(id, { signal }), limit));
    if (shown === 0) answers.notice('Nothing was sent to it yet.');
  });
}

export interface ReplayCommand {
  event?: string;
  since?: Date;
}

export async function replayEvents(context: Context, word: string, { event, since }: ReplayCommand): Promise<void> {
  const { answers, signal } = context;
  if ((event === undefined) === (since === undefined)) {
    throw new CommandError(exits.usage, 'usage', 'Say what is to be sent again.', 'Use --event or --since.');
  }
  if (event !== undefined && !isId(event)) throw missing(`There is no event ${event}.`, 'waybill webhooks attempts');
  await withClient(context, async (client) => {
    const { id, url } = await find(client, word, signal);
    const what = event === undefined ? { since: (since as Date).toISOString() } : { event_id: event };
    await client.webhooks.replay(id, what, { signal });
    const text = event === undefined ? `Events since ${localTime(what.since ?? '')} are` : `The event ${event} is`;
    await answers.say(`${text} being sent to ${url} again.`, { status: 'replaying', id, ...what });
  });
}

function stateOf({ disabled_at: disabledAt, failing_since: failingSince }: Webhook): string {
  if (disabledAt !== null) return 'disabled';
  return failingSince === null ? 'live' : 'failing';
}

function outcome({ status, failure }: WebhookAttempt): string {
  return status === null ? (failure ?? 'no answer') : String(status);
}

function isDelivered({ status }: WebhookAttempt): boolean {
  return status !== null && status >= 200 && status <= 299;
}

function attemptStyle(attempt: WebhookAttempt): Style {
  return isDelivered(attempt) ? 'green' : 'red';
}
