import { join } from 'node:path';
import type { AddedReceiver, CreatedDrop, DropDetails } from '../../generated/wire.ts';
import type { SharedLinkOptions } from '../../resources/delivery-options.ts';
import type { CompletionOptions } from '../../resources/wait-for-completion.ts';
import { expandFolders } from '../../transfer/expand-folders.ts';
import type { SendOptions, SendResult, SentFile } from '../../transfer/send.ts';
import { type FileToSend, toSource } from '../../transfer/sources.ts';
import type { Waybill } from '../../waybill.ts';
import { openClient, stateFolder } from '../account.ts';
import { describeError } from '../error-report.ts';
import { CommandError, exitCodes, SilentExit } from '../exit-codes.ts';
import { formatCount, formatDate, formatLifetime, formatSize, pluralize } from '../terminal/format.ts';
import { findFileSize, Progress, toTotal } from '../terminal/progress.ts';
import type { Output, Terminal } from '../terminal/terminal.ts';
import { type DeliveryCommandOptions, toDelivery } from './delivery.ts';
import { openPendingSend, type PendingSend } from './pending-sends.ts';
import { findLive } from './sent.ts';

export interface SendCommandOptions extends Omit<DeliveryCommandOptions, 'to'> {
  to?: string[];
  /** True: of the kind that fits the receivers. */
  link?: 'named' | 'anybody' | true;
  maxDownloads?: number;
  linkDays?: number;
  name?: string;
  /** The delivery whose files are sent again. */
  again?: string;
  /** How many seconds to wait for the receivers. */
  wait?: number;
}

export async function sendFiles(
  terminal: Terminal,
  output: Output,
  signal: AbortSignal,
  paths: string[],
  { name: inputName, dryRun, wait, again, link, maxDownloads, linkDays, ...given }: SendCommandOptions,
): Promise<void> {
  const sharedLink = toSharedLink(link, given.to, { maxDownloads, days: linkDays });
  const delivery = { ...given, to: given.to ?? [], mail: given.mail && !sharedLink };
  if (again !== undefined) {
    if (paths.length > 0 || dryRun) {
      const message = '--again sends the files of a delivery, and no others.';
      throw new CommandError(
        exitCodes.usage,
        'usage',
        message,
        'Leave out the files and --dry-run, or leave out --again.',
      );
    }
    return await sendAgain(terminal, output, signal, again, { ...delivery, sharedLink }, wait);
  }
  if (paths.length === 0) {
    const message = 'There is nothing to send: name files, or a delivery with --again.';
    throw new CommandError(exitCodes.usage, 'usage', message, 'See: waybill send --help');
  }
  const { client, account } = await openClient(terminal, output);
  const fromInput = paths.includes('-');
  if (inputName !== undefined && !fromInput) {
    const message = '--name is only for a file that is read from standard input.';
    throw new CommandError(exitCodes.usage, 'usage', message, 'Leave it out, or send - as the file.');
  }
  if (fromInput && paths.indexOf('-') !== paths.lastIndexOf('-')) {
    throw new CommandError(exitCodes.usage, 'usage', 'Standard input can be sent only once.', 'Use - only once.');
  }
  const files = await expandFolders(
    paths.map((path) => (path === '-' ? { name: inputName ?? 'stdin', stream: terminal.input } : path)),
  );
  if (dryRun) return await checkSend(client, output, { files, ...toDelivery(delivery), sharedLink, signal });
  const { to, key } = delivery;
  const words = {
    url: account.url,
    user: account.user,
    files: files.map(toPathAndName),
    delivery,
    ...(sharedLink && { sharedLink }),
  };
  // Standard input cannot be read again, so such a send cannot be resumed.
  const pending = fromInput ? undefined : await openRecord(terminal, output, words);
  if (pending?.resumed) output.notice('Resuming an earlier run of this command that was interrupted.');

  let isUploading = pending?.resumed === true;
  const progress = new Progress(terminal);
  progress.setTotal(toTotal(await Promise.all(words.files.map(({ path }) => findFileSize(path)))));
  try {
    const sent = await client.send({
      files,
      ...toDelivery(delivery),
      sharedLink,
      idempotencyKey: key ?? pending?.idempotencyKey,
      uploadStore: pending?.uploadStore,
      signal,
      onProgress: ({ name: file, sentBytes, totalBytes }) => {
        if (sentBytes > 0 && !isUploading) {
          isUploading = true;
          pending?.recordStart();
        }
        progress.show({
          name: file,
          bytes: sentBytes,
          totalBytes,
          // The server responds when it has scanned the file.
          ...(sentBytes === totalBytes ? { activity: 'scanning for viruses …' } : {}),
        });
      },
    });
    await pending?.delete();
    progress.clear();
    await output.print(describeSend(sent, to, key), toJsonValue(sent, to));
    if (sharedLink) await printSharedLink(output, sent.drop);
    else await printLinks(output, sent.drop.receivers);
    if (wait !== undefined) await waitForReceivers(client, output, sent.drop, { timeoutSeconds: wait, signal });
  } catch (error) {
    if (!isUploading || isFinalRefusal(error)) await pending?.delete();
    throw error;
  } finally {
    progress.clear();
    client.close();
  }
}

