import type { FileReference } from '../wire.ts';
import { openClient } from './account.ts';
import { humanTime } from './sizes.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface ListCommand {
  limit?: number;
}

/** What other accounts have sent to this one. */
export async function inboxCommand(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  { limit = Number.POSITIVE_INFINITY }: ListCommand,
): Promise<void> {
  const { client } = await openClient(terminal);
  let shown = 0;
  for await (const entry of client.inbox({ signal })) {
    if (shown >= limit) break;
    shown += 1;
    await answers.say(`${humanTime(entry.createtime)}  ${entry.sender}  ${names(entry.files)}`, entry);
  }
  client.close();
  if (shown === 0) answers.notice('The inbox is empty.');
}

/** What this account has sent and asked for. */
export async function historyCommand(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  { limit = Number.POSITIVE_INFINITY }: ListCommand,
): Promise<void> {
  const { client } = await openClient(terminal);
  let shown = 0;
  for await (const entry of client.history({ signal })) {
    if (shown >= limit) break;
    shown += 1;
    const what = entry.drop_type === 'uploadfiles' ? 'asked for files' : names(entry.files);
    const whom = entry.receivers.map(({ email }) => email).join(', ');
    const [firstLine = ''] = entry.ddmessage.split('\n');
    const message = firstLine === '' ? '' : `  "${firstLine}"`;
    await answers.say(`${humanTime(entry.create_time)}  to ${whom}  ${what}${message}`, entry);
  }
  client.close();
  if (shown === 0) answers.notice('Nothing has been sent yet.');
}

function names(files: FileReference[]): string {
  return files.map(({ name }) => name).join(', ');
}
