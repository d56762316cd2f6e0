import { randomUUID } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreNotFound, isWaybillError } from '../../errors.ts';
import type { ClaimedEntry, InboxEntryDetails } from '../../generated/wire.ts';
import { defaultRuntime } from '../../runtime.ts';
import type { FileToDownload } from '../../transfer/download.ts';
import type { Waybill } from '../../waybill.ts';
import { openClient } from '../account.ts';
import { takeFirst } from '../commands/lists.ts';
import { describeError } from '../error-report.ts';
import { CommandError, exitCodes, untilInterrupted } from '../exit-codes.ts';
import { makeFolder } from '../make-folder.ts';
import { formatDate, formatSize, pluralize } from '../terminal/format.ts';
import { Progress, toTotal } from '../terminal/progress.ts';
import type { Output, Terminal } from '../terminal/terminal.ts';
import { runHook } from './hook.ts';
import { InboxWatcher, jitterMs } from './inbox-watcher.ts';
import { LeaseLostError, leaseSeconds, withLease } from './lease.ts';
import { type CompletePart, isPlaced, partPath, placeFile } from './place-file.ts';
import { type JournalEntry, PullJournal } from './pull-journal.ts';

export interface PullCommandOptions {
  watch?: boolean;
  every: number;
  hook?: string;
}

interface PullContext {
  client: Waybill;
  journal: PullJournal;
  folder: string;
  hook: string | undefined;
  watch: boolean;
  terminal: Terminal;
  output: Output;
  progress: Progress;
  signal: AbortSignal;
}

const lockPollMs = 500;
const dayMs = 24 * 3600 * 1000;
/** After the first failure; it doubles with every further one. */
const firstDelaySeconds = 30;
const maxDelaySeconds = 3600;

export async function pullFiles(
  terminal: Terminal,
  output: Output,
  signal: AbortSignal,
  dir: string,
  { watch = false, every, hook }: PullCommandOptions,
): Promise<void> {
  const { client, account } = await openClient(terminal);
  await makeFolder(dir);
  const folder = await realpath(dir);
  using journal = await openJournal(folder, `${account.user} ${new URL(account.url).href}`, output, signal);
  const puller = { client, journal, folder, hook, watch, terminal, output, progress: new Progress(terminal), signal };
  if (watch) return await untilInterrupted(signal, () => watchInbox(puller, every));
  const { received, left } = await pullOnce(puller);
  if (received + left === 0) output.notice(await describeWaiting(client, signal));
  client.close();
  if (left > 0) {
    const next = 'See the messages above, then pull again later; only missing files are downloaded.';
    throw new CommandError(
      exitCodes.incomplete,
      'incomplete',
      `${pluralize(left, 'file')} could not be completed.`,
      next,
    );
  }
}

/** An inbox can be long. */
const maxListedEntries = 100;

/** Says why there is nothing to download: entries may be waiting after a failure. */
async function describeWaiting(client: Waybill, signal: AbortSignal): Promise<string> {
  const times: number[] = [];
  for await (const entry of takeFirst(client.inbox.list({ state: 'available', signal }), maxListedEntries)) {
    const at = Date.parse(entry.available_at ?? '');
    if (entry.attempts > 0 && at > Date.now()) times.push(at);
  }
  if (times.length === 0) return 'There is nothing new.';
  const until = formatDate(new Date(Math.min(...times))).slice(-'00:00'.length);
  return `${pluralize(times.length, 'entry waits', 'entries wait')} until ${until} after a failure.`;
}

async function watchInbox(puller: PullContext, every: number): Promise<never> {
  const { client, output, signal } = puller;
  let news: InboxWatcher | undefined;
  for (;;) {
    try {
      news ??= await InboxWatcher.open(client, signal);
      await pullOnce(puller);
      await news.waitForArrival(every);
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw error;
      output.printError(describeError(error));
      await defaultRuntime.sleep(jitterMs(every), signal);
    }
  }
}

