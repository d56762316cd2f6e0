import type { Engines } from '../engines.ts';
import type { RateLimiter } from '../flow/rate-limiter.ts';
import { checkKeys } from '../keys/check-master-keys.ts';
import { query } from '../query.ts';
import { checkFile } from './check-file.ts';
import type { ScrubbedFile, ScrubPass } from './scrub-store.ts';

const filesPerPage = 500;
/** How much is read again after a crash. */
const saveEveryMs = 5_000;
/** Reading a small file costs the store about as much as reading this many bytes. */
const leastBytesPerFile = 64 * 1024;
/** A number of objects that no file has. */
const allObjects = 2 ** 31 - 1;

type Needs = Pick<Engines, 'store' | 'objects' | 'masterKeys' | 'dayKeys' | 'logger'>;

export interface ScrubOptions {
  readonly signal?: AbortSignal | undefined;
  /** Undefined: as fast as possible. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Begins a new pass instead of continuing the one in progress. */
  readonly fromStart?: boolean | undefined;
  /** Unless a pass is in progress: how long after the beginning of the last one another one is due. */
  readonly restSeconds?: number;
  /** Stops after this time, wherever it is. */
  readonly forMs?: number;
  readonly onProgress?: (pass: Pick<ScrubPass, 'files' | 'bytes'>) => void;
}

/**
 * Reads all stored files, or the rest of them if a pass is in progress, and records which are damaged. It deletes
 * nothing. Returns the pass, or `undefined` if another process is doing it or no pass is due. A pass that is continued
 * in the middle of a file does not compare its digest: the tags have already proved every byte.
 */
export async function scrubAlone(engines: Needs, options: ScrubOptions = {}): Promise<ScrubPass | undefined> {
  return engines.store.exclusively('scrub', async (lost) => {
    const { scrub } = engines.store;
    const last = await scrub.pass();
    const isUnderWay = last?.completedAt === null;
    const isDue = !last || last.startedSeconds >= (options.restSeconds ?? 0);
    if (!isUnderWay && !isDue) return undefined;
    // Otherwise every file would be recorded as damaged.
    await checkKeys(engines);
    if (!isUnderWay || options.fromStart) await scrub.begin();
    const ends = [options.signal, options.forMs === undefined ? undefined : AbortSignal.timeout(options.forMs)];
    const signal = AbortSignal.any([lost, ...ends.filter((end) => end !== undefined)]);
    const pass = new Pass(engines, (await scrub.pass()) as ScrubPass, { ...options, signal });
    await pass.run().catch((error: unknown) => {
      if (!ends[1]?.aborted || lost.aborted || options.signal?.aborted) throw error;
    });
    return scrub.pass();
  });
}

class Pass {
  readonly #engines: Needs;
  readonly #options: ScrubOptions & { readonly signal: AbortSignal };
  #position: ScrubPass['position'];
  #files: number;
  #bytes: number;
  #savedAt = performance.now();

  constructor(engines: Needs, pass: ScrubPass, options: ScrubOptions & { readonly signal: AbortSignal }) {
    this.#engines = engines;
    this.#options = options;
    this.#position = pass.position;
    this.#files = pass.files;
    this.#bytes = pass.bytes;
  }

  async run(): Promise<void> {
    const { scrub } = this.#engines.store;
    try {
      for (;;) {
        const { files, next } = await scrub.filesFrom(this.#position, filesPerPage);
        for (const file of files) await this.#check(file);
        if (!next) break;
        this.#position = { ...next, objects: 0 };
      }
    } finally {
      await this.#save();
    }
    await scrub.complete();
  }

  async #check(file: ScrubbedFile): Promise<void> {
    const { signal, rateLimiter, onProgress } = this.#options;
    const { scrub } = this.#engines.store;
    const { accountId, id } = file;
    signal.throwIfAborted();
    const objectsDone = id === this.#position.id ? this.#position.objects : 0;
    if (objectsDone === allObjects) return;
    this.#position = { accountId, id, objects: objectsDone };
    let leastBytes = leastBytesPerFile;
    const damage = await checkFile(this.#engines, file, {
      signal,
      objectsDone,
      afterEach: async (bytes) => {
        this.#position = { accountId, id, objects: this.#position.objects + 1 };
        this.#bytes += bytes;
        onProgress?.({ files: this.#files, bytes: this.#bytes });
        if (performance.now() - this.#savedAt > saveEveryMs) await this.#save();
        await rateLimiter?.acquire(Math.max(bytes, leastBytes), signal);
        leastBytes = 0;
      },
    });
    if (damage?.problem === 'key') {
      // The sweep may have wrapped it by the key of another day since the page was read, and destroyed the key of its day.
      const [now] = (await scrub.filesFrom(file, 1)).files;
      if (now?.id === id && !now.wrappedKey.equals(file.wrappedKey)) return this.#check(now);
    }
    if (damage && (await scrub.record(file, damage))) {
      this.#engines.logger.warn('a stored file is damaged', { accountId, file: id, ...damage });
    } else if (!damage && file.isRecorded) await scrub.clear(file);
    this.#files += 1;
    this.#position = { accountId, id, objects: allObjects };
  }

  async #save(): Promise<void> {
    this.#savedAt = performance.now();
    await this.#engines.store.scrub.advance({ position: this.#position, files: this.#files, bytes: this.#bytes });
  }
}

export const countDamaged = query((store) => store.scrub.countDamaged);
export const listDamagedFiles = query((store) => store.scrub.damaged);
