import type { GiveResult } from '../../link/upload-link.ts';
import { expandFolders } from '../../transfer/expand-folders.ts';
import type { Context } from '../context.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { formatSize, formatTime, pluralize } from '../terminal/format.ts';
import { findFileSize, Progress, toTotal } from '../terminal/progress.ts';
import { type LinkCommandOptions, withLink } from './open-command-link.ts';
import { storeLinkReceipt } from './store-link-receipt.ts';

export interface GiveCommandOptions extends LinkCommandOptions {
  message?: string;
  discardOthers?: boolean;
  again?: boolean;
  receipt?: string;
}

/** Sends files through a link. What an earlier run has uploaded is not uploaded again, and what it has sent is not sent again. */
export async function giveFiles(
  context: Context,
  first: string,
  others: string[],
  options: GiveCommandOptions,
): Promise<void> {
  const { terminal, output, signal } = context;
  const [word, paths] = options.linkFile === undefined ? [first, others] : [undefined, [first, ...others]];
  if (paths.length === 0) {
    throw new CommandError(exitCodes.usage, 'no_files', 'No file was given.', 'Name at least one file.');
  }
  if (paths.includes('-')) {
    const message = 'Standard input cannot be read again after an interruption.';
    throw new CommandError(exitCodes.usage, 'usage', message, 'Write it to a file first, and name that.');
  }
  const files = await expandFolders(paths);
  const { message, discardOthers, again, receipt } = options;
  await withLink(context, 'upload', word, options, async (link) => {
    const { reference, sender } = link.request;
    const progress = new Progress(terminal);
    const found = files.flatMap((file) => (typeof file === 'string' ? [file] : 'path' in file ? [file.path] : []));
    progress.setTotal(toTotal(await Promise.all(found.map(findFileSize))));
    const result = await link
      .give({
        files,
        message,
        discardOthers,
        again,
        signal,
        onProgress: ({ name, sentBytes: bytes, totalBytes }) =>
          progress.show({
            name,
            bytes,
            totalBytes,
            // The server checks a file when its last byte has arrived.
            ...(bytes === totalBytes ? { activity: 'scanning for viruses …' } : {}),
          }),
      })
      .finally(() => progress.clear());
    const size = result.sent.files.reduce((sum, file) => sum + file.size, 0);
    await output.print(describeResult(result, size, sender.email, reference), {
      status: 'sent',
      reference,
      to: sender.email,
      sent_at: result.sent.sent_at,
      files: result.sent.files.length,
      size,
      repeated: result.repeated,
    });
    if (receipt !== undefined) await storeLinkReceipt(context, link, receipt, async () => true);
  });
}

function describeResult({ sent, repeated }: GiveResult, size: number, to: string, reference: string): string {
  const what = `${pluralize(sent.files.length, 'file')} (${formatSize(size)})`;
  if (!repeated) return `Sent ${what} to ${to}, as asked for in ${reference}.`;
  return `These files were sent to ${to} on ${formatTime(sent.sent_at)}; nothing was sent now. To send them once more, add --again.`;
}
