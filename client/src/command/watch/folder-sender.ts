import { join } from 'node:path';
import { ClaimError, claimFile } from './claim-file.ts';
import type { FolderScan, ReadyFile } from './folder-scan.ts';
import type { ReceiverCheck } from './receiver-check.ts';
import { type HeldFileContext, sendHeldFile } from './send-held-file.ts';
import { TaskPool } from './task-pool.ts';
import type { DeliveryFields, HeldFile } from './watch-journal.ts';

interface FolderSenderContext extends HeldFileContext {
  scan: FolderScan;
  receivers: ReceiverCheck;
  toFields: (folder: string) => DeliveryFields;
  /** Called when a file has met a fault that others would meet. */
  onFailure: () => void;
}

/** The files that are sent at the same time. */
const concurrentFiles = 4;
/** The files that are claimed and not finished. While so many wait for another attempt, no more are claimed. */
const maxHeldFiles = 100;
/** A file that cannot be claimed is not tried again for this time. */
const unclaimableMs = 300_000;
const maxRemembered = 10_000;

/** Claims and sends the files of a folder, some of them at the same time. */
export class FolderSender {
  readonly #context: FolderSenderContext;
  readonly #pool: TaskPool;
  /** The files that are being sent now. */
  readonly #active = new Set<string>();
  readonly #unclaimable = new Map<string, number>();
  #finished = 0;
  #finishedBefore = 0;

  constructor(context: FolderSenderContext) {
    this.#context = context;
    this.#pool = new TaskPool(concurrentFiles, context.onFailure);
  }

  /** Continues with claimed files whose next attempt is due. */
  async sendHeld(until: number): Promise<void> {
    const { journal } = this.#context;
    for (const held of journal.list()) {
      if (held.nextAttemptAt > until || this.#active.has(held.id)) continue;
      await this.#pool.start(() => this.#send(held));
    }
  }

  /** Looks at the folder once, and starts to send what is ready. Returns how long the look alone took. */
  async sendReady(): Promise<number> {
    const { scan, journal, signal } = this.#context;
    const began = performance.now();
    let waitedMs = 0;
    for await (const file of scan.findReady()) {
      signal.throwIfAborted();
      if (journal.count() >= maxHeldFiles) break;
      const readyAt = performance.now();
      await this.#pool.start(() => this.#claimAndSend(file));
      waitedMs += performance.now() - readyAt;
    }
    return performance.now() - began - waitedMs;
  }

  /** Waits for the files that are being sent. */
  async finish(): Promise<void> {
    await this.#pool.finish();
  }

  /** Waits for them, and ignores their failures after one that was reported. */
  async pause(): Promise<void> {
    await this.#pool.finish();
    this.#pool.discardFailure();
  }

  throwFailure(): void {
    this.#pool.throwFailure();
  }

  /** Returns whether a file was finished since the last call. */
  hasProgressed(): boolean {
    const before = this.#finishedBefore;
    this.#finishedBefore = this.#finished;
    return this.#finished > before;
  }

  nextAttemptInMs(): number {
    const { journal, runtime } = this.#context;
    const next = journal.list().find(({ id }) => !this.#active.has(id));
    return next === undefined ? Number.POSITIVE_INFINITY : Math.max(0, next.nextAttemptAt - runtime.now());
  }

  async #claimAndSend(file: ReadyFile): Promise<void> {
    const { root, journal, receivers, toFields, events, runtime, signal } = this.#context;
    const { folder, name } = file;
    const path = join(root, folder, name);
    if ((this.#unclaimable.get(path) ?? 0) > runtime.now()) return;
    if (folder === '') await receivers.check(folder, signal);
    else if (!(await receivers.accepts(root, folder, performance.now(), signal))) return;
    const id = runtime.uuid();
    this.#active.add(id);
    let held: HeldFile | undefined;
    try {
      held = await claimFile(root, journal, id, file, toFields(folder));
    } catch (error) {
      if (!(error instanceof ClaimError)) throw error;
      if (this.#unclaimable.size >= maxRemembered) this.#unclaimable.clear();
      this.#unclaimable.set(path, runtime.now() + unclaimableMs);
      await events.hindered({
        status: 'ignored',
        path,
        message: `${path} is not sent: ${error.message}`,
        next: error.next,
      });
    } finally {
      this.#active.delete(id);
    }
    if (held) await this.#send(held);
  }

  async #send(held: HeldFile): Promise<void> {
    this.#active.add(held.id);
    try {
      await sendHeldFile(this.#context, held);
      if (!this.#context.journal.has(held.id)) this.#finished += 1;
    } finally {
      this.#active.delete(held.id);
    }
  }
}
