import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { ignoreNotFound, isWaybillError } from '../../errors.ts';
import type { ClaimedEntry, InboxEntry, InboxEntryDetails } from '../../generated/wire.ts';
import { defaultRuntime } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';
import { openClient } from '../account.ts';
import { takeFirst } from '../commands/lists.ts';
import { describeError } from '../error-report.ts';
import { CommandError, exitCodes, untilInterrupted } from '../exit-codes.ts';
import { makeFolder } from '../make-folder.ts';
import { formatDate, pluralize } from '../terminal/format.ts';
import { Progress, toTotal } from '../terminal/progress.ts';
import type { Output, Terminal } from '../terminal/terminal.ts';
import { finishOrReport, type PullContext } from './finish-file.ts';
import { InboxWatcher, jitterMs } from './inbox-watcher.ts';
import { LeaseLostError, leaseSeconds, withLease } from './lease.ts';
import { EntryFaultError, isFaultOfMachine } from './pull-faults.ts';
import { PullJournal } from './pull-journal.ts';
import { canReadOtherEntry } from './read-other-entry.ts';
import { isDiskFull, requireRoomForJournal } from './room.ts';

export interface PullCommandOptions {
  watch?: boolean;
  every: number;
  hook?: string;
}

interface PullCounts {
  received: number;
  /** The files that could not be completed. */
  left: number;
}

const lockPollMs = 500;
/** The times that the server reads another entry, but not this one, before this one is returned to the queue. */
const maxOwnFaults = 3;
const dayMs = 24 * 3600 * 1000;
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
  const progress = new Progress(terminal);
  const puller = { client, journal, folder, hook, watch, every, terminal, output, progress, signal };
  if (watch) return await untilInterrupted(signal, () => watchInbox(puller));
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

