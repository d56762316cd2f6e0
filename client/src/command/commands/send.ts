import { join } from 'node:path';
import type { AddedReceiver } from '../../generated/wire.ts';
import { withoutFolders } from '../../transfer/expand-folders.ts';
import type { Sent, SentFile } from '../../transfer/send.ts';
import { type FileToSend, sourceOf } from '../../transfer/sources.ts';
import { openClient, stateFolder } from '../account.ts';
import { CommandError, exits } from '../exit-codes.ts';
import { humanSize, humanTime } from '../terminal/format.ts';
import { Progress, sizeAt, wholeOf } from '../terminal/progress.ts';
import type { Answers, Terminal } from '../terminal/terminal.ts';
import { type PendingSend, pendingSend } from './pending-sends.ts';

export interface SendCommand {
  to: string[];
  message?: string;
  days?: number;
  name?: string;
  key?: string;
  mail: boolean;
}

export async function sendCommand(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  paths: string[],
  { to, message, days, name = 'stdin', key, mail }: SendCommand,
): Promise<void> {
  const { client, account } = await openClient(terminal);
  const fromInput = paths.includes('-');
  if (fromInput && paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw new CommandError(exits.usage, 'usage', 'Standard input can be sent only once.', 'Name - only once.');
  }
  const files = await withoutFolders(paths.map((path) => (path === '-' ? { name, stream: terminal.input } : path)));
  const words = { url: account.url, user: account.user, files: files.map(placeOf), to, message, days, mail, key };
  // Standard input cannot be read again, so such a send cannot be resumed.
  const pending = fromInput ? undefined : await remember(terminal, answers, words);
  if (pending?.resumed) answers.notice('Resuming an earlier run of this command that was interrupted.');

  const progress = new Progress(terminal);
  progress.expect(wholeOf(await Promise.all(words.files.map(({ path }) => sizeAt(path)))));
  try {
    const sent = await client.send({
      files,
      to,
      message,
      days,
      ...(mail ? {} : { notify: false }),
      idempotencyKey: key ?? pending?.idempotencyKey,
      memory: pending?.memory,
      signal,
      onProgress: ({ name: file, sentBytes, totalBytes }) =>
        progress.show({ name: file, bytes: sentBytes, totalBytes }),
    });
    await pending?.forget();
    progress.clear();
    await answers.say(textOf(sent, to, key), valueOf(sent, to));
    await sayLinks(answers, sent.drop.receivers);
  } finally {
    progress.clear();
    client.close();
  }
}

/** Those who get no mails have links in the answer, which no other answer has. */
export async function sayLinks(answers: Answers, receivers: readonly AddedReceiver[]): Promise<void> {
  for (const { email, link } of receivers) {
    if (link !== undefined) await answers.say(`${email}  ${link}`, { status: 'link', email, link });
  }
}

function placeOf(file: FileToSend): { path: string; name: string } {
  const path = typeof file === 'string' ? file : 'path' in file ? file.path : '';
  return { path, name: sourceOf(file).name };
}

function textOf({ drop, files, repeated }: Sent, to: readonly string[], key: string | undefined): string {
  const what = `${counted(files.length, 'file')} (${humanSize(sizeOf(files))})`;
  const until = humanTime(new Date(drop.expires_at));
  const sent = `Sent ${what} to ${to.join(', ')} as ${drop.reference}, until ${until}. ${scanText(files)}`.trimEnd();
  if (!repeated) return sent;
  return key === undefined
    ? `An earlier run has sent it already, as ${drop.reference}; nothing was sent twice.`
    : `It was sent with the key ${key} already, as ${drop.reference}; nothing was sent now.`;
}

function scanText(files: readonly SentFile[]): string {
  const count = files.filter(({ scan }) => scan === 'clean').length;
  if (count === files.length) return 'No virus was found.';
  if (files.some(({ scan }) => scan === null)) return '';
  return count === 0 ? 'Not scanned for viruses.' : `Only ${count} of ${files.length} were scanned for viruses.`;
}

function valueOf({ drop, files, repeated, idempotencyKey }: Sent, to: readonly string[]): Record<string, unknown> {
  return {
    status: 'sent',
    id: drop.id,
    reference: drop.reference,
    expires_at: drop.expires_at,
    size: sizeOf(files),
    files: files.length,
    scanned: files.filter(({ scan }) => scan === 'clean').length,
    to,
    idempotency_key: idempotencyKey,
    repeated,
  };
}

function sizeOf(files: readonly SentFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
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

export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}
