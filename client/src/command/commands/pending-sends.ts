import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../transfer/make-folder.ts';
import { nameTarget } from '../../transfer/name-target.ts';
import type { SentFile, UploadStore } from '../../transfer/send.ts';
import type { DeliveryCommandOptions } from './delivery.ts';

/** The server stores a key for 7 days; an older key than this is not reused. */
const keyLifetimeMs = 6 * 24 * 3600 * 1000;

export interface SendParameters {
  url: string;
  user: string;
  /** The files, each with its name or path in the drop. */
  files: readonly { path: string; name: string }[];
  /** The receivers, the message and all other options of the command. */
  delivery: DeliveryCommandOptions;
}

export interface PendingSend {
  idempotencyKey: string;
  /** Whether an earlier run uploaded something and did not finish. */
  resumed: boolean;
  uploadStore: UploadStore;
  /** Records that something is uploaded. */
  recordStart(): void;
  delete(): Promise<void>;
}

/**
 * Records a send on disk, so that the same command, run again after it was killed, resumes it with the same key and
 * results in one drop. After a success, or if a file has changed, the same command is a new send. The first line of the
 * record is the key; every other line is a finished upload, or says that one was started.
 */
export async function openPendingSend(folder: string, words: SendParameters, now: number): Promise<PendingSend> {
  await makeFolder(folder, 0o700);
  await deleteExpired(folder, now);
  const path = join(folder, await computeFingerprint(words));
  const begin = async (flag: 'w' | 'wx') => {
    const idempotencyKey = words.delivery.key ?? randomUUID();
    await writeFile(path, `${idempotencyKey}\n`, { flag, mode: 0o600, flush: true });
    return toPendingSend(path, idempotencyKey, []);
  };
  try {
    return await begin('wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const [idempotencyKey, ...lines] = (await readFile(path, 'utf8')).split('\n');
  // The process was killed before it wrote the key, so nothing was sent with it.
  if (!idempotencyKey || lines.length === 0) return await begin('w');
  return toPendingSend(path, idempotencyKey, lines);
}

const startLine = '{}\n';
/** Without O_CREAT: another run of the command may have finished, and deleted the record. */
const appendOnly = constants.O_WRONLY | constants.O_APPEND;

function toPendingSend(path: string, idempotencyKey: string, lines: readonly string[]): PendingSend {
  const known = new Map(lines.flatMap(parseUpload).map((file) => [file.path, file]));
  return {
    idempotencyKey,
    resumed: lines.some((line) => line !== ''),
    uploadStore: {
      get: (name) => known.get(name),
      // Not flushed: if a crash of the machine loses a line, the upload is repeated.
      async save(file) {
        const record = await open(path, appendOnly).catch(ignoreMissing);
        if (record === undefined) return;
        try {
          await nameTarget(path, record.write(`${JSON.stringify(file)}\n`));
        } finally {
          await record.close();
        }
      },
    },
    recordStart() {
      try {
        const record = openSync(path, appendOnly);
        writeSync(record, startLine);
        closeSync(record);
      } catch (error) {
        ignoreMissing(error);
      }
    },
    delete: () => rm(path, { force: true }),
  };
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function parseUpload(line: string): SentFile[] {
  try {
    return [JSON.parse(line) as SentFile];
  } catch {
    return []; // the last line may be truncated
  }
}

async function computeFingerprint({ url, user, files, delivery }: SendParameters): Promise<string> {
  const found = await Promise.all(
    files.map(async ({ path, name }) => {
      const file = await stat(path).catch(() => undefined); // the send itself reports the problem
      return [resolve(path), name, file?.size, file?.mtimeMs, file?.ino];
    }),
  );
  const { to, ...others } = delivery;
  const options = Object.entries(others).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const values = [url, user, found, to.toSorted(), options];
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}

async function deleteExpired(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > keyLifetimeMs) await rm(path, { force: true });
  }
}
