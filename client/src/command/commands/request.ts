import { type Context, withClient } from '../context.ts';
import { localTime } from '../terminal/format.ts';
import { sayLinks } from './send.ts';

export interface RequestCommand {
  to: string[];
  message?: string;
  days?: number;
  reusable?: boolean;
  key?: string;
  mail: boolean;
}

export async function requestCommand(
  context: Context,
  { to, message, days, reusable, key, mail }: RequestCommand,
): Promise<void> {
  const { answers, signal } = context;
  const notify = mail ? undefined : false;
  const request = await withClient(context, (client) =>
    client.request({ to, message, days, reusable, notify, idempotencyKey: key, signal }),
  );
  const { id, reference, expires_at: end } = request;
  await answers.say(`Asked ${to.join(', ')} for files as ${reference}, until ${localTime(end)}.`, {
    status: 'requested',
    id,
    reference,
    expires_at: end,
    to,
  });
  await sayLinks(answers, request.receivers);
}