/** Sends the files of a delivery to others, without uploading them. */
async function sendAgain(
  terminal: Terminal,
  output: Output,
  signal: AbortSignal,
  identifier: string,
  delivery: DeliveryCommandOptions & { readonly sharedLink?: SharedLinkOptions | undefined },
  wait: number | undefined,
): Promise<void> {
  const { client } = await openClient(terminal, output);
  try {
    const { noun, details } = await findLive(client, identifier, signal);
    if (noun !== 'drop') {
      const message = `${details.reference} is a request, which has no files to send again.`;
      throw new CommandError(exitCodes.usage, 'usage', message, 'Name a delivery: waybill history');
    }
    const drop = await client.drops.sendAgain(details.id, {
      ...toDelivery(delivery),
      sharedLink: delivery.sharedLink,
      ...(delivery.key === undefined ? {} : { idempotencyKey: delivery.key }),
      signal,
    });
    const what = pluralize(drop.file_count, 'file');
    const until = formatDate(new Date(drop.expires_at));
    await output.print(
      `Sent ${what} of ${details.reference} again${delivery.to.length > 0 ? ` to ${delivery.to.join(', ')}` : ''} as ${drop.reference}, until ${until}.`,
      {
        status: 'sent',
        id: drop.id,
        reference: drop.reference,
        expires_at: drop.expires_at,
        files: drop.file_count,
        again: details.reference,
        to: delivery.to,
      },
    );
    if (delivery.sharedLink) await printSharedLink(output, drop);
    else await printLinks(output, drop.receivers);
    if (wait !== undefined) await waitForReceivers(client, output, drop, { timeoutSeconds: wait, signal });
  } finally {
    client.close();
  }
}

function toSharedLink(
  link: SendCommandOptions['link'],
  to: readonly string[] = [],
  { maxDownloads, days }: Pick<SharedLinkOptions, 'maxDownloads' | 'days'>,
): SharedLinkOptions | undefined {
  const kind = link === true ? (to.length > 0 ? 'named' : 'anybody') : link;
  if (kind === undefined && (maxDownloads !== undefined || days !== undefined)) {
    const message = '--max-downloads and --link-days are about a link to share.';
    throw new CommandError(exitCodes.usage, 'usage', message, 'Add --link=anybody or --link=named, or leave them out.');
  }
  if (to.length === 0 && kind !== 'anybody') {
    const message = 'No receiver was named: add --to ADDRESS, or --link=anybody for a link to pass on.';
    throw new CommandError(exitCodes.usage, 'usage', message, 'See: waybill send --help');
  }
  return kind && { kind, maxDownloads, days };
}

/** No other response contains it. */
async function printSharedLink(output: Output, { shared_link: shared }: CreatedDrop): Promise<void> {
  if (shared) await output.print(shared.link, { status: 'link', kind: shared.kind, id: shared.id, link: shared.link });
}

/** Refusals that end without any change of the send: with room, or with another key or network. */
const passingRefusals: ReadonlySet<string> = new Set([
  'network_not_allowed',
  'not_found',
  'scope_missing',
  'storage_full',
]);

/** Returns whether a repetition of the same send would be refused too. */
function isFinalRefusal(error: unknown): boolean {
  const { exit, code } = describeError(error);
  if (passingRefusals.has(code)) return false;
  return exit === exitCodes.refused || exit === exitCodes.infected;
}

