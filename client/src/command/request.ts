import { openClient } from './account.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface RequestCommand {
  to: string[];
  message?: string;
  days?: number;
  key?: string;
}

export async function requestCommand(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  { to, message, days, key }: RequestCommand,
): Promise<void> {
  const { client } = await openClient(terminal);
  const { repeated } = await client.request({ to, message, days, idempotencyKey: key, signal });
  client.close();
  const value = { status: 'requested', to, repeated };
  if (repeated) await answers.say(`Something was requested with the key ${key} already; nobody was asked now.`, value);
  else await answers.say(`Asked ${to.join(', ')} to send files.`, value);
}
