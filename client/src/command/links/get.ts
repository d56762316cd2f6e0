import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { numberedName, safeLocalName, safeLocalPaths } from '../../generated/safe-name.ts';
import type { LinkFile } from '../../generated/wire.ts';
import type { DownloadLink } from '../../link/download-link.ts';
import { syncFolder } from '../../transfer/download-to-file.ts';
import { findFreeBytes } from '../../transfer/free-bytes.ts';
import { makeFolder } from '../../transfer/make-folder.ts';
import { moveUnlessExists } from '../../transfer/move-unless-exists.ts';
import type { Context } from '../context.ts';
import { createFolders, toVisibleName } from '../pull/place-file.ts';
import { DiskFullError } from '../pull/room.ts';
import { formatDate, formatSize, pluralize } from '../terminal/format.ts';
import { Progress, toTotal } from '../terminal/progress.ts';
import { type LinkCommandOptions, withLink } from './open-command-link.ts';
import { storeLinkReceipt } from './store-link-receipt.ts';

export interface GetCommandOptions extends LinkCommandOptions {
  to: string;
  receipt?: string;
}

/** A file, and what is known about it in the folder. */
interface Target {
  file: LinkFile;
  /** Its folders and its name, safe on every system. */
  names: readonly string[];
  part: string;
  /** Its path, if an earlier run has finished it. */
  finished: string | undefined;
}

/** Downloads the files of a link. What an earlier run has finished or begun is not downloaded again. */
export async function getFiles(context: Context, word: string | undefined, options: GetCommandOptions): Promise<void> {
  const { output } = context;
  await withLink(context, 'download', word, options, async (link) => {
    const { drop } = link;
    const { reference, sender, message, expires_at: expires, files } = drop;
    const { totalBytes: size = 0 } = toTotal(files.map((file) => file.size));
    const what = files.length === 0 ? 'a message' : `${pluralize(files.length, 'file')} (${formatSize(size)})`;
    const from = sender.name === sender.email ? sender.email : `${sender.name} (${sender.email})`;
    const text = message === '' ? '' : `\n\n${message}\n`;
    await printText(context, `${from} sent ${what} as ${reference}, until ${formatDate(new Date(expires))}.${text}`, {
      status: 'opened',
      reference,
      sender: sender.email,
      sender_name: sender.name,
      message,
      files: files.length,
      size,
      expires_at: expires,
    });
    await makeFolder(options.to);
    const targets = await findTargets(options.to, files);
    await requireRoomForAll(options.to, targets);
    await downloadAll(context, link, options.to, targets);
    if (options.receipt !== undefined) {
      await storeLinkReceipt(context, link, options.receipt, async () => (await link.get()).completed_at !== null);
    }
    await output.print(describeComplete(files.length), { status: 'completed', reference, files: files.length, size });
  });
}

function describeComplete(files: number): string {
  if (files === 0) return 'There are no files.';
  return files === 1 ? 'The file is complete.' : `All ${pluralize(files, 'file')} are complete.`;
}

/** Prints each line by itself, because a message has several. */
async function printText({ output }: Context, text: string, value: unknown): Promise<void> {
  if (output.isJson) return await output.print('', value);
  for (const line of text.split('\n')) await output.print(line, undefined);
}

async function findTargets(folder: string, files: readonly LinkFile[]): Promise<Target[]> {
  const paths = safeLocalPaths(files.map(({ path }) => path));
  const targets: Target[] = [];
  // One after another: all at once, they would be more open files than a process may have.
  for (const [index, file] of files.entries()) {
    const names = (paths[index] ?? '').split('/').map(toVisibleName);
    // The server chose the id, too.
    const part = join(folder, safeLocalName(`.waybill-${file.id}.part`));
    targets.push({ file, names, part, finished: await findFinished(folder, names, file) });
  }
  return targets;
}

/** Returns the path at which this file already is, under its name or a numbered one. */
async function findFinished(folder: string, names: readonly string[], file: LinkFile): Promise<string | undefined> {
  for (let number = 1; ; number += 1) {
    const path = join(folder, ...names.slice(0, -1), numberedName(names.at(-1) ?? '', number));
    const found = await lstat(path).catch(() => undefined);
    if (!found) return undefined;
    if (found.isFile() && found.size === file.size && (await computeDigest(path)) === file.sha256) return path;
  }
}

async function computeDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** Throws before the first byte if the disk has no room for what is missing. */
async function requireRoomForAll(folder: string, targets: readonly Target[]): Promise<void> {
  let needed = 0;
  for (const { file, part, finished } of targets) {
    if (finished !== undefined) continue;
    const done = await stat(part).then(
      (found) => found.size,
      () => 0,
    );
    needed += Math.max(0, file.size - done);
  }
  const free = await findFreeBytes(folder);
  if (needed <= free) return;
  const next = 'Make room there, or choose another folder with --to, and run the command again.';
  throw new DiskFullError('The download', { needed, free, folder }, next);
}

async function downloadAll(
  { terminal, output, signal }: Context,
  link: DownloadLink,
  folder: string,
  targets: readonly Target[],
): Promise<void> {
  const progress = new Progress(terminal);
  progress.setTotal(toTotal(targets.filter(({ finished }) => finished === undefined).map(({ file }) => file.size)));
  try {
    for (const { file, names, part, finished } of targets) {
      let path = finished;
      if (path === undefined) {
        await link.downloadPart(file, part, {
          signal,
          onProgress: ({ receivedBytes: bytes, totalBytes }) => progress.show({ name: file.path, bytes, totalBytes }),
        });
        path = await placePart(folder, names, part);
      } else await rm(part, { force: true });
      progress.clear();
      const isOld = finished !== undefined;
      await output.print(`${path}  ${formatSize(file.size)}${isOld ? '  was there already' : ''}`, {
        status: isOld ? 'present' : 'received',
        path,
        name: file.name,
        size: file.size,
        sha256: file.sha256,
      });
    }
  } finally {
    progress.clear();
  }
}

/** Gives a complete part its name, or a numbered one if there is another file of that name. */
async function placePart(folder: string, names: readonly string[], part: string): Promise<string> {
  const folders = await createFolders(folder, undefined, names.slice(0, -1));
  for (let number = 1; ; number += 1) {
    const path = join(folder, ...folders, numberedName(names.at(-1) ?? '', number));
    if (!(await moveUnlessExists(part, path))) continue;
    await syncFolder(dirname(path));
    return path;
  }
}
