import { createHmac, randomBytes } from 'node:crypto';
import type { AccountEvent, EventType } from '../../generated/wire.ts';
import { type Context, withClient } from '../context.ts';
import { CommandError, exitCodes, untilInterrupted } from '../exit-codes.ts';
import { formatTime } from '../terminal/format.ts';

export interface ListenCommandOptions {
  type?: EventType[];
  forward?: URL;
  secret?: string;
}

const timeoutMs = 15_000;

/** Prints new events, and sends them to a URL as a webhook would, so that a receiver can be tested. */
export async function listen(context: Context, { type, forward, secret }: ListenCommandOptions): Promise<void> {
  const { terminal, output, signal } = context;
  const configured = secret ?? terminal.environment['WAYBILL_WEBHOOK_SECRET'];
  const key = configured ?? generateSecret();
  if (!/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(key)) {
    const next = 'Use the secret that `waybill webhooks create` printed, or omit it to generate one.';
    throw new CommandError(exitCodes.usage, 'usage', 'The secret must begin with whsec_.', next);
  }
  await withClient(context, async (client) => {
    if (forward && configured === undefined) output.notice(`Events are signed with this secret: ${key}`);
    output.notice('Waiting for events; press Ctrl-C to stop.');
    await untilInterrupted(signal, async () => {
      for await (const { data } of client.events.follow({ cursor: 'end', signal })) {
        for (const event of data.filter((one) => type === undefined || type.includes(one.type))) {
          const response = forward && (await postEvent(forward, event, key, signal));
          const arrow = response === undefined ? '' : `  → ${response}`;
          await output.print(`${formatTime(event.timestamp)}  ${event.type}  ${formatEventData(event)}${arrow}`, {
            ...event,
            ...(response === undefined ? {} : { response }),
          });
        }
      }
    });
  });
}

/** Returns the status of the response, or why there is none. The event is not sent again. */
async function postEvent(url: URL, event: AccountEvent, secret: string, signal: AbortSignal): Promise<number | string> {
  const { id } = event;
  const body = JSON.stringify(event);
  const sentAt = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${sentAt}.${body}`).digest('base64');
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': sentAt,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    signal.throwIfAborted();
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return name === 'TimeoutError' ? 'timeout' : (cause?.code ?? 'no connection');
  }
}

function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function formatEventData({ data }: AccountEvent): string {
  return Object.entries(data)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
