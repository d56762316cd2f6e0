import { createHash, randomUUID } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SentFile, UploadMemory } from '../../transfer/send.ts';

/** The server remembers a key for 7 days; one that is nearly as old is not used any more. */
const keyLifeMs = 6 * 24 * 3600 * 1000;

export interface SendWords {
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
  memory: UploadMemory;
  forget(): Promise<void>;
}

/**
 * Remembers what is being sent, so that the same command, run again after it was killed, is the same send: it continues
 * under the same key, and there is one drop however often it was interrupted. After a success, the same command is a
 * new send; and so it is if a file has changed. The first line of the file is the key; each other one is a finished upload.
 */
export async function pendingSend(folder: string, words: SendWords, now: number): Promise<PendingSend> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sweep(folder, now);
  const path = join(folder, await fingerprint(words));
  const begin = async (flag: 'w' | 'wx') => {
    const idempotencyKey = words.key ?? randomUUID();
    await writeFile(path, `${idempotencyKey}\n`, { flag, mode: 0o600, flush: true });
    return pending(path, idempotencyKey, false, []);
  };
  try {
    return await begin('wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const [idempotencyKey, ...lines] = (await readFile(path, 'utf8')).split('\n');
  // Killed between creating the file and writing it: nothing was sent under the missing key.
  if (!idempotencyKey || lines.length === 0) return { ...(await begin('w')), resumed: true };
  return pending(path, idempotencyKey, true, lines);
}

function pending(path: string, idempotencyKey: string, resumed: boolean, lines: readonly string[]): PendingSend {
  const known = new Map(lines.flatMap(uploadIn).map((file) => [file.path, file]));
  return {
    idempotencyKey,
    resumed,
    memory: {
      recall: (name) => known.get(name),
      // A line that a crash of the machine loses is an upload that is repeated.
      keep: (file) => appendFile(path, `${JSON.stringify(file)}\n`),
    },
    forget: () => rm(path, { force: true }),
  };
}

function uploadIn(line: string): SentFile[] {
  try {
    return [JSON.parse(line) as SentFile];
  } catch {
    return []; // the last one, cut off
  }
}

async function fingerprint({ url, user, files, to, message, days, mail, key }: SendWords): Promise<string> {
  const found = await Promise.all(
    files.map(async ({ path, name }) => {
      const file = await stat(path).catch(() => undefined); // the send itself reports the problem
      return [resolve(path), name, file?.size, file?.mtimeMs, file?.ino];
    }),
  );
  const words = [url, user, found, to.toSorted(), message ?? null, days ?? null, mail, key ?? null];
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

async function sweep(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > keyLifeMs) await rm(path, { force: true });
  }
}
