import type { EventType, Webhook, WebhookAttempt } from '../../generated/wire.ts';
import { defaultRuntime } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';
import { type Context, isId, notFoundError, requireSingle, withClient } from '../context.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { confirm } from '../terminal/ask.ts';
import { formatTime, pluralize } from '../terminal/format.ts';
import type { Style } from '../terminal/paint.ts';
import type { Column } from '../terminal/table.ts';
import { takeFirst } from './lists.ts';

const listCommand = 'waybill webhooks list';

const webhookColumns: readonly Column<Webhook>[] = [
  { header: 'URL', cell: ({ url }) => url, min: 40 },
  { header: 'STATE', cell: webhookState, style: (webhook) => (webhookState(webhook) === 'live' ? 'green' : 'red') },
  { header: 'TYPES', cell: ({ types }) => types?.join(', ') ?? 'all', min: 12 },
  { header: 'DESCRIPTION', cell: ({ description }) => description, min: 11 },
  {
    header: 'CREATED',
    cell: ({ created_at: at }) => formatTime(at),
    plain: ({ created_at: at }) => at,
  },
  { header: 'ID', cell: () => '', plain: ({ id }) => id },
];

export async function listWebhooks(context: Context): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const shown = await output.printList(webhookColumns, await client.webhooks.list({ signal }));
    if (shown === 0) output.notice('There are no webhooks.');
  });
}

export interface CreateWebhookCommandOptions {
  type?: EventType[];
  description?: string;
}

export async function createWebhook(
  context: Context,
  url: string,
  { type, description }: CreateWebhookCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const webhook = await client.webhooks.create(
      {
        url,
        ...(type === undefined ? {} : { types: [...new Set(type)] }),
        ...(description === undefined ? {} : { description }),
      },
      { signal },
    );
    output.notice('The secret is not shown again. Receivers verify signatures with it, or with the public key.');
    await output.printDetails(webhook, (sheet) =>
      sheet.addFacts([
        ['URL', webhook.url],
        ['Types', webhook.types?.join(', ') ?? 'all'],
        ['Secret', webhook.secret],
        ['Public key', webhook.public_keys.join('\n')],
        ['Id', webhook.id],
      ]),
    );
  });
}

/** Finds a webhook by its id or its URL. */
async function findWebhook(client: Waybill, identifier: string, signal: AbortSignal): Promise<Webhook> {
  const found = (await client.webhooks.list({ signal })).filter(
    ({ id, url }) => id === identifier || url === identifier,
  );
  return requireSingle(found, 'webhook', identifier, listCommand);
}

export async function deleteWebhook(context: Context, identifier: string, { yes }: { yes?: boolean }): Promise<void> {
  const { terminal, output, signal } = context;
  await withClient(context, async (client) => {
    const { id, url } = await findWebhook(client, identifier, signal);
    if (!(await confirm(terminal, signal, `Delete the webhook ${url}?`, yes))) return await output.printUnchanged();
    await client.webhooks.delete(id, { signal });
    await output.print(`Deleted the webhook ${url}.`, { status: 'deleted', id, url });
  });
}

export async function enableWebhook(context: Context, identifier: string): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { id } = await findWebhook(client, identifier, signal);
    const webhook = await client.webhooks.enable(id, { signal });
    await output.print(`Events are sent to ${webhook.url} again.`, { status: 'enabled', webhook });
  });
}

export async function disableWebhook(context: Context, identifier: string): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { id } = await findWebhook(client, identifier, signal);
    const webhook = await client.webhooks.disable(id, { signal });
    await output.print(`No events are sent to ${webhook.url} until it is enabled.`, { status: 'disabled', webhook });
  });
}

/** A request takes at most 15 seconds, and may have to wait for others. */
const testTimeoutMs = 30_000;
const pollIntervalMs = 500;

/** Sends an event to a webhook, and waits for the outcome. */
export async function testWebhook(context: Context, identifier: string): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { id, url } = await findWebhook(client, identifier, signal);
    const { event_id: eventId } = await client.webhooks.test(id, { signal });
    const attempt = await waitForAttempt(client, id, eventId, signal);
    if (attempt === undefined) {
      const next = `Check later: waybill webhooks attempts ${identifier}`;
      throw new CommandError(exitCodes.temporary, 'not_sent_yet', `The event has not been sent to ${url} yet.`, next);
    }
    if (!isDelivered(attempt)) {
      const next = 'Correct the receiver or the URL. The event is sent again later.';
      throw new CommandError(exitCodes.refused, 'not_delivered', describeRefusal(url, attempt), next);
    }
    await output.print(`${url} responded with ${attempt.status} after ${attempt.duration_ms} ms.`, {
      status: 'delivered',
      attempt,
    });
  });
}

