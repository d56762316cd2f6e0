import { formatCheckpoint, type Signer, signNote } from '@waybill/evidence';
import { systemAuthor } from '../audit/author.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { commitEvent } from './commit-event.ts';
import type { Log, LogTurn, WaitingEntry } from './log-store.ts';
import { LogTree } from './log-tree.ts';
import {
  LogRefusal,
  type PublishedCheckpoint,
  readCheckpoint,
  readPublished,
  readText,
  requireKnown,
  requireSameRoot,
} from './published-checkpoint.ts';
import { toCheckpointName, toObjectName } from './read-log.ts';
import { openSigners } from './signing-keys.ts';
import { startEpoch } from './start-epoch.ts';

/** Entries that get their leaves in one transaction. */
const maxBatch = 4_096;
/** A process that dies holds the log up for this long. */
const leaseSeconds = 10;
const renewMs = 3_000;
const putsAtOnce = 8;
const deletedAtOnce = 1_000;
/** While nothing happens, and while it refuses, it compares itself with the bucket this often. */
const compareMs = 30_000;

export type SequencerEngines = Pick<
  Engines,
  'store' | 'logObjects' | 'masterKeys' | 'random' | 'checkpoint' | 'logger' | 'policy'
>;

/** Another process writes the log, or has changed it. Whether it is still our turn is asked again. */
class LeaseLostError extends Error {}

/**
 * Appends entries to the evidence log, in three durable steps: entries get their leaves in the database, then tiles are
 * stored in the bucket, then a checkpoint is signed and published. The order is durable before anything is computed from
 * it, so each step can be repeated by any process and leads to the same bytes. The bucket's checkpoint is where it
 * begins again after anything unexpected.
 */
export class Sequencer {
  readonly #engines: SequencerEngines;
  #turn: { readonly turn: LogTurn; log: Log; renewedAt: number } | undefined;
  #signers: { readonly keys: string; readonly signers: readonly Signer[] } | undefined;
  /** The database's time, for signatures. */
  #seconds = 0;
  /** The tree of the checkpoint that is in the bucket. */
  #tree: { readonly tree: LogTree; readonly text: string | undefined } | undefined;
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** The last checkpoint that was published again with cosignatures. */
  #cosigned: string | undefined;

  constructor(engines: SequencerEngines) {
    this.#engines = engines;
  }

