import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The server remembers a key for 7 days; one that is nearly as old is not used any more. */
const keyLifeMs = 6 * 24 * 3600 * 1000;

export interface SendWords {
  url: string;
  user: string;
  paths: readonly string[];
  to: readonly string[];
  message: string | undefined;
  days: number | undefined;
}

export interface PendingSend {
  idempotencyKey: string;
  /** An earlier run did not finish. */
  resumed: boolean;
  forget(): Promise<void>;
}

/**
 * Remembers what is being sent, so that the same command, run again after it was killed, is the same send: it continues
 * under the same key, and there is one drop however often it was interrupted. After a success, the same command is a
 * new send; and so it is if a file has changed.
 */
export async function pendingSend(folder: string, words: SendWords, now: number): Promise<PendingSend> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sweep(folder, now);
  const path = join(folder, await fingerprint(words));
  const forget = () => rm(path, { force: true });
  try {
    const idempotencyKey = randomUUID();
    await writeFile(path, idempotencyKey, { flag: 'wx', mode: 0o600, flush: true });
    return { idempotencyKey, resumed: false, forget };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const kept = (await readFile(path, 'utf8')).trim();
  // Killed between creating the file and writing it: nothing was sent under the missing key.
  const idempotencyKey = kept === '' ? randomUUID() : kept;
  if (kept === '') await writeFile(path, idempotencyKey, { mode: 0o600, flush: true });
  return { idempotencyKey, resumed: true, forget };
}

async function fingerprint({ url, user, paths, to, message, days }: SendWords): Promise<string> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path).catch(() => undefined); // the send itself reports the problem
      return [resolve(path), found?.size, found?.mtimeMs, found?.ino];
    }),
  );
  const words = [url, user, files, to.toSorted(), message ?? null, days ?? null];
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

async function sweep(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > keyLifeMs) await rm(path, { force: true });
  }
}