/** Waits for another process that pulls into the same folder. */
async function openJournal(folder: string, account: string, output: Output, signal: AbortSignal): Promise<PullJournal> {
  for (let waited = false; ; waited = true) {
    const journal = await PullJournal.open(folder, account);
    if (journal) return journal;
    if (!waited) output.notice(`Another pull is running in ${folder}; waiting for it to end.`);
    await defaultRuntime.sleep(lockPollMs, signal);
  }
}

/**
 * Processes entries until none is available. Returns how many files were received, and how many could not be completed.
 */
async function pullOnce(puller: PullContext): Promise<{ received: number; left: number }> {
  const { journal, signal } = puller;
  const total = { received: 0, left: 0 };
  journal.purge(currentDay());
  await returnUnsettledEntry(puller);
  for (let entry = await claimEntry(puller); entry; entry = await claimEntry(puller)) {
    const claimed = entry;
    const { received, left } = await withLease(puller.client, claimed, signal, (held) =>
      settleEntry({ ...puller, signal: held }, claimed),
    ).catch((error: unknown) => {
      puller.progress.clear();
      if (!(error instanceof LeaseLostError)) throw error;
      puller.output.notice(`The lease of the files from ${claimed.sender} was lost; another pull may download them.`);
      return { received: 0, left: claimed.file_count };
    });
    journal.endClaim();
    total.received += received;
    total.left += left;
  }
  journal.endClaim();
  return total;
}

/**
 * Claims an entry. The key is stored before the claim is made, so that the next process finds the entry if this one is
 * killed.
 */
async function claimEntry({ client, journal, signal }: PullContext): Promise<ClaimedEntry | undefined> {
  const idempotencyKey = randomUUID();
  journal.beginClaim(idempotencyKey);
  return (await client.inbox.claim({ max: 1, leaseSeconds, idempotencyKey, signal }))[0];
}

/** Returns the entry of a process that was killed, so that it can be claimed again at once, as another attempt. */
async function returnUnsettledEntry({ client, journal, signal }: PullContext): Promise<void> {
  const idempotencyKey = journal.getClaimKey();
  if (idempotencyKey === undefined) return;
  for (const entry of await client.inbox.claim({ max: 1, leaseSeconds, idempotencyKey, signal })) {
    await client.inbox.nack(entry, { signal }).catch((error: unknown) => {
      if (!isWaybillError(error, 'lease_not_held', 'not_found')) throw error;
    });
  }
  journal.endClaim();
}

/** Finishes an entry and acknowledges it, or returns it to the queue for later. */
async function settleEntry(puller: PullContext, entry: ClaimedEntry): Promise<{ received: number; left: number }> {
  const { client, journal, signal } = puller;
  const total = { received: 0, left: 0 };
  const details = await ignoreNotFound(client.inbox.get(entry.id, { signal }));
  if (details === undefined) return total;
  recordFiles(puller, details);
  const journalled = new Map(journal.listFiles(entry.id).map((noted) => [noted.name, noted]));
  const unfinished = details.files.flatMap((file) => {
    const noted = journalled.get(file.path);
    return !noted || noted.state === 'done' || noted.state === 'gone' ? [] : [{ file, noted }];
  });
  const missing = unfinished.filter(({ noted }) => noted.state === 'wanted');
  puller.progress.setTotal(toTotal(missing.map(({ file }) => file.size)));
  for (const { file, noted } of unfinished) {
    if (await finishOrReport(puller, noted, { ...file, entry: entry.id }, entry.attempts)) total.received += 1;
    else total.left += 1;
  }
  const settling: Promise<unknown> =
    total.left === 0
      ? client.inbox.ack(entry, { signal })
      : client.inbox.nack(entry, { delaySeconds: retryDelaySeconds(entry.attempts), signal });
  await ignoreNotFound(settling).catch((error: unknown) => {
    throw isWaybillError(error, 'lease_not_held') ? new LeaseLostError() : error;
  });
  return total;
}

function retryDelaySeconds(attempts: number): number {
  return Math.min(maxDelaySeconds, firstDelaySeconds * 2 ** Math.min(attempts - 1, 20));
}

function recordFiles(
  { journal }: PullContext,
  { id: url, sender, received_at: received, files }: InboxEntryDetails,
): void {
  const created = Math.floor(Date.parse(received) / 1000);
  journal.transaction(() => {
    for (const { path: name } of files) journal.recordFile({ url, name, sender, created }, currentDay());
  });
}