  /** Logs what is waiting, unless another process does. Returns whether more is waiting. */
  async step(signal: AbortSignal): Promise<boolean> {
    try {
      const log = await this.#keepTurn();
      if (!log) return false;
      const isDue = performance.now() - this.#comparedAt >= compareMs;
      if (log.refusal !== null && !isDue) return false;
      // Nothing gets a leaf in a log that may be a fork.
      if (isDue) await this.#openTree(signal);
      const assigned = await this.#assign();
      if (isDue || this.#log.size > this.#log.publishedSize) await this.#publish(signal);
      await this.#publishCosignatures(signal);
      return assigned === maxBatch;
    } catch (error) {
      // The state in memory may differ from what is stored.
      this.#tree = undefined;
      this.#comparedAt = Number.NEGATIVE_INFINITY;
      if (error instanceof LogRefusal) return this.#refuse(error);
      if (this.#turn) this.#turn.renewedAt = Number.NEGATIVE_INFINITY;
      if (!(error instanceof LeaseLostError)) throw error;
      return false;
    }
  }

  /** Whether this process writes the log. */
  get hasTurn(): boolean {
    return this.#turn !== undefined;
  }

  /** Lets another process continue at once. */
  async stop(): Promise<void> {
    const held = this.#turn;
    this.#turn = undefined;
    if (held) await this.#engines.store.evidenceLog.release(held.turn);
  }

  get #log(): Log {
    if (!this.#turn) throw new LeaseLostError();
    return this.#turn.log;
  }

  /** Takes or keeps the lease. Returns the log as it is, or undefined if it is another process's turn. */
  async #keepTurn(): Promise<Log | undefined> {
    if (this.#turn) return this.#renew().catch(unlessLost);
    const { evidenceLog } = this.#engines.store;
    const since = performance.now();
    this.#tree = undefined;
    this.#comparedAt = Number.NEGATIVE_INFINITY;
    const taken = (await evidenceLog.take(leaseSeconds)) ?? (await this.#startFirst());
    this.#turn = taken && { ...taken, renewedAt: since };
    return taken?.log;
  }

  /** Keeps the lease while there is much to do. */
  async #renew(): Promise<Log> {
    const held = this.#turn;
    if (!held) throw new LeaseLostError();
    const since = performance.now();
    if (since - held.renewedAt < renewMs) return held.log;
    const log = await this.#engines.store.evidenceLog.renew(held.turn, leaseSeconds);
    if (!log) {
      this.#turn = undefined;
      throw new LeaseLostError();
    }
    // Nobody else writes the log: the database has lost its last changes.
    if (log.size !== held.log.size) this.#comparedAt = Number.NEGATIVE_INFINITY;
    Object.assign(held, { log, renewedAt: since });
    return log;
  }

  async #startFirst() {
    const { evidenceLog } = this.#engines.store;
    if ((await evidenceLog.list()).length > 0) return undefined;
    await startEpoch(this.#engines, { reason: 'first start', author: systemAuthor('server') });
    return evidenceLog.take(leaseSeconds);
  }

  /** Ends with the lease, so that nothing is written after it. */
  #whileLeased(signal: AbortSignal): AbortSignal {
    if (!this.#turn) throw new LeaseLostError();
    const leftMs = Math.floor(this.#turn.renewedAt + leaseSeconds * 1000 - performance.now());
    if (leftMs <= 0) throw new LeaseLostError();
    return AbortSignal.any([signal, AbortSignal.timeout(leftMs)]);
  }

  /** Step 1: the order of the entries is durable. */
  async #assign(): Promise<number> {
    const { store, checkpoint } = this.#engines;
    const waiting = await store.evidenceLog.waiting(maxBatch);
    if (waiting.length === 0) return 0;
    const { size } = this.#log;
    const entries = waiting.map((entry) => ({ ...entry, commitment: this.#commit(entry) }));
    await store.transaction(async (tx) => {
      if (!(await tx.evidenceLog.assign(this.#turnOrThrow(), size, entries))) throw new LeaseLostError();
    });
    this.#update({ size: size + entries.length });
    checkpoint('log:assigned');
    return waiting.length;
  }

  /** An event that cannot be committed to must not stop all others; nobody can ever prove it. */
  #commit(entry: WaitingEntry): Buffer {
    try {
      return commitEvent(entry);
    } catch (error) {
      const { id, kind } = entry;
      this.#engines.logger.warn('an event cannot be proven', { id, kind, reason: (error as Error).message });
      return this.#engines.random.bytes(32);
    }
  }

  /** Steps 2 and 3. */
  async #publish(signal: AbortSignal): Promise<void> {
    const tree = await this.#openTree(signal);
    await this.#extend(tree, signal);
    // A process that died may have put a checkpoint in the bucket without recording it; one that was paused may have
    // replaced it by an older one.
    const isPublished = this.#tree?.text === this.#format(tree) && tree.size === this.#log.publishedSize;
    if (!isPublished) await this.#signAndPublish(tree, signal);
    else if (this.#log.refusal !== null) await this.#clearRefusal();
  }

  /** The tree of the checkpoint in the bucket. Throws a LogRefusal if it is not a part of what the database knows. */
  async #openTree(signal: AbortSignal): Promise<LogTree> {
    const log = this.#log;
    const published = await readPublished(this.#engines, log, this.#whileLeased(signal), this.#tree?.text);
    requireKnown(log, published);
    this.#comparedAt = performance.now();
    const text = published && readText(published.note);
    if (this.#tree && this.#tree.text === text) return this.#tree.tree;
    if (!published) return this.#keepTree(LogTree.empty(), undefined);
    // A tile may also be damaged on its way.
    const loaded = (await this.#loadTree(published, signal)) ?? (await this.#loadTree(published, signal));
    if (loaded) return this.#keepTree(loaded, text);
    const { epoch } = log;
    const { size } = published;
    this.#engines.logger.warn('tiles of the evidence log are missing or damaged, and are written again', {
      epoch,
      size,
    });
    return this.#keepTree(LogTree.empty(), text);
  }

  /** Undefined if tiles are missing or damaged: then they are all written again, from the entries in the database. */
  async #loadTree({ size, root }: PublishedCheckpoint, signal: AbortSignal): Promise<LogTree | undefined> {
    try {
      const tree = await LogTree.load(this.#engines.logObjects, this.#log.epoch, size, this.#whileLeased(signal));
      return Buffer.compare(tree.root, root) === 0 ? tree : undefined;
    } catch (error) {
      if (!(error instanceof ExchangeError && error.code === 'damaged') && !(error instanceof RangeError)) throw error;
      return undefined;
    }
  }

  #keepTree(tree: LogTree, text: string | undefined): LogTree {
    this.#tree = { tree, text };
    return tree;
  }

  /** Step 2: stores tiles for all entries that have leaves. */
  async #extend(tree: LogTree, signal: AbortSignal): Promise<void> {
    const { store, logObjects, logger, checkpoint } = this.#engines;
    const { epoch, size, signedCheckpoint, checkpoint: lastPublished } = this.#log;
    // Checkpoints that were signed before must be a part of what is signed now, wherever it begins again.
    const known = [readCheckpoint(lastPublished), readCheckpoint(signedCheckpoint)].filter((one) => one !== undefined);
    while (tree.size < size) {
      await this.#renew();
      const next = Math.min(size, tree.size + maxBatch, ...known.map((one) => one.size).filter((at) => at > tree.size));
      const entries = await store.evidenceLog.placed(epoch, tree.size, next - tree.size);
      if (entries.length !== next - tree.size || entries.some(({ leafIndex }, at) => leafIndex !== tree.size + at)) {
        throw new LogRefusal(
          `The database does not have all entries of epoch ${epoch} from ${tree.size} to ${next}: the command that started a new epoch was interrupted, or rows were deleted or changed. Start a new epoch: waybilld admin log start-epoch --reason "the log lacked entries". If \`waybilld admin log check\` names entries that were deleted, restore a backup of the database.`,
        );
      }
      const { files, obsolete } = tree.append(entries.map(({ commitment }) => commitment));
      const leased = this.#whileLeased(signal);
      await inGroups(files, putsAtOnce, ({ path, bytes }) => logObjects.put(toObjectName(epoch, path), bytes, leased));
      checkpoint('log:tiles-written');
      for (const one of known) if (one.size === tree.size) requireSameRoot(epoch, one, tree.root);
      for (let from = 0; from < obsolete.length; from += deletedAtOnce) {
        const names = obsolete.slice(from, from + deletedAtOnce).map((path) => toObjectName(epoch, path));
        // They are only a waste of space.
        await logObjects
          .delete(names, leased)
          .catch((error: unknown) => logger.warn('partial tiles were not deleted', { reason: String(error) }));
      }
    }
  }

  /** Step 3: nothing is published that is not in the database as signed. */
  async #signAndPublish(tree: LogTree, signal: AbortSignal): Promise<void> {
    const { store, logObjects, checkpoint } = this.#engines;
    await this.#renew();
    const { epoch } = this.#log;
    const text = this.#format(tree);
    this.#seconds = Math.floor(await store.dayKeys.clock());
    const note = await signNote(text, await this.#openSigners());
    if (!(await store.evidenceLog.sign(this.#turnOrThrow(), tree.size, note))) throw new LeaseLostError();
    this.#update({ signedCheckpoint: note });
    checkpoint('log:checkpoint-stored');
    await logObjects.put(toCheckpointName(epoch), Buffer.from(note), this.#whileLeased(signal));
    checkpoint('log:checkpoint-put');
    if (!(await store.evidenceLog.publish(this.#turnOrThrow(), tree.size, note))) throw new LeaseLostError();
    this.#update({ checkpoint: note, publishedSize: tree.size, refusal: null });
    this.#keepTree(tree, text);
    checkpoint('log:published');
  }

  #format({ size, root }: LogTree): string {
    return formatCheckpoint({ origin: this.#log.origin, size, root });
  }

  /** Adds the cosignatures of witnesses to the checkpoint in the bucket, while it is the newest one. */
  async #publishCosignatures(signal: AbortSignal): Promise<void> {
    const { epoch, checkpoint: newest, cosignedCheckpoint: cosigned } = this.#log;
    if (newest === null || cosigned === null || cosigned === this.#cosigned) return;
    if (readText(cosigned) !== readText(newest)) return;
    await this.#engines.logObjects.put(toCheckpointName(epoch), Buffer.from(cosigned), this.#whileLeased(signal));
    this.#cosigned = cosigned;
  }

  /** The key provider is asked only when the keys have changed. */
  async #openSigners(): Promise<readonly Signer[]> {
    const { epoch, origin } = this.#log;
    const keys = (await this.#engines.store.evidenceLog.listKeys(epoch)).filter(({ retiredAt }) => retiredAt === null);
    const names = `${epoch} ${keys.map(({ keyId }) => keyId).join()}`;
    if (this.#signers?.keys !== names) {
      const signers = await openSigners(this.#engines, origin, keys, () => this.#seconds);
      if (signers.length === 0)
        throw new LogRefusal(`Epoch ${epoch} has no key that can sign. Add one: waybilld admin log rotate-key`);
      this.#signers = { keys: names, signers };
    }
    return this.#signers.signers;
  }

  async #refuse({ message }: LogRefusal): Promise<false> {
    this.#comparedAt = performance.now();
    if (!this.#turn || this.#log.refusal === message) return false;
    this.#engines.logger.warn('the evidence log is not signed', { reason: message });
    await this.#engines.store.evidenceLog.setRefusal(this.#turn.turn, message);
    this.#update({ refusal: message });
    return false;
  }

  async #clearRefusal(): Promise<void> {
    await this.#engines.store.evidenceLog.setRefusal(this.#turnOrThrow(), null);
    this.#update({ refusal: null });
  }

  #turnOrThrow(): LogTurn {
    if (!this.#turn) throw new LeaseLostError();
    return this.#turn.turn;
  }

  #update(changed: Partial<Log>): void {
    if (this.#turn) this.#turn.log = { ...this.#turn.log, ...changed };
  }
}

function unlessLost(error: unknown): undefined {
  if (!(error instanceof LeaseLostError)) throw error;
}

async function inGroups<Item>(items: readonly Item[], atOnce: number, work: (item: Item) => Promise<void>) {
  for (let from = 0; from < items.length; from += atOnce) {
    await Promise.all(items.slice(from, from + atOnce).map(work));
  }
}
