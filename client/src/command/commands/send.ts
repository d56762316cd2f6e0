import { join } from 'node:path';
import type { AddedReceiver } from '../../generated/wire.ts';
import { expandFolders } from '../../transfer/expand-folders.ts';
import type { SendResult, SentFile } from '../../transfer/send.ts';
import { type FileToSend, toSource } from '../../transfer/sources.ts';
import { openClient, stateFolder } from '../account.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { formatDate, formatSize, pluralize } from '../terminal/format.ts';
import { findFileSize, Progress, toTotal } from '../terminal/progress.ts';
import type { Output, Terminal } from '../terminal/terminal.ts';
import { openPendingSend, type PendingSend } from './pending-sends.ts';

export interface SendCommandOptions {
  to: string[];
  message?: string;
  days?: number;
  name?: string;
  key?: string;
  mail: boolean;
}

export async function sendFiles(
  terminal: Terminal,
  output: Output,
  signal: AbortSignal,
  paths: string[],
  { to, message, days, name = 'stdin', key, mail }: SendCommandOptions,
): Promise<void> {
  const { client, account } = await openClient(terminal);
  const fromInput = paths.includes('-');
  if (fromInput && paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw new CommandError(exitCodes.usage, 'usage', 'Standard input can be sent only once.', 'Use - only once.');
  }
  const files = await expandFolders(paths.map((path) => (path === '-' ? { name, stream: terminal.input } : path)));
  const words = { url: account.url, user: account.user, files: files.map(toPathAndName), to, message, days, mail, key };
  // Standard input cannot be read again, so such a send cannot be resumed.
  const pending = fromInput ? undefined : await openRecord(terminal, output, words);
  if (pending?.resumed) output.notice('Resuming an earlier run of this command that was interrupted.');

  const progress = new Progress(terminal);
  progress.setTotal(toTotal(await Promise.all(words.files.map(({ path }) => findFileSize(path)))));
  try {
    const sent = await client.send({
      files,
      to,
      message,
      days,
      ...(mail ? {} : { notify: false }),
      idempotencyKey: key ?? pending?.idempotencyKey,
      uploadStore: pending?.uploadStore,
      signal,
      onProgress: ({ name: file, sentBytes, totalBytes }) =>
        progress.show({ name: file, bytes: sentBytes, totalBytes }),
    });
    await pending?.delete();
    progress.clear();
    await output.print(describeSend(sent, to, key), toJsonValue(sent, to));
    await printLinks(output, sent.drop.receivers);
  } finally {
    progress.clear();
    client.close();
  }
}

/** Prints the links of receivers who get no mails. No other response contains them. */
export async function printLinks(output: Output, receivers: readonly AddedReceiver[]): Promise<void> {
  for (const { email, link } of receivers) {
    if (link !== undefined) await output.print(`${email}  ${link}`, { status: 'link', email, link });
  }
}

function toPathAndName(file: FileToSend): { path: string; name: string } {
  const path = typeof file === 'string' ? file : 'path' in file ? file.path : '';
  return { path, name: toSource(file).name };
}

function describeSend({ drop, files, repeated }: SendResult, to: readonly string[], key: string | undefined): string {
  const what = `${pluralize(files.length, 'file')} (${formatSize(sumSizes(files))})`;
  const until = formatDate(new Date(drop.expires_at));
  const sent =
    `Sent ${what} to ${to.join(', ')} as ${drop.reference}, until ${until}. ${describeScan(files)}`.trimEnd();
  if (!repeated) return sent;
  return key === undefined
    ? `An earlier run already sent this as ${drop.reference}; nothing was sent twice.`
    : `This was already sent with the key ${key} as ${drop.reference}; nothing was sent now.`;
}

function describeScan(files: readonly SentFile[]): string {
  const count = files.filter(({ scan }) => scan === 'clean').length;
  if (count === files.length) return 'No virus was found.';
  if (files.some(({ scan }) => scan === null)) return '';
  return count === 0 ? 'Not scanned for viruses.' : `Only ${count} of ${files.length} files were scanned for viruses.`;
}

function toJsonValue(
  { drop, files, repeated, idempotencyKey }: SendResult,
  to: readonly string[],
): Record<string, unknown> {
  return {
    status: 'sent',
    id: drop.id,
    reference: drop.reference,
    expires_at: drop.expires_at,
    size: sumSizes(files),
    files: files.length,
    scanned: files.filter(({ scan }) => scan === 'clean').length,
    to,
    idempotency_key: idempotencyKey,
    repeated,
  };
}

function sumSizes(files: readonly SentFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Opens the record of the send. Without it, the send works but cannot be resumed. */
async function openRecord(
  terminal: Terminal,
  output: Output,
  words: Parameters<typeof openPendingSend>[1],
): Promise<PendingSend | undefined> {
  const folder = join(stateFolder(terminal), 'sends');
  try {
    return await openPendingSend(folder, words, Date.now());
  } catch (error) {
    output.notice(
      `${folder} cannot be written (${(error as Error).message}): if this send is interrupted, it cannot be resumed.`,
    );
    return undefined;
  }
}