function currentDay(): number {
  return Math.floor(Date.now() / dayMs);
}

/** Reports a problem of a single file, which must not stop the others; throws any other problem. */
async function finishOrReport(
  puller: PullContext,
  noted: JournalEntry,
  file: FileToDownload,
  attempt: number,
): Promise<boolean> {
  try {
    return await finishFile(puller, noted, file, attempt);
  } catch (error) {
    puller.progress.clear();
    if (puller.signal.aborted || !isWaybillError(error, 'damaged', 'digest_mismatch', 'internal')) throw error;
    puller.output.printError({ ...describeError(error), message: `${file.name}: ${error.message}` });
    return false;
  }
}

/** Takes a file from its current state to the last one. Returns whether it succeeded. */
async function finishFile(
  puller: PullContext,
  noted: JournalEntry,
  file: FileToDownload,
  attempt: number,
): Promise<boolean> {
  const { journal, folder, output, progress } = puller;
  let { path, sha256, size } = noted;
  if (noted.state === 'wanted') {
    const whole = await downloadToPart(puller, noted, file);
    if (whole === undefined) return true; // the file has expired
    ({ sha256, size } = whole);
    path = await placeFile(folder, journal, noted, whole);
  } else if (noted.state === 'placing' && !(await isPlaced(folder, journal, noted))) {
    const whole = { path: path ?? file.path, sha256: sha256 ?? '', size: size ?? 0 };
    path = await placeFile(folder, journal, noted, whole);
  }
  const arrival = {
    path: join(folder, path ?? file.path),
    name: file.name,
    sender: noted.sender,
    entry: file.entry,
    sha256: sha256 ?? '',
    size: size ?? 0,
    attempt,
  };
  if (noted.state !== 'placed') {
    journal.setState(noted.id, puller.hook === undefined ? 'done' : 'placed');
    progress.clear();
    await output.print(`${arrival.path}  ${formatSize(arrival.size)}  from ${noted.sender}`, {
      status: 'received',
      path: arrival.path,
      name: file.name,
      sender: noted.sender,
      drop: file.entry,
      size: arrival.size,
      sha256: arrival.sha256,
    });
  }
  return await finishHook(puller, noted, arrival);
}

async function finishHook(
  { journal, hook, watch, terminal, output, signal }: PullContext,
  noted: JournalEntry,
  arrival: Parameters<typeof runHook>[1],
): Promise<boolean> {
  if (hook !== undefined && !(await runHook(hook, arrival, terminal.environment, signal))) {
    signal.throwIfAborted();
    const later = pluralize(retryDelaySeconds(arrival.attempt), 'second');
    const next = watch ? `It will run again in ${later}.` : `Pull again after ${later}.`;
    output.notice(`The hook failed for ${arrival.path} (attempt ${arrival.attempt}). ${next}`);
    return false;
  }
  journal.setState(noted.id, 'done');
  return true;
}

async function downloadToPart(
  { client, journal, output, progress, signal }: PullContext,
  noted: JournalEntry,
  file: FileToDownload,
): Promise<CompletePart | undefined> {
  const part = partPath(journal, noted);
  try {
    return await client.downloadPart(file, part, {
      signal,
      // Two files of a folder may have the same name, but not the same path.
      onProgress: ({ receivedBytes, totalBytes }) =>
        progress.show({ name: file.path, bytes: receivedBytes, totalBytes }),
    });
  } catch (error) {
    if (!isWaybillError(error, 'not_found', 'link_ended', 'link_revoked')) throw error;
    progress.clear();
    output.notice(`${file.name} from ${noted.sender} expired before it was downloaded.`);
    journal.setState(noted.id, 'gone');
    await rm(part, { force: true });
    return undefined;
  }
}

/** Returns whether a watch should continue after an error. */
function isTemporary(error: unknown): boolean {
  if (isWaybillError(error))
    return error.isRetryable || error.code === 'internal' || error.code === 'unexpected_response';
  return (error as NodeJS.ErrnoException).code === 'ENOSPC';
}
