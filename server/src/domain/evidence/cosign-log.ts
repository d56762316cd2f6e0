import { type Policy, parsePolicy } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import type { Witness } from '../ports/witnesses.ts';
import { collectCosignatures, type WitnessedSizes, type WitnessOutcome } from './collect-cosignatures.ts';
import { listSignatures, readCheckpoint, readText } from './published-checkpoint.ts';
import { readTilesOf } from './read-log.ts';

type Needs = Pick<Engines, 'store' | 'logObjects' | 'witnesses' | 'logger'>;

/** A witness that fails is asked again after this long, so that it does not hold up the others every time. */
const askAgainMs = 30_000;

/**
 * Has the newest checkpoint of the log cosigned, beside the sequencer and never in its way. What a witness returned stays with
 * the checkpoint in the database, for receipts and for the sequencer, which publishes it while the checkpoint is the newest.
 */
export class LogCosigner {
  readonly #engines: Needs;
  readonly #sizes: WitnessedSizes = new Map();
  /** The last outcome of each witness. */
  readonly #outcomes = new Map<string, { readonly outcome: WitnessOutcome; readonly atMs: number }>();
  /** The quorum that the operator requires. */
  readonly #policy: Policy;
  #origin = '';
  /** The newest checkpoint with its first cosignatures, while those of an earlier one are worth more. */
  #unfinished = '';
  /** The checkpoint that all witnesses have cosigned. */
  #done = '';

  constructor(engines: Needs) {
    this.#engines = engines;
    this.#policy = parsePolicy(engines.witnesses.rules);
  }

  /** The last result of each witness that was asked. */
  get results(): Readonly<Record<string, WitnessOutcome['result']>> {
    return Object.fromEntries([...this.#outcomes].map(([name, { outcome }]) => [name, outcome.result]));
  }

  /** Asks the witnesses that have not cosigned the newest checkpoint yet. Returns whether all have. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { store, logObjects, witnesses } = this.#engines;
    const log = await findNewest(store);
    const checkpoint = readCheckpoint(log?.checkpoint ?? null);
    if (!log?.checkpoint || !checkpoint || witnesses.list.length === 0) return true;
    if (log.origin !== this.#origin) {
      this.#sizes.clear();
      this.#outcomes.clear();
    }
    this.#origin = log.origin;
    if (log.checkpoint === this.#done) return true;
    // Another process may have asked before.
    const stored = log.cosignedCheckpoint ?? '';
    const text = readText(log.checkpoint);
    const base = [stored, this.#unfinished].find((note) => note !== '' && readText(note) === text) ?? log.checkpoint;
    const missing = witnesses.list.filter(({ verifier }) => listSignatures(base, [verifier]).length === 0);
    const { note, outcomes } = await collectCosignatures(
      { list: missing.filter((witness) => this.#isDue(witness)), ask: witnesses.ask },
      { note: base, checkpoint, readTile: readTilesOf(logObjects, log.epoch, signal) },
      this.#sizes,
      signal,
    );
    for (const [name, outcome] of await ignoreOutdated(store, outcomes)) this.#keep(name, outcome);
    if (note !== base && (this.#hasQuorum(note) || !this.#hasQuorum(stored)))
      await store.evidenceLog.cosign(log.epoch, checkpoint.size, note);
    else this.#unfinished = note;
    const isComplete = missing.every(({ name }) => outcomes.get(name)?.result === 'cosigned');
    if (isComplete) this.#done = log.checkpoint;
    return isComplete;
  }

  #hasQuorum(note: string): boolean {
    if (note === '') return false;
    const signatures = listSignatures(note, [...this.#policy.witnesses.values()]);
    return this.#policy.isQuorum(signatures.map(({ verifier }) => verifier));
  }

  #isDue({ name }: Witness): boolean {
    const last = this.#outcomes.get(name);
    return !last || last.outcome.result === 'cosigned' || performance.now() - last.atMs >= askAgainMs;
  }

  /** Each change is reported once. */
  #keep(witness: string, outcome: WitnessOutcome): void {
    const before = this.#outcomes.get(witness)?.outcome;
    this.#outcomes.set(witness, { outcome, atMs: performance.now() });
    const { logger } = this.#engines;
    if (outcome.result === 'cosigned') {
      if (before && before.result !== 'cosigned') logger.info('a witness cosigns the evidence log again', { witness });
      return;
    }
    const { result, reason } = outcome;
    if (before?.result === result && before.reason === reason) return;
    if (result === 'refused')
      logger.warn('a witness refuses to cosign the evidence log: it has seen another one', { witness, reason });
    else logger.warn('a witness did not cosign the evidence log', { witness, reason });
  }
}

export const findNewest = async ({ evidenceLog }: Needs['store']) => (await evidenceLog.list()).at(-1);

/** Leaves out witnesses that have seen more than they were shown, if the log has grown that far meanwhile: others ask, too. */
export async function ignoreOutdated(
  store: Needs['store'],
  outcomes: ReadonlyMap<string, WitnessOutcome>,
): Promise<ReadonlyMap<string, WitnessOutcome>> {
  const readSeen = (outcome: WitnessOutcome) => (outcome.result === 'refused' ? outcome.seenSize : undefined);
  if ([...outcomes.values()].every((outcome) => readSeen(outcome) === undefined)) return outcomes;
  const { publishedSize = 0 } = (await findNewest(store)) ?? {};
  const isOutdated = (outcome: WitnessOutcome) => (readSeen(outcome) ?? Number.POSITIVE_INFINITY) <= publishedSize;
  return new Map([...outcomes].filter(([, outcome]) => !isOutdated(outcome)));
}
