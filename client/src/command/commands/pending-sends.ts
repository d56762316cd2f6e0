import { createHash, randomUUID } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SentFile, UploadStore } from '../../transfer/send.ts';

/** The server remembers a key for 7 days; one that is nearly as old is not used any more. */
const keyLifetimeMs = 6 * 24 * 3600 * 1000;

export interface SendParameters {
  url: string;
  user: string;
  /** Each with its name or path in the drop. */
  files: readonly { path: string; name: string }[];
  to: readonly string[];
  message: string | undefined;
  days: number | undefined;
  mail: boolean;
  /** What the caller calls the send. */
  key: string | undefined;
}

export interface PendingSend {
  idempotencyKey: string;
  /** An earlier run did not finish. */
  resumed: boolean;
  uploadStore: UploadStore;
  delete(): Promise<void>;
}

/**
 * Remembers what is being sent, so that the same command, run again after it was killed, is the same send: it continues
 * under the same key, and there is one drop however often it was interrupted. After a success, the same command is a
 * new send; and so it is if a file has changed. The first line of the file is the key; each other one is a finished upload.
 */
export async function openPendingSend(folder: string, words: SendParameters, now: number): Promise<PendingSend> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await deleteExpired(folder, now);
  const path = join(folder, await computeFingerprint(words));
  const begin = async (flag: 'w' | 'wx') => {
    const idempotencyKey = words.key ?? randomUUID();
    await writeFile(path, `${idempotencyKey}\n`, { flag, mode: 0o600, flush: true });
    return toPendingSend(path, idempotencyKey, false, []);
  };
  try {
    return await begin('wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const [idempotencyKey, ...lines] = (await readFile(path, 'utf8')).split('\n');
  // Killed between creating the file and writing it: nothing was sent under the missing key.
  if (!idempotencyKey || lines.length === 0) return { ...(await begin('w')), resumed: true };
  return toPendingSend(path, idempotencyKey, true, lines);
}

function toPendingSend(path: string, idempotencyKey: string, resumed: boolean, lines: readonly string[]): PendingSend {
  const known = new Map(lines.flatMap(parseUpload).map((file) => [file.path, file]));
  return {
    idempotencyKey,
    resumed,
    uploadStore: {
      get: (name) => known.get(name),
      // A line that a crash of the machine loses is an upload that is repeated.
      save: (file) => appendFile(path, `${JSON.stringify(file)}\n`),
    },
    delete: () => rm(path, { force: true }),
  };
}

function parseUpload(line: string): SentFile[] {
  try {
    return [JSON.parse(line) as SentFile];
  } catch {
    return []; // the last one, cut off
  }
}

async function computeFingerprint({ url, user, files, to, message, days, mail, key }: SendParameters): Promise<string> {
  const found = await Promise.all(
    files.map(async ({ path, name }) => {
      const file = await stat(path).catch(() => undefined); // the send itself reports the problem
      return [resolve(path), name, file?.size, file?.mtimeMs, file?.ino];
    }),
  );
  const words = [url, user, found, to.toSorted(), message ?? null, days ?? null, mail, key ?? null];
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

async function deleteExpired(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > keyLifetimeMs) await rm(path, { force: true });
  }
}
