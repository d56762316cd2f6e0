import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWaybillError } from '../errors.ts';
import { realSurroundings } from '../surroundings.ts';
import type { Waybill } from '../waybill.ts';
import { openClient } from './account.ts';
import { CommandError, exits, told } from './exits.ts';
import { runHook } from './hook.ts';
import { hasLanded, land, partPath, type Whole } from './landing.ts';
import { Progress } from './progress.ts';
import { type JournalEntry, PullJournal } from './pull-journal.ts';
import { counted } from './send.ts';
import { humanSize } from './sizes.ts';
import type { Answers, Terminal } from './terminal.ts';

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
  if (!watch) {
    const { received, left } = await pullOnce(puller);
    client.close();
    if (received + left === 0) answers.notice('There is nothing new.');
    if (left > 0) {
      const next = 'See the messages above, then pull again: only what is missing is downloaded.';
      throw new CommandError(exits.incomplete, 'incomplete', `${counted(left, 'file')} could not be completed.`, next);
    }
    return;
  }
  for (;;) {
    await pullOnce(puller).catch((error: unknown) => {
      if (signal.aborted || !isPassing(error)) throw error;
      answers.fail(told(error));
    });
    // Spread, so that machines that were started together do not all ask at once.
    await realSurroundings.sleep(every * 1000 * (0.9 + 0.2 * Math.random()), signal);
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

/** Downloads what is in the inbox and not yet here. Returns how many files were received, and how many are left. */
async function pullOnce(puller: Puller): Promise<{ received: number; left: number }> {
  await noteInbox(puller);
  let received = 0;
  let left = 0;
  let place = { created: -1, id: -1 };
  for (let entry = puller.journal.next(place); entry; entry = puller.journal.next(place)) {
    puller.signal.throwIfAborted();
    place = { created: entry.created, id: entry.id };
    try {
      if (await finish(puller, entry)) received += 1;
      else left += 1;
    } catch (error) {
      puller.progress.clear();
      // A problem of one file must not stop the others; a problem of all of them ends the round.
      if (puller.signal.aborted || !isWaybillError(error, 'damaged', 'digest_mismatch', 'internal')) throw error;
      puller.answers.fail({ ...told(error), message: `${entry.name}: ${error.message}` });
      left += 1;
    }
  }
  return { received, left };
}

/** Reads the whole list before the first download: the server does not wait for a slow reader. */
async function noteInbox({ client, journal, signal }: Puller): Promise<void> {
  const day = Math.floor(Date.now() / dayMs);
  for await (const { url, sender, createtime, files } of client.machineInbox({ signal })) {
    journal.together(() => {
      for (const { name } of files) journal.note({ url, name, sender, created: Number(createtime) }, day);
    });
  }
  journal.forget(day);
}

/** Takes a file from whatever state it is in to the last one. Returns whether it got there. */
async function finish(puller: Puller, entry: JournalEntry): Promise<boolean> {
  const { journal, folder, answers, progress } = puller;
  let { path, sha256, size_bytes: sizeBytes } = entry;
  if (entry.state === 'wanted') {
    const whole = await fetchPart(puller, entry);
    if (whole === undefined) return true; // there is nothing left to download
    ({ sha256, sizeBytes } = whole);
    path = await land(folder, journal, entry, whole);
  } else if (entry.state === 'landing' && !(await hasLanded(folder, journal, entry))) {
    const whole = { path: path ?? entry.name, sha256: sha256 ?? '', sizeBytes: sizeBytes ?? 0 };
    path = await land(folder, journal, entry, whole);
  }
  const arrival = {
    path: join(folder, path ?? entry.name),
    name: entry.name,
    sender: entry.sender,
    url: entry.url,
    sha256: sha256 ?? '',
    sizeBytes: sizeBytes ?? 0,
  };
  if (entry.state !== 'landed') {
    journal.set(entry.id, puller.hook === undefined ? 'done' : 'landed');
    progress.clear();
    await answers.say(`${arrival.path}  ${humanSize(arrival.sizeBytes)}  from ${entry.sender}`, {
      status: 'received',
      path: arrival.path,
      name: entry.name,
      sender: entry.sender,
      drop: entry.url,
      size_bytes: arrival.sizeBytes,
      sha256: arrival.sha256,
    });
  }
  return await finishHook(puller, entry, arrival);
}

async function finishHook(
  { journal, hook, terminal, answers, signal }: Puller,
  entry: JournalEntry,
  arrival: Omit<Parameters<typeof runHook>[1], 'attempt'>,
): Promise<boolean> {
  if (hook !== undefined) {
    const attempt = journal.attempt(entry.id);
    if (!(await runHook(hook, { ...arrival, attempt }, terminal.environment, signal))) {
      signal.throwIfAborted();
      answers.notice(`The hook failed for ${arrival.path} (attempt ${attempt}). The next pull runs it again.`);
      return false;
    }
  }
  journal.set(entry.id, 'done');
  return true;
}

async function fetchPart(
  { client, journal, answers, progress, signal }: Puller,
  entry: JournalEntry,
): Promise<Whole | undefined> {
  const { url, name } = entry;
  try {
    return await client.downloadPart({ url, name }, partPath(journal, entry), {
      signal,
      onProgress: ({ receivedBytes, totalBytes }) => progress.show({ name, bytes: receivedBytes, totalBytes }),
    });
  } catch (error) {
    if (!isWaybillError(error, 'not_found')) throw error;
    progress.clear();
    answers.notice(`${name} from ${entry.sender} passed its deadline before it was downloaded.`);
    journal.set(entry.id, 'gone');
    await rm(partPath(journal, entry), { force: true });
    return undefined;
  }
}

/** What a watch waits out. A wrong key does not become right by itself. */
function isPassing(error: unknown): boolean {
  if (isWaybillError(error)) return error.mayPass || error.code === 'internal' || error.code === 'unexpected_answer';
  return (error as NodeJS.ErrnoException).code === 'ENOSPC';
}
