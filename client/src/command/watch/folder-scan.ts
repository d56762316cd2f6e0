import type { Dir, Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { isAccountAddress } from '../../canonical-address.ts';
import { describeError } from '../error-report.ts';
import { findFileErrorCode } from '../file-errors.ts';
import { type FileLook, isUnchanged, lookAt } from './file-look.ts';
import { ownFolders } from './own-folders.ts';
import type { WatchEvents } from './watch-events.ts';
import { isFaultOfAllFiles } from './watch-faults.ts';

/** A file that can be sent. */
export interface ReadyFile {
  /** The receiver's folder that it is in, or an empty text. */
  folder: string;
  name: string;
  look: FileLook;
  marked: boolean;
}

export interface ScanOptions {
  root: string;
  byFolder: boolean;
  settleMs: number;
  marker: boolean;
  isIgnored: (name: string) => boolean;
  events: Pick<WatchEvents, 'hindered'>;
  /** Returns whether files of this receiver's folder can be sent. */
  acceptsFolder: (folder: string) => boolean;
}

export const markerEnding = '.ready';

/** The files that are observed at the same time. In a larger folder, the others are observed after these were sent. */
const maxLooks = 10_000;

/** Looks at the files of a folder repeatedly, and finds those that nobody writes to any more. */
export class FolderScan {
  readonly #options: ScanOptions;
  readonly #maxLooks: number;
  readonly #looks = new Map<string, { look: FileLook; since: number; pass: number }>();
  #pass = 0;
  #wasCrowded = false;
  #isCrowded = false;

  constructor(options: ScanOptions, limit = maxLooks) {
    this.#options = options;
    this.#maxLooks = limit;
  }

  /** Whether files wait for another look. */
  get isUnsettled(): boolean {
    return this.#looks.size > 0;
  }

  /** Whether there were more files in the last pass than can be observed at the same time. */
  get isCrowded(): boolean {
    return this.#isCrowded;
  }

  /** Looks at every file once, and yields those that are ready. The folders are read as a stream. */
  async *findReady(now = () => performance.now()): AsyncGenerator<ReadyFile, void, void> {
    this.#pass += 1;
    this.#wasCrowded = this.#isCrowded;
    this.#isCrowded = false;
    for await (const folder of this.#listFolders()) {
      if (!this.#options.acceptsFolder(folder)) continue;
      yield* this.#findReadyIn(folder, now);
    }
    for (const [key, { pass }] of this.#looks) if (pass !== this.#pass) this.#looks.delete(key);
  }

  async *#listFolders(): AsyncGenerator<string, void, void> {
    const { root, byFolder, isIgnored } = this.#options;
    if (!byFolder) {
      yield '';
      return;
    }
    for await (const entry of await opendir(root)) {
      const { name } = entry;
      if (ownFolders.has(name) || isIgnored(name)) continue;
      if (entry.isDirectory() && isAccountAddress(name)) yield name;
      else if (entry.isDirectory())
        await this.#ignore(name, 'is not the address of a receiver', 'Rename the folder to the address of a receiver.');
      else await this.#ignore(name, 'is in no folder of a receiver', 'Move it to the folder of its receiver.');
    }
  }

  async *#findReadyIn(folder: string, now: () => number): AsyncGenerator<ReadyFile, void, void> {
    const { marker, isIgnored } = this.#options;
    for await (const entry of (await this.#openFolder(folder)) ?? []) {
      if (isIgnored(entry.name) || (folder === '' && ownFolders.has(entry.name))) continue;
      if (marker && !entry.name.endsWith(markerEnding)) continue;
      const name = marker ? entry.name.slice(0, -markerEnding.length) : entry.name;
      if (name === '' || isIgnored(name)) continue;
      let look: FileLook | undefined;
      try {
        look = marker ? await this.#lookAtMarked(folder, name) : await this.#observe(entry, folder, now());
      } catch (error) {
        await this.#reportFault(join(folder, entry.name), error);
        // Not one for each file: this user may list the files of the folder, and not look at them.
        if (findFileErrorCode(error) === 'EACCES') return;
      }
      if (look) yield { folder, name, look, marked: marker };
    }
  }

  /** Opens a folder; that of a receiver may have been removed, or be one that this user may not read. */
  async #openFolder(folder: string): Promise<Dir | undefined> {
    try {
      return await opendir(join(this.#options.root, folder));
    } catch (error) {
      if (folder === '') throw error;
      await this.#reportFault(folder, error);
      return undefined;
    }
  }

  /** Reports a fault of one file or folder, unless it was removed. Throws others, which are not of it alone. */
  async #reportFault(key: string, error: unknown): Promise<void> {
    const code = findFileErrorCode(error);
    if (code === undefined || isFaultOfAllFiles(error)) throw error;
    const { message, next } = describeError(error);
    const path = join(this.#options.root, key);
    if (code !== 'ENOENT') await this.#options.events.hindered({ status: 'ignored', path, message, next });
  }

  /** Returns the look at a file that has not changed between two looks. */
  async #observe(entry: Dirent, folder: string, at: number): Promise<FileLook | undefined> {
    const { root, settleMs } = this.#options;
    const key = join(folder, entry.name);
    const known = this.#looks.get(key);
    if (!known && this.#looks.size >= this.#maxLooks) {
      this.#isCrowded = true;
      return undefined;
    }
    const look = await lookAt(join(root, key));
    if (!look?.isFile) {
      await this.#explain(key, look, entry);
      return undefined;
    }
    if (known && isUnchanged(known.look, look)) {
      known.pass = this.#pass;
      if (at - known.since < settleMs) return undefined;
      this.#looks.delete(key);
      return look;
    }
    // Files that are written for long must not keep all places from the others.
    if (known && this.#wasCrowded) this.#looks.delete(key);
    else this.#looks.set(key, { look, since: at, pass: this.#pass });
    return undefined;
  }

  /** Returns the look at a file that has not changed since its marker was created. */
  async #lookAtMarked(folder: string, name: string): Promise<FileLook | undefined> {
    const key = join(folder, name);
    const path = join(this.#options.root, key);
    const marker = await lookAt(path + markerEnding);
    const look = await lookAt(path);
    if (!marker?.isFile || look === undefined) return undefined;
    if (look.isFile && look.changedNs <= marker.changedNs) return look;
    if (look.isFile) await this.#ignore(key, 'is newer than its marker', 'Create the marker again.');
    else await this.#explain(key, look);
    return undefined;
  }

  async #explain(key: string, look: FileLook | undefined, entry?: Dirent): Promise<void> {
    if (look !== undefined) {
      const kind = entry?.isDirectory() ? 'a folder' : entry?.isSymbolicLink() ? 'a symbolic link' : 'not a file';
      await this.#ignore(key, `is ${kind}`, 'Only files are sent: send an archive instead.');
    } else if (key.includes('\ufffd')) {
      // Any other name that does not exist was removed in between.
      await this.#ignore(key, 'has a name that is not UTF-8', 'Rename it.');
    }
  }

  async #ignore(key: string, reason: string, next: string): Promise<void> {
    const path = join(this.#options.root, key);
    await this.#options.events.hindered({
      status: 'ignored',
      path,
      message: `${path} ${reason}, and is not sent.`,
      next,
    });
  }
}
