import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWaybillError } from '../../errors.ts';
import type { ClaimedEntry, InboxEntryDetails } from '../../generated/wire.ts';
import { realSurroundings } from '../../runtime.ts';
import type { FileToDownload } from '../../transfer/download.ts';
import type { Waybill } from '../../waybill.ts';
import { openClient } from '../account.ts';
import { counted } from '../commands/send.ts';
import { CommandError, exits, told } from '../exit-codes.ts';
import { humanSize } from '../terminal/format.ts';
import { Progress, wholeOf } from '../terminal/progress.ts';
import type { Answers, Terminal } from '../terminal/terminal.ts';
import { runHook } from './hook.ts';
import { News, spreadMs } from './inbox-watcher.ts';
import { hasLanded, land, partPath, type Whole } from './landing.ts';
import { LeaseLost, leaseSeconds, whileLeased } from './lease.ts';
import { type JournalEntry, PullJournal } from './pull-journal.ts';

export interface PullCommand {
  watch?: boolean;
  every: number;
  hook?: string;
}

interface Puller {
  client: Waybill;
  journal: PullJournal;
  folder: string;
  hook: string | undefined;
  terminal: Terminal;
  answers: Answers;
  progress: Progress;
  signal: AbortSignal;
}

const waitForLockMs = 500;
const dayMs = 24 * 3600 * 1000;
/** After the first failure; it doubles with every further one. */
const firstDelaySeconds = 30;
const longestDelaySeconds = 3600;

export async function pullCommand(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  dir: string,
  { watch = false, every, hook }: PullCommand,
): Promise<void> {
  const { client, account } = await openClient(terminal);
  await mkdir(dir, { recursive: true });
  const folder = await realpath(dir);
  using journal = await openJournal(folder, `${account.user} ${new URL(account.url).href}`, answers, signal);
  const puller = { client, journal, folder, hook, terminal, answers, progress: new Progress(terminal), signal };
  if (watch) return await keepPulling(puller, every);
  const { received, left } = await pullOnce(puller);
  client.close();
  if (received + left === 0) answers.notice('There is nothing new.');
  if (left > 0) {
    const next = 'See the messages above, then pull again later: only what is missing is downloaded.';
    throw new CommandError(exits.incomplete, 'incomplete', `${counted(left, 'file')} could not be completed.`, next);
  }
}

async function keepPulling(puller: Puller, every: number): Promise<never> {
  const { client, answers, signal } = puller;
  let news: News | undefined;
  for (;;) {
    try {
      news ??= await News.open(client, signal);
      await pullOnce(puller);
      await news.wait(every);
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      answers.fail(told(error));
      await realSurroundings.sleep(spreadMs(every), signal);
    }
  }
}

/** Waits for another process that pulls into the same folder, however that one ends. */
async function openJournal(
  folder: string,
  account: string,
  answers: Answers,
  signal: AbortSignal,
): Promise<PullJournal> {
  for (let waited = false; ; waited = true) {
    const journal = await PullJournal.open(folder, account);
    if (journal) return journal;
    if (!waited) answers.notice(`Another pull is running in ${folder}; waiting for it to end.`);
    await realSurroundings.sleep(waitForLockMs, signal);
  }
}

/** Works on entries until none is available. Returns how many files were received, and how many are left. */
async function pullOnce(puller: Puller): Promise<{ received: number; left: number }> {
  const { journal, signal } = puller;
  const total = { received: 0, left: 0 };
  journal.forget(today());
  await giveBackUnsettled(puller);
  for (let entry = await claim(puller); entry; entry = await claim(puller)) {
    const claimed = entry;
    const { received, left } = await whileLeased(puller.client, claimed, signal, (held) =>
      settle({ ...puller, signal: held }, claimed),
    ).catch((error: unknown) => {
      puller.progress.clear();
      if (!(error instanceof LeaseLost)) throw error;
      puller.answers.notice(`The files from ${claimed.sender} took too long, and were left to another pull.`);
      return { received: 0, left: claimed.file_count };
    });
    journal.endClaim();
    total.received += received;
    total.left += left;
  }
  journal.endClaim();
  return total;
}

/** The key is on disk before the claim is made, so that the next process finds the entry if this one is killed. */
async function claim({ client, journal, signal }: Puller): Promise<ClaimedEntry | undefined> {
  const idempotencyKey = randomUUID();
  journal.beginClaim(idempotencyKey);
  return (await client.inbox.claim({ max: 1, leaseSeconds, idempotencyKey, signal }))[0];
}

/** What a process was working on when it was killed can be claimed again at once, as another attempt. */
async function giveBackUnsettled({ client, journal, signal }: Puller): Promise<void> {
  const idempotencyKey = journal.claimKey();
  if (idempotencyKey === undefined) return;
  for (const entry of await client.inbox.claim({ max: 1, leaseSeconds, idempotencyKey, signal })) {
    await client.inbox.nack(entry, { signal }).catch((error: unknown) => {
      if (!isWaybillError(error, 'lease_not_held', 'not_found')) throw error;
    });
  }
  journal.endClaim();
}

