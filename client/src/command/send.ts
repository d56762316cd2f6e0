import { join } from 'node:path';
import type { FileToSend } from '../sources.ts';
import { openClient, stateFolder } from './account.ts';
import { CommandError, exits } from './exits.ts';
import { type PendingSend, pendingSend } from './pending-sends.ts';
import { Progress, wholeOf } from './progress.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface SendCommand {
  to: string[];
  message?: string;
  days?: number;
  name?: string;
  key?: string;
}

export async function sendCommand(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  paths: string[],
  { to, message, days, name = 'stdin', key }: SendCommand,
): Promise<void> {
  const { client, account } = await openClient(terminal);
  const fromInput = paths.includes('-');
  if (fromInput && paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw new CommandError(exits.usage, 'usage', 'Standard input can be sent only once.', 'Name - only once.');
  }
  const files: FileToSend[] = paths.map((path) => (path === '-' ? { name, stream: terminal.input } : path));
  const words = { url: account.url, user: account.user, paths, to, message, days };
  // Standard input cannot be read again, so such a send cannot be resumed.
  const pending = key === undefined && !fromInput ? await remember(terminal, answers, words) : undefined;
  if (pending?.resumed) answers.notice('Resuming an earlier run of this command that was interrupted.');

  const progress = new Progress(terminal);
  progress.expect(await wholeOf(paths));
  try {
    const { repeated, idempotencyKey } = await client.send({
      files,
      to,
      message,
      days,
      idempotencyKey: key ?? pending?.idempotencyKey,
      signal,
      onProgress: ({ name: file, sentBytes, totalBytes }) =>
        progress.show({ name: file, bytes: sentBytes, totalBytes }),
    });
    await pending?.forget();
    progress.clear();
    const value = { status: 'sent', files: files.length, to, idempotency_key: idempotencyKey, repeated };
    if (repeated)
      await answers.say(
        key === undefined
          ? 'An earlier run has sent it already; nothing was sent twice.'
          : `Something was sent with the key ${key} already; nothing was sent now.`,
        value,
      );
    else await answers.say(`Sent ${counted(files.length, 'file')} to ${to.join(', ')}.`, value);
  } finally {
    progress.clear();
    client.close();
  }
}

/** A send works without its record too; but a run after an interruption would then be a send of its own. */
async function remember(
  terminal: Terminal,
  answers: Answers,
  words: Parameters<typeof pendingSend>[1],
): Promise<PendingSend | undefined> {
  const folder = join(stateFolder(terminal), 'sends');
  try {
    return await pendingSend(folder, words, Date.now());
  } catch (error) {
    answers.notice(
      `${folder} cannot be written (${(error as Error).message}): if this send is interrupted, it cannot be resumed.`,
    );
    return undefined;
  }
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
