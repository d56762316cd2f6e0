import { encodeBase64, equalBytes, parseDecimal } from './bytes.ts';
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { emptyRoot, verifyConsistency } from './merkle.ts';
import { NoteError, openNote, type Verifier } from './note.ts';
import { decodeProof } from './tlog-proof.ts';

/** The request by which a log asks a witness to cosign its checkpoint (C2SP tlog-witness), and the witness's decision. */
export interface AddCheckpoint {
  /** The size of the checkpoint that the witness cosigned last, or 0. */
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  /** The whole note. */
  readonly checkpoint: string;
}

export function formatAddCheckpoint({ oldSize, proof, checkpoint }: AddCheckpoint): string {
  return `${[`old ${oldSize}`, ...proof.map(encodeBase64), ''].join('\n')}\n${checkpoint}`;
}

/** Returns undefined if the body is malformed; the response is then 400. Nothing is verified yet, also not the origin. */
export function parseAddCheckpoint(body: string): (AddCheckpoint & { readonly origin: string }) | undefined {
  const end = body.indexOf('\n\n');
  const [oldLine = '', ...lines] = body.slice(0, end).split('\n');
  const oldSize = oldLine.startsWith('old ') ? parseDecimal(oldLine.slice('old '.length)) : undefined;
  const proof = decodeProof(lines);
  const checkpoint = body.slice(end + 2);
  const parsed = parseCheckpoint(checkpoint.slice(0, checkpoint.lastIndexOf('\n\n') + 1));
  if (end < 0 || oldSize === undefined || !proof || !parsed) return undefined;
  return { oldSize, proof, checkpoint, origin: parsed.origin };
}

/** The newest checkpoint of a log that a witness has cosigned. */
export interface WitnessState {
  readonly size: number;
  readonly root: Uint8Array;
}

export type WitnessDecision =
  | { readonly status: 200; readonly next: WitnessState /** The note to cosign. */; readonly text: string }
  | {
      readonly status: 400 | 403 | 404 | 409 | 422;
      readonly body: string;
      /** Whether the log has signed two histories: the request proves it. */
      readonly isFork?: boolean;
    };

/**
 * Decides on a request. `state` is that of the log with the request's origin. The caller must store `next` before it responds,
 * and must let no other request of this log between reading `state` and storing `next`.
 */
export function judgeAddCheckpoint(
  state: WitnessState | undefined,
  request: AddCheckpoint & { readonly origin: string },
  logVerifiers: readonly Verifier[],
): WitnessDecision {
  const keys = logVerifiers.filter(({ name }) => name === request.origin);
  if (keys.length === 0) return { status: 404, body: `the log ${request.origin} is not known here\n` };
  const opened = openCheckpoint(request.checkpoint, keys);
  if (typeof opened === 'string') return { status: 403, body: `${opened}\n` };
  const { text, checkpoint } = opened;
  const { size: oldSize, root: oldRoot } = state ?? { size: 0, root: emptyRoot };
  if (request.oldSize > checkpoint.size) return { status: 400, body: 'the old size is larger than the checkpoint\n' };
  if (request.oldSize !== oldSize) return { status: 409, body: `${oldSize}\n` };
  if (oldSize === checkpoint.size && !equalBytes(oldRoot, checkpoint.root))
    return { status: 409, body: `${oldSize}\n`, isFork: true };
  const { size: newSize, root: newRoot } = checkpoint;
  if (!verifyConsistency({ oldSize, newSize, oldRoot, newRoot, proof: request.proof }))
    return { status: 422, body: 'the proof does not lead from the old checkpoint to this one\n' };
  return { status: 200, next: { size: newSize, root: newRoot }, text };
}

function openCheckpoint(note: string, keys: readonly Verifier[]): { text: string; checkpoint: Checkpoint } | string {
  try {
    const { text } = openNote(note, keys);
    const checkpoint = parseCheckpoint(text);
    return checkpoint ? { text, checkpoint } : 'the note is not a checkpoint';
  } catch (error) {
    if (error instanceof NoteError) return error.message;
    throw error;
  }
}