/** Finishes an entry and acknowledges it, or gives it back for later. */
async function settle(puller: Puller, entry: ClaimedEntry): Promise<{ received: number; left: number }> {
  const { client, journal, signal } = puller;
  const total = { received: 0, left: 0 };
  const details = await client.inbox.get(entry.id, { signal }).catch(unlessGone);
  if (details === undefined) return total;
  note(puller, details);
  const journalled = new Map(journal.filesOf(entry.id).map((noted) => [noted.name, noted]));
  const unfinished = details.files.flatMap((file) => {
    const noted = journalled.get(file.path);
    return !noted || noted.state === 'done' || noted.state === 'gone' ? [] : [{ file, noted }];
  });
  const missing = unfinished.filter(({ noted }) => noted.state === 'wanted');
  puller.progress.expect(wholeOf(missing.map(({ file }) => file.size)));
  for (const { file, noted } of unfinished) {
    if (await finishOrTell(puller, noted, { ...file, entry: entry.id }, entry.attempts)) total.received += 1;
    else total.left += 1;
  }
  const settling =
    total.left === 0
      ? client.inbox.ack(entry, { signal })
      : client.inbox.nack(entry, { delaySeconds: delayAfter(entry.attempts), signal });
  await settling.catch((error: unknown) => {
    if (isWaybillError(error, 'lease_not_held')) throw new LeaseLost();
    return unlessGone(error);
  });
  return total;
}

function unlessGone(error: unknown): undefined {
  if (!isWaybillError(error, 'not_found')) throw error;
}

function delayAfter(attempts: number): number {
  return Math.min(longestDelaySeconds, firstDelaySeconds * 2 ** Math.min(attempts - 1, 20));
}

function note({ journal }: Puller, { id: url, sender, received_at: received, files }: InboxEntryDetails): void {
  const created = Math.floor(Date.parse(received) / 1000);
  journal.together(() => {
    for (const { path: name } of files) journal.note({ url, name, sender, created }, today());
  });
}

function today(): number {
  return Math.floor(Date.now() / dayMs);
}

/** A problem of one file must not stop the others; a problem of all of them ends the round. */
async function finishOrTell(
  puller: Puller,
  noted: JournalEntry,
  file: FileToDownload,
  attempt: number,
): Promise<boolean> {
  try {
    return await finish(puller, noted, file, attempt);
  } catch (error) {
    puller.progress.clear();
    if (puller.signal.aborted || !isWaybillError(error, 'damaged', 'digest_mismatch', 'internal')) throw error;
    puller.answers.fail({ ...told(error), message: `${file.name}: ${error.message}` });
    return false;
  }
}

/** Takes a file from whatever state it is in to the last one. Returns whether it got there. */
async function finish(puller: Puller, noted: JournalEntry, file: FileToDownload, attempt: number): Promise<boolean> {
  const { journal, folder, answers, progress } = puller;
  let { path, sha256, size } = noted;
  if (noted.state === 'wanted') {
    const whole = await fetchPart(puller, noted, file);
    if (whole === undefined) return true; // there is nothing left to download
    ({ sha256, size } = whole);
    path = await land(folder, journal, noted, whole);
  } else if (noted.state === 'landing' && !(await hasLanded(folder, journal, noted))) {
    const whole = { path: path ?? file.path, sha256: sha256 ?? '', size: size ?? 0 };
    path = await land(folder, journal, noted, whole);
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
  if (noted.state !== 'landed') {
    journal.set(noted.id, puller.hook === undefined ? 'done' : 'landed');
    progress.clear();
    await answers.say(`${arrival.path}  ${humanSize(arrival.size)}  from ${noted.sender}`, {
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
  { journal, hook, terminal, answers, signal }: Puller,
  noted: JournalEntry,
  arrival: Parameters<typeof runHook>[1],
): Promise<boolean> {
  if (hook !== undefined && !(await runHook(hook, arrival, terminal.environment, signal))) {
    signal.throwIfAborted();
    const later = counted(delayAfter(arrival.attempt), 'second');
    answers.notice(`The hook failed for ${arrival.path} (attempt ${arrival.attempt}). It is run again after ${later}.`);
    return false;
  }
  journal.set(noted.id, 'done');
  return true;
}

async function fetchPart(
  { client, journal, answers, progress, signal }: Puller,
  noted: JournalEntry,
  file: FileToDownload,
): Promise<Whole | undefined> {
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
    answers.notice(`${file.name} from ${noted.sender} passed its deadline before it was downloaded.`);
    journal.set(noted.id, 'gone');
    await rm(part, { force: true });
    return undefined;
  }
}

/** What a watch waits out. A wrong key does not become right by itself. */
function isPassing(error: unknown): boolean {
  if (isWaybillError(error)) return error.mayPass || error.code === 'internal' || error.code === 'unexpected_answer';
  return (error as NodeJS.ErrnoException).code === 'ENOSPC';
}