function describeEnd({ state, expires_at: expires }: DropDetails): string {
  return state === 'live'
    ? `in time. The files can be downloaded until ${formatDate(new Date(expires))}`
    : `when it ${state === 'expired' ? 'expired' : 'was revoked'}`;
}

/** Waits for the receivers of a drop. However that ends, the files were sent. */
async function waitForReceivers(
  client: Waybill,
  output: Output,
  { id, reference }: SendResult['drop'],
  options: CompletionOptions & { signal: AbortSignal },
): Promise<void> {
  output.notice('Waiting for the receivers; if you press Ctrl-C, the files stay sent.');
  const next = `To see what they have downloaded: waybill show ${reference}`;
  try {
    const { completed, drop } = await client.drops.waitForCompletion(id, options);
    const value = { status: 'completed', id, reference };
    if (completed) return await output.print(`Every receiver has downloaded every file of ${reference}.`, value);
    const missing = drop.receivers.filter(({ state }) => state !== 'completed').length;
    const whom = `${missing} of ${pluralize(drop.receivers.length, 'receiver')}`;
    const message = `${whom} of ${reference} had not downloaded every file ${describeEnd(drop)}.`;
    throw new CommandError(exitCodes.waiting, 'not_completed', message, next);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // The usual advice is to run the command again, which would send the files again.
    if (options.signal.aborted) {
      output.printError({ code: 'interrupted', message: `Interrupted; ${reference} was sent.`, next });
      throw new SilentExit(exitCodes.interrupted);
    }
    const { exit, code, message: problem, instance } = describeError(error);
    const message = `${reference} was sent, but waiting for its receivers has failed: ${problem}`;
    output.printError({ code, message, next, instance });
    throw new SilentExit(exit);
  }
}

/** Checks everything, and sends nothing. */
async function checkSend(client: Waybill, output: Output, options: SendOptions): Promise<void> {
  const { files, receivers, expiresIn } = await client.checkSend(options);
  client.close();
  const { totalBytes: size } = toTotal(files.map((file) => file.size));
  const what = `${pluralize(files.length, 'file')}${size === undefined ? '' : ` (${formatSize(size)})`}`;
  const whom = pluralize(receivers, 'receiver');
  await output.print(`Nothing was sent. ${what} can be sent to ${whom} for ${formatLifetime(expiresIn)}.`, {
    status: 'checked',
    files: files.length,
    size: size ?? null,
    receivers,
    expires_in: expiresIn,
  });
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
    `Sent ${what} to ${to.length === 0 ? 'anybody with the link' : to.join(', ')} as ${drop.reference}, until ${until}. ${describeScan(files)}`.trimEnd();
  if (!repeated) return sent;
  return key === undefined
    ? `An earlier run already sent this as ${drop.reference}; nothing was sent twice.`
    : `This was already sent with the key ${key} as ${drop.reference}; nothing was sent now.`;
}

export const unscannedReasons: Record<NonNullable<SentFile['unscannedReason']>, string> = {
  too_large: 'too large',
  encrypted: 'encrypted',
  unavailable: 'the scanner was unavailable',
  off: 'the server scans nothing',
};
/** A drop can have a thousand files. */
const maxNamedFiles = 10;

function describeScan(files: readonly SentFile[]): string {
  if (files.every(({ scan }) => scan === 'clean')) return 'No virus was found.';
  if (files.some(({ scan }) => scan === null)) return '';
  const unscanned = files.filter(({ scan }) => scan === 'unscanned');
  if (unscanned.every(({ unscannedReason }) => unscannedReason === 'off')) return 'Not scanned for viruses.';
  const named = unscanned.slice(0, maxNamedFiles).map(({ path, unscannedReason: reason }) => {
    return reason === null ? path : `${path} (${unscannedReasons[reason]})`;
  });
  const rest = unscanned.length - named.length;
  const others = rest > 0 ? [`and ${formatCount(rest)} more`] : [];
  return `Not scanned for viruses: ${[...named, ...others].join(', ')}.`;
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
    unscanned: files.flatMap(({ path, scan, unscannedReason: reason }) =>
      scan === 'unscanned' ? [{ path, reason }] : [],
    ),
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
