import { type Context, withClient } from '../context.ts';
import { formatTime } from '../terminal/format.ts';
import { printLinks } from './send.ts';

export interface RequestCommandOptions {
  to: string[];
  message?: string;
  days?: number;
  reusable?: boolean;
  key?: string;
  mail: boolean;
}

export async function requestFiles(
  context: Context,
  { to, message, days, reusable, key, mail }: RequestCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  const notify = mail ? undefined : false;
  const request = await withClient(context, (client) =>
    client.request({ to, message, days, reusable, notify, idempotencyKey: key, signal }),
  );
  const { id, reference, expires_at: end } = request;
  await output.print(`Asked ${to.join(', ')} for files as ${reference}, until ${formatTime(end)}.`, {
    status: 'requested',
    id,
    reference,
    expires_at: end,
    to,
  });
  await printLinks(output, request.receivers);
}
