import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWaybillError } from '../../errors.ts';
import type { InboxFile } from '../../generated/wire.ts';
import type { Waybill } from '../../waybill.ts';
import { describeError } from '../error-report.ts';
import { formatSize } from '../terminal/format.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Output, Terminal } from '../terminal/terminal.ts';
import { runHook } from './hook.ts';
import { type CompletePart, isPlaced, partPath, placeFile } from './place-file.ts';
import { isFaultOfDisk, isFaultOfFile } from './pull-faults.ts';
import type { JournalEntry, PullJournal } from './pull-journal.ts';
import { isDiskFull, refuseForRoom, requireRoom } from './room.ts';

/** A file of an entry. */
export type EntryFile = InboxFile & { entry: string };

export interface PullContext {
  client: Waybill;
  journal: PullJournal;
  folder: string;
  hook: string | undefined;
  watch: boolean;
  /** The seconds between attempts of a watch. */
  every: number;
  terminal: Terminal;
  output: Output;
  progress: Progress;
  signal: AbortSignal;
}

/** Reports a problem of a single file, which must not stop the others; throws any other problem. */
export async function finishOrReport(
  puller: PullContext,
  noted: JournalEntry,
  file: EntryFile,
  attempt: number,
): Promise<boolean> {
  try {
    return await finishFile(puller, noted, file, attempt);
  } catch (error) {
    puller.progress.clear();
    const isOfServer = isWaybillError(error, 'damaged', 'digest_mismatch', 'internal');
    if (puller.signal.aborted || !(isOfServer || isFaultOfFile(error))) throw error;
    const report = describeError(error);
    puller.output.printError({
      ...report,
      message: `${file.name}: ${isOfServer ? (error as Error).message : report.message}`,
    });
    return false;
  }
}

/** Takes a file from its current state to the last one. Returns whether it succeeded. */
async function finishFile(
  puller: PullContext,
  noted: JournalEntry,
  file: EntryFile,
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
  { journal, hook, terminal, output, signal }: PullContext,
  noted: JournalEntry,
  arrival: Parameters<typeof runHook>[1],
): Promise<boolean> {
  if (hook !== undefined && !(await runHook(hook, arrival, terminal.environment, signal))) {
    signal.throwIfAborted();
    output.printError({
      code: 'hook_failed',
      message: `The hook failed for ${arrival.path} (attempt ${arrival.attempt}).`,
      next: 'It runs again with the next attempt.',
    });
    return false;
  }
  journal.setState(noted.id, 'done');
  return true;
}

async function downloadToPart(
  { client, journal, folder, output, progress, signal }: PullContext,
  noted: JournalEntry,
  file: EntryFile,
): Promise<CompletePart | undefined> {
  const part = partPath(journal, noted);
  await requireRoom(folder, part, file);
  try {
    return await client.downloadPart(file, part, {
      signal,
      // Two files of a folder may have the same name, but not the same path.
      onProgress: ({ receivedBytes, totalBytes }) =>
        progress.show({ name: file.path, bytes: receivedBytes, totalBytes }),
    });
  } catch (error) {
    if (isDiskFull(error)) await refuseForRoom(folder, part, file); // something else has filled it meanwhile
    if (isFaultOfDisk(error)) error.path ??= folder; // a failed write does not name its file
    if (!isWaybillError(error, 'not_found', 'link_ended', 'link_revoked')) throw error;
    progress.clear();
    output.printError({
      code: error.code,
      message: `${file.name} from ${noted.sender} expired before it was downloaded.`,
      next: 'Ask its sender to send it again.',
    });
    journal.setState(noted.id, 'gone');
    await rm(part, { force: true });
    return undefined;
  }
}