async function watchInbox(puller: PullContext): Promise<never> {
  const { client, every, output, signal } = puller;
  let news: InboxWatcher | undefined;
  for (let reported = ''; ; ) {
    try {
      news ??= await InboxWatcher.open(client, signal);
      await pullOnce(puller);
      reported = '';
      await news.waitForArrival(every);
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw error;
      const report = describeError(error);
      // A disk stays full for long, and how much is left changes all the time.
      if (!(isDiskFull(error) && report.code === reported)) output.printError(report);
      reported = report.code;
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
async function pullOnce(puller: PullContext): Promise<PullCounts> {
  const { journal } = puller;
  const total = { received: 0, left: 0 };
  journal.purge(currentDay());
  await returnUnsettledEntry(puller);
  for (let entry = await claimEntry(puller); entry; entry = await claimEntry(puller)) {
    const { received, left } = await processEntry(puller, entry);
    journal.endClaim();
    total.received += received;
    total.left += left;
  }
  journal.endClaim();
  return total;
}

/** Processes an entry under its lease. If that fails, returns the entry to the queue for later. */
async function processEntry(puller: PullContext, entry: ClaimedEntry): Promise<PullCounts> {
  const { client, journal, output, progress, signal } = puller;
  try {
    return await withLease(client, entry, signal, async (held) => {
      const holder = { ...puller, signal: held };
      const failed = new Set<number>();
      const counts = await waitOutFaults(holder, entry, () => finishFiles(holder, entry, failed));
      await waitOutFaults(holder, entry, () => settleEntry(holder, entry, counts));
      return counts;
    });
  } catch (error) {
    progress.clear();
    if (error instanceof LeaseLostError) {
      output.printError({
        code: 'lease_not_held',
        message: `The lease of the files from ${entry.sender} was lost.`,
        next: 'Another pull may download them.',
      });
      return { received: 0, left: entry.file_count };
    }
    if (error instanceof EntryFaultError) {
      output.printError({
        code: 'unavailable',
        message: `The server can read other files, but not those from ${entry.sender}.`,
        next: 'They are given back, and other files are downloaded meanwhile.',
      });
    }
    if (isDiskFull(error)) output.printError(describeError(error));
    if (!signal.aborted) {
      // The first failure is the one to report. If the entry cannot be returned either, its lease ends.
      await giveBack(puller, entry, isDiskFull(error)).then(
        () => journal.endClaim(),
        () => undefined,
      );
    }
    if (error instanceof EntryFaultError || isDiskFull(error)) return { received: 0, left: entry.file_count };
    throw error;
  }
}

/**
 * Repeats work on an entry, whose lease is held, until the fault of the whole machine or of the server has passed: the
 * next entry would fail as well, and each return to the queue is one of the few attempts of an entry. If the server can
 * read another entry meanwhile, the fault is one of this entry, and must not delay the others. Without a watch, the caller
 * learns of the fault.
 */
async function waitOutFaults<T>(
  { client, watch, every, output, progress, signal }: PullContext,
  entry: ClaimedEntry,
  work: () => Promise<T>,
): Promise<T> {
  let ownFaults = 0;
  for (let reported = ''; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!watch || signal.aborted || !isFaultOfMachine(error)) throw error;
      progress.clear();
      if (ownFaults === maxOwnFaults) throw new EntryFaultError();
      const report = describeError(error);
      const next = `The files from ${entry.sender} stay claimed, and are tried again every ${pluralize(every, 'second')}.`;
      if (report.message !== reported) output.printError({ ...report, next });
      reported = report.message;
      await defaultRuntime.sleep(jitterMs(every), signal);
      if (isWaybillError(error) && (await canReadOtherEntry(client, entry.id, signal))) ownFaults += 1;
    }
  }
}

/**
 * Claims an entry. The key is stored before the claim is made, so that the next process finds the entry if this one is
 * killed.
 */
async function claimEntry({ client, journal, folder, signal }: PullContext): Promise<ClaimedEntry | undefined> {
  await requireRoomForJournal(folder);
  const idempotencyKey = randomUUID();
  journal.beginClaim(idempotencyKey);
  return (await client.inbox.claim({ max: 1, leaseSeconds, idempotencyKey, signal }))[0];
}

/**
 * Returns the entry of a process that was killed, so that it can be claimed again at once, as another attempt; or one that
 * this process could not return after a failure.
 */
async function returnUnsettledEntry(puller: PullContext): Promise<void> {
  const { client, journal, signal } = puller;
  const claim = journal.findClaim();
  if (claim === undefined) return;
  for (const entry of await client.inbox.claim({ max: 1, leaseSeconds, idempotencyKey: claim.key, signal })) {
    await (claim.isOwn ? giveBack(puller, entry) : client.inbox.nack(entry, { delaySeconds: 0, signal })).catch(
      (error: unknown) => {
        if (!isWaybillError(error, 'lease_not_held', 'not_found')) throw error;
      },
    );
  }
  journal.endClaim();
}

/**
 * Downloads the missing files of an entry, and runs their hooks. Files that have failed are tried again only with the
 * next attempt of the entry.
 */
async function finishFiles(puller: PullContext, entry: ClaimedEntry, failed: Set<number>): Promise<PullCounts> {
  const { client, journal, signal } = puller;
  const details = await ignoreNotFound(client.inbox.get(entry.id, { signal }));
  if (details === undefined) return { received: 0, left: 0 };
  recordFiles(puller, details);
  const journalled = new Map(journal.listFiles(entry.id).map((noted) => [noted.name, noted]));
  const unfinished = details.files.flatMap((file) => {
    const noted = journalled.get(file.path);
    const isOver = !noted || noted.state === 'done' || noted.state === 'gone' || failed.has(noted.id);
    return isOver ? [] : [{ file, noted }];
  });
  const missing = unfinished.filter(({ noted }) => noted.state === 'wanted');
  puller.progress.setTotal(toTotal(missing.map(({ file }) => file.size)));
  let received = 0;
  for (const { file, noted } of unfinished) {
    if (await finishOrReport(puller, noted, { ...file, entry: entry.id }, entry.attempts)) received += 1;
    else failed.add(noted.id);
  }
  return { received, left: failed.size };
}

/** Acknowledges an entry, or returns it to the queue if some of its files are left. */
async function settleEntry(puller: PullContext, entry: ClaimedEntry, { left }: PullCounts): Promise<void> {
  const settling = left === 0 ? puller.client.inbox.ack(entry, { signal: puller.signal }) : giveBack(puller, entry);
  await ignoreNotFound<unknown>(settling).catch((error: unknown) => {
    throw isWaybillError(error, 'lease_not_held') ? new LeaseLostError() : error;
  });
}

/**
 * Returns an entry to the queue after a failure, where the server lets it wait for longer after each attempt. If the
 * failure is none of the entry, it is not parked.
 */
async function giveBack(
  { client, output, signal }: PullContext,
  entry: ClaimedEntry,
  keepsAttempts = false,
): Promise<void> {
  let returned = await client.inbox.nack(entry, { signal });
  if (keepsAttempts && returned.parked_at !== null) returned = await client.inbox.release(entry.id, { signal });
  output.printError(describeReturn(returned));
}

/** Says when an entry that was given back can be claimed again. */
function describeReturn({ id, sender, attempts, available_at: from }: InboxEntry): Parameters<Output['printError']>[0] {
  const given = `The files from ${sender} were given back after attempt ${attempts}`;
  if (from !== null) {
    return { code: 'given_back', message: `${given}, and wait until ${from}.`, next: 'They are pulled again then.' };
  }
  return { code: 'parked', message: `${given}, and are parked.`, next: `To try again: waybill release ${id}` };
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

/** Returns whether a watch should continue after an error. */
function isTemporary(error: unknown): boolean {
  return isDiskFull(error) || isFaultOfMachine(error) || isWaybillError(error, 'internal', 'unexpected_response');
}