async function waitForAttempt(
  client: Waybill,
  id: string,
  eventId: string,
  signal: AbortSignal,
): Promise<WebhookAttempt | undefined> {
  const end = Date.now() + testTimeoutMs;
  for (;;) {
    for await (const attempt of takeFirst(client.webhooks.attempts(id, { signal }), 100)) {
      if (attempt.event_id === eventId) return attempt;
    }
    if (Date.now() > end) return undefined;
    await defaultRuntime.sleep(pollIntervalMs, signal);
  }
}

const attemptColumns: readonly Column<WebhookAttempt>[] = [
  { header: 'WHEN', cell: ({ at }) => formatTime(at), plain: ({ at }) => at },
  { header: 'TYPE', cell: ({ type }) => type },
  { header: 'ATTEMPT', cell: ({ attempt }) => String(attempt), side: 'right' },
  { header: 'RESPONSE', cell: formatOutcome, style: attemptStyle },
  {
    header: 'TOOK',
    cell: ({ duration_ms: time }) => `${time} ms`,
    plain: ({ duration_ms: time }) => String(time),
    side: 'right',
  },
  { header: 'EVENT', cell: ({ event_id: id }) => id, min: 8 },
];

export async function listAttempts(context: Context, identifier: string, { limit }: { limit?: number }): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const { id } = await findWebhook(client, identifier, signal);
    const shown = await output.printList(attemptColumns, takeFirst(client.webhooks.attempts(id, { signal }), limit));
    if (shown === 0) output.notice('Nothing has been sent to it yet.');
  });
}

export interface ReplayCommandOptions {
  event?: string;
  since?: Date;
}

export async function replayEvents(
  context: Context,
  identifier: string,
  { event, since }: ReplayCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  if ((event === undefined) === (since === undefined)) {
    throw new CommandError(exitCodes.usage, 'usage', 'No events to send again were given.', 'Use --event or --since.');
  }
  if (event !== undefined && !isId(event))
    throw notFoundError(`There is no event ${event}.`, 'waybill webhooks attempts');
  await withClient(context, async (client) => {
    const { id, url } = await findWebhook(client, identifier, signal);
    const what = event === undefined ? { since: (since as Date).toISOString() } : { event_id: event };
    const { event_count: count } = await client.webhooks.replay(id, what, { signal });
    const period = event === undefined ? ` since ${formatTime(what.since ?? '')}` : '';
    await output.print(`Sending ${pluralize(count, 'event')}${period} to ${url} again.`, {
      status: 'replaying',
      id,
      ...what,
      event_count: count,
    });
  });
}

function webhookState({ disabled_at: disabledAt, failing_since: failingSince }: Webhook): string {
  if (disabledAt !== null) return 'disabled';
  return failingSince === null ? 'live' : 'failing';
}

function formatOutcome({ status, failure }: WebhookAttempt): string {
  return status === null ? (failure ?? 'no response') : String(status);
}

const failures: Readonly<Record<string, (url: string) => string>> = {
  no_public_address: (url) => `The host of ${url} is unknown, or its address is not public.`,
  url_not_allowed: (url) => `The server sends no events to ${url}: it is not an allowed https URL.`,
  no_connection: (url) => `${url} does not accept connections.`,
  tls_failed: (url) => `The certificate of ${url} is not valid, or it does not speak TLS.`,
  timeout: (url) => `${url} did not respond in time.`,
  broken_response: (url) => `The response of ${url} broke off.`,
};

function describeRefusal(url: string, { status, failure }: WebhookAttempt): string {
  if (status !== null) return `${url} did not accept the event: it responded with ${status}.`;
  return failures[failure ?? '']?.(url) ?? `${url} did not respond.`;
}

function isDelivered({ status }: WebhookAttempt): boolean {
  return status !== null && status >= 200 && status <= 299;
}

function attemptStyle(attempt: WebhookAttempt): Style {
  return isDelivered(attempt) ? 'green' : 'red';
}
