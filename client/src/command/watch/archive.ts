import { open, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { numberedName } from '../../generated/safe-name.ts';
import { syncFolder } from '../../transfer/download-to-file.ts';
import { makeFolder } from '../../transfer/make-folder.ts';
import { moveUnlessExists, pathExists, wasMoved } from '../../transfer/move-unless-exists.ts';
import { failedFolder, sentFolder } from './own-folders.ts';

/** The text beside a file that was sent. It has no link. */
export interface SendReceipt {
  status: 'sent';
  file: string;
  size: number;
  sha256: string | null;
  to: string[];
  drop: string;
  reference: string;
  sent_at: string;
  expires_at: string;
  scan: string | null;
  unscanned_reason: string | null;
  idempotency_key: string;
}

/** The text beside a file that could not be sent. */
export interface FailureNote {
  status: 'failed';
  file: string;
  to: string[];
  code: string;
  message: string;
  next: string;
  failed_at: string;
  idempotency_key: string;
}

const noteEndings = { sent: '.receipt.json', failed: '.error.json' } as const;
const archiveFolders = { sent: sentFolder, failed: failedFolder } as const;
const isoDateLength = 10;
/** No file that is sent has a hidden name. */
const noteDraft = '.note';

interface ArchivedFile {
  /** The receiver's folder that the file was in, or an empty text. */
  folder: string;
  /** The folder that the file is in, alone. */
  held: string;
  name: string;
}

const maxNameBytes = 255;
const maxRemembered = 10_000;

/** The folders of the files that were sent, and of those that could not be. */
export class Archive {
  readonly #root: string;
  /** The number from which to try: the thousandth file of a name and day does not take a thousand tries. */
  readonly #numbers = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Moves a file to the folder of the day, with a note beside it, and returns its path. Both have a name that nothing
   * else has. After a crash, a second call continues: the note has the key of the file.
   */
  async store({ folder, held, name }: ArchivedFile, note: SendReceipt | FailureNote): Promise<string> {
    const day = (note.status === 'sent' ? note.sent_at : note.failed_at).slice(0, isoDateLength);
    const target = join(this.#root, archiveFolders[note.status], day, folder);
    await makeFolder(target);
    // A crash may have come after everything was moved.
    await makeFolder(held, 0o700);
    const draft = join(held, noteDraft);
    await writeSynced(draft, `${JSON.stringify(note, undefined, 2)}\n`);
    const first = this.#numbers.get(join(target, name)) ?? 1;
    for (let number = first; ; number += 1) {
      const path = join(target, numberedName(name, number));
      const notePath = toNotePath(path, note);
      const isOwn = (await moveUnlessExists(draft, notePath)) || (await hasKey(notePath, note.idempotency_key));
      if (!isOwn) continue;
      if (!(await moveBesideNote(join(held, name), path, notePath))) {
        await writeSynced(draft, `${JSON.stringify(note, undefined, 2)}\n`);
        continue;
      }
      this.#rememberNumber(join(target, name), number);
      await syncFolder(target);
      await rm(draft, { force: true });
      return path;
    }
  }

  #rememberNumber(path: string, number: number): void {
    if (number === 1) return;
    if (this.#numbers.size >= maxRemembered) this.#numbers.clear();
    this.#numbers.set(path, number);
  }
}

/** Returns false, without the note, if something else has the name of the file. */
async function moveBesideNote(source: string, path: string, notePath: string): Promise<boolean> {
  try {
    // After a crash, it may have been moved already.
    if (!(await pathExists(source)) || (await moveUnlessExists(source, path)) || wasMoved(source, path)) return true;
  } catch (error) {
    await rm(notePath, { force: true });
    throw error;
  }
  await rm(notePath);
  return false;
}

function toNotePath(path: string, { status, idempotency_key: key }: SendReceipt | FailureNote): string {
  const name = basename(path) + noteEndings[status];
  return join(dirname(path), Buffer.byteLength(name) > maxNameBytes ? key + noteEndings[status] : name);
}

async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'w');
  await file.writeFile(text);
  await file.sync();
}

const maxNoteBytes = 65_536;

/** Returns whether a note is that of the file with this key. Notes of files are small, other files need not be. */
async function hasKey(path: string, key: string): Promise<boolean> {
  await using file = await open(path, 'r');
  if ((await file.stat()).size > maxNoteBytes) return false;
  const text = await readFile(file, 'utf8');
  return text.includes(`"idempotency_key": "${key}"`);
}
