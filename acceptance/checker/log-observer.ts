/**
 * Observes the published log from outside, as a witness does: every checkpoint must be signed by a key of the policy, and
 * must contain the ones before.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Checkpoint,
  formatTilePath,
  openNote,
  type Policy,
  parseCheckpoint,
  parsePolicy,
  proveConsistency,
  type ReadTile,
  verifyConsistency,
} from '../../evidence/src/index.ts';
import { eventually } from '../lib/wait.ts';

const everyMs = 250;

export class LogObserver implements AsyncDisposable {
  readonly #policy: Policy;
  readonly #over = new AbortController();
  readonly #watching: Promise<unknown>;
  /** The checkpoints that were published, by their size. */
  readonly #seen = new Map<number, Checkpoint>();
  readonly #problems = new Set<string>();
  /** How often it has looked. */
  looks = 0;

  private constructor(policy: Policy, urls: readonly string[]) {
    this.#policy = policy;
    this.#watching = Promise.all(urls.map((url) => this.#watch(url)));
  }

  /** Observes the log through each of these servers. */
  static async start(urls: readonly string[]): Promise<LogObserver> {
    const policy = await eventually('the log has started', async () => {
      const { logs, ...rest } = parsePolicy((await get(`${urls[0]}/log/policy`)).toString());
      return logs.length > 0 ? { logs, ...rest } : undefined;
    });
    return new LogObserver(policy, urls);
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** The number of different checkpoints that were seen. */
  get count(): number {
    return this.#seen.size;
  }

  async #watch(url: string): Promise<void> {
    let last = 0;
    while (!this.#over.signal.aborted) {
      // A fault may stop or alter the response; nothing that is altered has a signature.
      const checkpoint = await this.#look(url).catch(() => undefined);
      if (checkpoint && checkpoint.size < last)
        this.#problems.add(`log: ${url} returned ${checkpoint.size} entries after ${last}`);
      last = checkpoint?.size ?? last;
      this.looks += 1;
      await pause(everyMs);
    }
  }

  async #look(url: string): Promise<Checkpoint | undefined> {
    const { text } = openNote((await get(`${url}/log/1/checkpoint`)).toString(), this.#policy.logs);
    const checkpoint = parseCheckpoint(text);
    if (!checkpoint) return undefined;
    const known = this.#seen.get(checkpoint.size) ?? checkpoint;
    if (Buffer.compare(known.root, checkpoint.root) !== 0)
      this.#problems.add(`log: two checkpoints of ${checkpoint.size} entries are signed`);
    this.#seen.set(checkpoint.size, known);
    return checkpoint;
  }

  /** Ends, and returns every violation: the log must contain all that was seen. */
  async end(url: string): Promise<string[]> {
    await this[Symbol.asyncDispose]();
    const last = await eventually('a checkpoint', async () => await this.#look(url).catch(() => undefined));
    const readTile = readTilesOnce(url);
    for (const { size, root } of this.#seen.values()) {
      if (size > last.size) {
        this.#problems.add(`log: has ${last.size} entries, and had ${size}`);
        continue;
      }
      const proof = await proveConsistency(readTile, size, last.size);
      if (!verifyConsistency({ oldSize: size, newSize: last.size, oldRoot: root, newRoot: last.root, proof }))
        this.#problems.add(`log: what it published of ${size} entries is not a part of it`);
    }
    return [...this.#problems];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#watching;
  }
}

function readTilesOnce(url: string): ReadTile {
  const kept = new Map<string, Promise<Buffer>>();
  return (tile) => {
    const path = formatTilePath(tile);
    const bytes = kept.get(path) ?? get(`${url}/log/1/${path}`);
    kept.set(path, bytes);
    return bytes;
  };
}

async function get(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(15_000) });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
