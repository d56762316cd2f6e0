import { type Checkpoint, NoteError, openNote, parseCheckpoint, type Verifier } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Log } from './log-store.ts';
import { maxCheckpointBytes, toCheckpointName } from './read-log.ts';
import { toVerifier } from './signing-keys.ts';

const remedy =
  'Find out why, then start a new epoch: waybilld admin log start-epoch --reason "the log refused to sign"';

export interface PublishedCheckpoint extends Checkpoint {
  readonly note: string;
}

/** The text of a note that its signatures are made of. */
export const readText = (note: string) => note.slice(0, note.indexOf('\n\n') + 1);

export function readCheckpoint(note: string | null): Checkpoint | undefined {
  return note === null ? undefined : parseCheckpoint(readText(note));
}

/** Reads the checkpoint that an epoch has in the bucket. Throws a LogRefusal if no key of the epoch has signed it. */
export async function readPublished(
  { store, logObjects }: Pick<Engines, 'store' | 'logObjects'>,
  { epoch, origin }: Pick<Log, 'epoch' | 'origin'>,
  signal: AbortSignal,
  /** A text that is known to be ours. */
  known?: string,
): Promise<PublishedCheckpoint | undefined> {
  const read = () => logObjects.read(toCheckpointName(epoch), maxCheckpointBytes, signal).catch(toNothing);
  const bytes = await read();
  if (!bytes) return undefined;
  const note = bytes.toString();
  const checkpoint = readCheckpoint(note);
  if (checkpoint && readText(note) === known) return { ...checkpoint, note };
  const verifiers = (await store.evidenceLog.listKeys(epoch)).map((key) => toVerifier(origin, key));
  if (!checkpoint || checkpoint.origin !== origin || listSignatures(note, verifiers).length === 0) {
    // An object that differs each time was damaged on its way, or is being replaced.
    if (!(await read())?.equals(bytes)) {
      const cause = new Error('the checkpoint of the evidence log differs each time it is read');
      throw new ExchangeError('unavailable', undefined, { cause, engine: 's3' });
    }
    throw new LogRefusal(
      `The checkpoint of epoch ${epoch} in the bucket is not signed by a key that the database has: another server writes to this bucket, the database is not the one that the log belongs to, or someone has changed the object. ${remedy}`,
    );
  }
  return { ...checkpoint, note };
}

/** An object that is longer than any of the log's was changed. */
export function toNothing(error: unknown): Buffer {
  if (!(error instanceof ExchangeError && error.code === 'damaged')) throw error;
  return Buffer.alloc(0);
}

/** Lists the signatures of these keys on a note: none if one of them does not verify. */
export function listSignatures(note: string, verifiers: readonly Verifier[]): ReturnType<typeof openNote>['verified'] {
  try {
    return openNote(note, verifiers).verified;
  } catch (error) {
    if (error instanceof NoteError) return [];
    throw error;
  }
}

/** Throws a LogRefusal unless the bucket has nothing that the database does not know. */
export function requireKnown(log: Log, published: Checkpoint | undefined): void {
  const signed = readCheckpoint(log.signedCheckpoint);
  if (!published) {
    if (log.publishedSize === 0) return;
    throw new LogRefusal(
      `The checkpoint of epoch ${log.epoch} is missing in the bucket, although the database has published ${log.publishedSize} entries: this is another bucket, or its objects were lost. Put the objects below log/ back; if that is impossible, start a new epoch: waybilld admin log start-epoch --reason "the objects of the log were lost"`,
    );
  }
  if (published.size > (signed?.size ?? 0)) {
    throw new LogRefusal(
      `The bucket has a checkpoint of ${published.size} entries in epoch ${log.epoch}, and the database knows only ${signed?.size ?? 0}: the database was restored from a backup, or a failover has lost its last changes. Start a new epoch: waybilld admin log start-epoch --reason "the database has lost entries"`,
    );
  }
  for (const known of [signed, readCheckpoint(log.checkpoint)]) {
    if (known && known.size === published.size) requireSameRoot(log.epoch, known, published.root);
  }
}

export function requireSameRoot(epoch: number, { size, root }: Checkpoint, other: Uint8Array): void {
  if (Buffer.compare(root, other) === 0) return;
  throw new LogRefusal(
    `The first ${size} entries of epoch ${epoch} are not those that were signed: the bucket has another log than the database. ${remedy}`,
  );
}

/** The sequencer must not sign, because what is published may not be a part of what it knows. Says what to do next. */
export class LogRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LogRefusal';
  }
}
