import {
  addSignatures,
  type Checkpoint,
  formatAddCheckpoint,
  NoteError,
  openNote,
  proveConsistency,
  type ReadTile,
} from '@waybill/evidence';
import type { Witness, Witnesses, WitnessResponse } from '../ports/witnesses.ts';

type Ask = Witnesses['ask'];

/** Of what a witness says, for a log line. */
const maxReason = 200;

export type WitnessOutcome =
  | { readonly result: 'cosigned'; readonly timestamp: number; readonly line: string }
  /** The witness did not respond, or not as the protocol says: it is asked again. */
  | { readonly result: 'failed'; readonly reason: string; readonly status?: number }
  /** The witness has seen a log that does not lead to this one. Asking again does not help: somebody has to look. */
  | { readonly result: 'refused'; readonly reason: string; readonly seenSize?: number };

/** The state of each witness from earlier checkpoints of the same log. */
export type WitnessedSizes = Map<string, number>;

/** Asks a witness for its cosignature on a checkpoint, from the size that it has seen last. */
export async function askForCosignature(
  witness: Witness,
  ask: Ask,
  log: { readonly note: string; readonly checkpoint: Checkpoint; readonly readTile: ReadTile },
  sizes: WitnessedSizes,
  signal: AbortSignal,
): Promise<WitnessOutcome> {
  const { note, checkpoint } = log;
  // The second attempt is from the size that the witness has named.
  for (const isRepeated of [false, true]) {
    const oldSize = Math.min(sizes.get(witness.name) ?? 0, checkpoint.size);
    const proof = await proveConsistency(log.readTile, oldSize, checkpoint.size);
    const response = await ask(witness, formatAddCheckpoint({ oldSize, proof, checkpoint: note }), signal);
    if (response.status === undefined) return { result: 'failed', reason: response.failure };
    if (response.status === 200) return readCosignature(witness, note, checkpoint.size, response.body, sizes);
    if (response.status === 422) return { result: 'refused', reason: `it has seen another log of ${oldSize} entries` };
    if (response.status !== 409) return toFailure(response);
    const [, size] = /^(0|[1-9]\d{0,15})\n$/.exec(response.body) ?? [];
    if (size === undefined) return { result: 'failed', reason: 'status 409 without a size' };
    if (Number(size) > checkpoint.size) {
      const reason = `it has seen ${size} entries, more than the ${checkpoint.size} of this log`;
      return { result: 'refused', reason, seenSize: Number(size) };
    }
    if (Number(size) === oldSize && oldSize === checkpoint.size)
      return { result: 'refused', reason: `it has seen another log of ${size} entries` };
    if (isRepeated) return { result: 'failed', reason: 'its size changed in between' };
    sizes.set(witness.name, Number(size));
  }
  throw new TypeError('a loop of two attempts always returns');
}

function toFailure({ status, body }: WitnessResponse): WitnessOutcome {
  const text = body
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, maxReason);
  return { result: 'failed', reason: `status ${status}${text === '' ? '' : `, “${text}”`}`, status };
}

/** Accepts the line of the witness's own key only, and only if it verifies. */
function readCosignature(
  { name, verifier }: Witness,
  note: string,
  size: number,
  lines: string,
  sizes: WitnessedSizes,
): WitnessOutcome {
  const text = note.slice(0, note.lastIndexOf('\n\n') + 2);
  for (const line of lines.split('\n').slice(0, 16)) {
    try {
      const { verified } = openNote(`${text}${line}\n`, [verifier]);
      const timestamp = verified[0]?.timestamp;
      if (timestamp === undefined) continue;
      sizes.set(name, size);
      return { result: 'cosigned', timestamp, line: `${line}\n` };
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
    }
  }
  return { result: 'failed', reason: 'it returned no valid cosignature of its key' };
}

/** Asks all these witnesses at once. */
export async function collectCosignatures(
  { list, ask }: Pick<Witnesses, 'list' | 'ask'>,
  log: { readonly note: string; readonly checkpoint: Checkpoint; readonly readTile: ReadTile },
  sizes: WitnessedSizes,
  signal: AbortSignal,
): Promise<{ readonly note: string; readonly outcomes: ReadonlyMap<string, WitnessOutcome> }> {
  const asked = list.map(
    async (witness) => [witness.name, await askForCosignature(witness, ask, log, sizes, signal)] as const,
  );
  const outcomes = new Map(await Promise.all(asked));
  const lines = [...outcomes.values()].flatMap((outcome) => (outcome.result === 'cosigned' ? [outcome.line] : []));
  return { note: addSignatures(log.note, lines), outcomes };
}
