import { createHash } from 'node:crypto';
import { open, readFile, realpath, rename, writeFile } from 'node:fs/promises';
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
  /** The content of the file, as this process knows it. */
  #text: string;

  private constructor(path: string, text: string, lock: Server) {
    this.#path = path;
    this.#logs = parseLogs(path, text);
    this.#lock = lock;
    this.#text = text;
  }

  /** Creates the memory of a new witness. Throws if the file exists. */
  static async create(path: string): Promise<void> {
    await writeFile(path, formatLogs(new Map()), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      const next = 'Choose another path: a state belongs to one witness.';
      throw new CommandError(exitCodes.failed, 'state_file', `${path} exists already, and is not replaced.`, next);
    });
  }

  static async open(path: string): Promise<StateFile> {
    const whole = join(await realpath(dirname(resolve(path))), basename(path));
    const lock = await lockFile(whole);
    try {
      return new StateFile(whole, await readState(whole), lock);
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
    await this.#requireUnchanged();
    const text = formatLogs(new Map(this.#logs).set(origin, log));
    const draft = `${this.#path}.new`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.#path);
    this.#text = text;
    await syncFolder(dirname(this.#path));
    this.#logs.set(origin, log);
  }

  /** Detects another process with the same file where the lock does not, as in another container. */
  async #requireUnchanged(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return this.#text;
    });
    if (text !== this.#text) throw new Error(`something else has changed ${this.#path}`);
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

const lostStateAdvice =
  'Restore it from a backup. If there is none, create a witness with another name and key: waybill witness init';

/** A file that is missing or damaged stops the witness: with an empty memory it would cosign any view of a log. */
async function readState(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new CommandError(exitCodes.damaged, 'state_missing', `${path} does not exist.`, lostStateAdvice);
  });
}

function formatLogs(logs: ReadonlyMap<string, WitnessedLog>): string {
  const content: Content = {
    logs: Object.fromEntries([...logs].map(([name, { size, root }]) => [name, { size, root: encodeBase64(root) }])),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function parseLogs(path: string, text: string): Map<string, WitnessedLog> {
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
    throw new CommandError(exitCodes.damaged, 'state_damaged', `${path} is damaged.`, lostStateAdvice);
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
