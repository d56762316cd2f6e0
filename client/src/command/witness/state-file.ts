import { createHash } from 'node:crypto';
import { open, readFile, realpath, rename } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { decodeBase64, encodeBase64 } from '@waybill/evidence';
import { CommandError, exitCodes } from '../exit-codes.ts';

/** The newest checkpoint of a log that a witness has cosigned. */
export interface WitnessedLog {
  size: number;
  root: Uint8Array;
}

interface Content {
  logs: Record<string, { size: number; root: string }>;
}

/** The memory of a witness: the newest checkpoint of each log. One process uses it at a time. */
export class StateFile {
  readonly #path: string;
  readonly #logs: Map<string, WitnessedLog>;
  readonly #lock: Server;

  private constructor(path: string, logs: Map<string, WitnessedLog>, lock: Server) {
    this.#path = path;
    this.#logs = logs;
    this.#lock = lock;
  }

  static async open(path: string): Promise<StateFile> {
    const whole = join(await realpath(dirname(resolve(path))), basename(path));
    const lock = await lockFile(whole);
    try {
      return new StateFile(whole, await readLogs(whole), lock);
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  get(origin: string): WitnessedLog | undefined {
    return this.#logs.get(origin);
  }

  /** Stores a checkpoint so that it survives a loss of power before this returns. */
  async put(origin: string, log: WitnessedLog): Promise<void> {
    const logs = new Map(this.#logs).set(origin, log);
    const content: Content = {
      logs: Object.fromEntries([...logs].map(([name, { size, root }]) => [name, { size, root: encodeBase64(root) }])),
    };
    const draft = `${this.#path}.new`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(content, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.#path);
    await syncFolder(dirname(this.#path));
    this.#logs.set(origin, log);
  }

  close(): void {
    this.#lock.close();
  }
}

/**
 * Refuses a second process: two that do not know of each other could cosign two views of a log. An abstract socket of Linux ends
 * with its process, however that ends; other systems have none.
 */
async function lockFile(path: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy());
  if (process.platform !== 'linux') return server;
  const name = `\0waybill-witness-${createHash('sha256').update(path).digest('hex')}`;
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(name, done);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    const message = `Another witness uses ${path}.`;
    throw new CommandError(exitCodes.failed, 'state_in_use', message, 'End it, or choose another --state.');
  });
  return server;
}

/** A file that is damaged stops the witness: with an empty memory it would cosign any view of a log. */
async function readLogs(path: string): Promise<Map<string, WitnessedLog>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  try {
    const { logs } = JSON.parse(text) as Content;
    return new Map(
      Object.entries(logs).map(([origin, { size, root }]) => {
        const bytes = decodeBase64(root);
        if (!Number.isSafeInteger(size) || size < 0 || bytes?.length !== 32) throw new TypeError(origin);
        return [origin, { size, root: bytes }];
      }),
    );
  } catch {
    const next = 'Restore it from a backup. Without it, the witness would cosign any view of a log.';
    throw new CommandError(exitCodes.damaged, 'state_damaged', `${path} is damaged.`, next);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
