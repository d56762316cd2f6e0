import type { Engines } from '../engines.ts';
import { collectCosignatures, type WitnessedSizes } from './collect-cosignatures.ts';
import { readCheckpoint, readText } from './published-checkpoint.ts';
import { readTilesOf, toCheckpointName } from './read-log.ts';

type Needs = Pick<Engines, 'store' | 'logObjects' | 'witnesses' | 'logger'>;

/**
 * Has the newest checkpoint of the log cosigned, beside the sequencer and never in its way. What a witness returned stays with
 * the checkpoint in the database, for receipts, and in the bucket while it is the newest.
 */
export class LogCosigner {
  readonly #engines: Needs;
  readonly #sizes: WitnessedSizes = new Map();
  /** The last report about each witness, so that each is made once. */
  readonly #reported = new Map<string, string>();
  #origin = '';
  #done = '';

  constructor(engines: Needs) {
    this.#engines = engines;
  }

  /** Asks the witnesses about the newest checkpoint, unless they have all cosigned it. Returns whether all have. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { store, logObjects, witnesses } = this.#engines;
    const log = (await store.evidenceLog.list()).at(-1);
    const checkpoint = readCheckpoint(log?.checkpoint ?? null);
    if (!log?.checkpoint || !checkpoint || witnesses.list.length === 0) return true;
    if (log.origin !== this.#origin) this.#sizes.clear();
    this.#origin = log.origin;
    if (log.checkpoint === this.#done) return true;
    // Another process may have asked other witnesses.
    const cosigned = log.cosignedCheckpoint;
    const base = cosigned && readText(cosigned) === readText(log.checkpoint) ? cosigned : log.checkpoint;
    const { note, outcomes } = await collectCosignatures(
      witnesses,
      { note: base, checkpoint, readTile: readTilesOf(logObjects, log.epoch, signal) },
      this.#sizes,
      signal,
    );
    for (const [name, outcome] of outcomes)
      this.#report(name, outcome.result, 'reason' in outcome ? outcome.reason : '');
    const isComplete = [...outcomes.values()].every(({ result }) => result === 'cosigned');
    const isCosigned = [...outcomes.values()].some(({ result }) => result === 'cosigned');
    if (isCosigned && (await store.evidenceLog.cosign(log.epoch, checkpoint.size, note))) {
      // If a newer one is published in between, the sequencer notices within its interval and publishes it again.
      const newest = await store.evidenceLog.find(log.epoch);
      if (newest?.publishedSize === checkpoint.size)
        await logObjects.put(toCheckpointName(log.epoch), Buffer.from(note), signal);
    }
    if (isComplete) this.#done = log.checkpoint;
    return isComplete;
  }

  #report(witness: string, result: string, reason: string): void {
    const report = `${result} ${reason}`;
    if (this.#reported.get(witness) === report) return;
    const isFirst = !this.#reported.has(witness);
    this.#reported.set(witness, report);
    const { logger } = this.#engines;
    if (result === 'refused')
      logger.warn('a witness refuses to cosign the evidence log: it has seen another one', { witness, reason });
    else if (result === 'failed') logger.warn('a witness did not cosign the evidence log', { witness, reason });
    else if (!isFirst) logger.info('a witness cosigns the evidence log again', { witness });
  }
}
