import { ExchangeError } from '../exchange-error.ts';
import { placeOf, runsOf, withRun } from '../files/chunk-runs.ts';
import { segmentBytes, segmentsPerChunk } from '../files/sealing.ts';
import { type Ledger, SealedWriter } from '../files/write-sealed.ts';
import type { ChunkRun, Engines, Upload, UploadWriter } from '../ports/index.ts';
import type { Intake } from './intake.ts';
import type { UploadOwner } from './owner.ts';

/** Objects whose numbers are claimed at once, so that a long upload asks the database rarely. */
const objectsPerClaim = 16;
/** Every interruption costs a run. An honest network does not break so often. */
const maxRuns = 500;

export type StoreNeeds = Pick<Engines, 'store' | 'objects' | 'keys' | 'random' | 'checkpoint'> & {
  readonly intake: Intake;
};

export interface StoredBytes {
  /** How many bytes of the file arrived, with those of earlier requests. */
  readonly receivedBytes: number;
  /** How many of them are stored for good. */
  readonly storedBytes: number;
  readonly runs: readonly ChunkRun[];
  readonly chunkCount: number;
}

export interface ByteSource {
  readonly bytes: AsyncIterable<Buffer>;
  /** How many objects the writer claimed when it began the upload. */
  readonly claimedObjects?: number;
  /** How many bytes the request carries, where it says so. */
  readonly expectedBytes?: number | undefined;
  /** Told of all bytes before they are stored. */
  onBytes?(bytes: Buffer, receivedBytes: number): Promise<void>;
  /** Told when everything below has been stored for good; in order. */
  onStored?(storedBytes: number): Promise<void>;
  /** Whether the file ends where the bytes ended. */
  isComplete(receivedBytes: number): boolean;
}

/**
 * Stores bytes of an upload from where it is, a chunk at a time. This is the only way in: a form, a contact's page and
 * whatever comes next differ in where the bytes come from and in what happens when they end. When another writer takes
 * over, `signal` is aborted and this ends at once.
 */
export async function storeBytes(
  engines: StoreNeeds,
  owner: UploadOwner,
  writer: UploadWriter,
  upload: Upload,
  source: ByteSource,
  signal: AbortSignal,
): Promise<StoredBytes> {
  const dataKey = await engines.keys.unwrap(upload.wrappedKey, upload.keyVersion, upload.id);
  const segment = upload.receivedBytes / segmentBytes;
  const { runs, object } = await whereToResume(engines, writer, upload, segment);
  let receivedBytes = upload.receivedBytes;
  let storedBytes = upload.receivedBytes;
  const sealed = new SealedWriter({
    objects: engines.objects,
    memory: (relieve) => engines.intake.memory.open(owner.memory.owner, owner.memory.part, { relieve, signal }),
    file: { id: upload.id, dataKey, runs },
    object,
    segment,
    signal,
    newRunId: () => engines.random.uuid(),
    ledger: ledgerOf(engines, writer, object, source, async (stored) => {
      storedBytes = Math.min(stored * segmentBytes, receivedBytes);
      await source.onStored?.(storedBytes);
    }),
  });
  try {
    for await (const bytes of untilAborted(source.bytes, signal)) {
      receivedBytes += bytes.length;
      await source.onBytes?.(bytes, receivedBytes);
      await sealed.write(bytes);
    }
    engines.checkpoint('upload:bytes-received');
    if (source.isComplete(receivedBytes)) await sealed.finish();
    else await sealed.pause();
    return { receivedBytes, storedBytes, ...sealed.layout };
  } finally {
    await sealed.close();
  }
}

function ledgerOf(
  { store, checkpoint }: StoreNeeds,
  writer: UploadWriter,
  firstObject: number,
  { claimedObjects = 0, expectedBytes }: Pick<ByteSource, 'claimedObjects' | 'expectedBytes'>,
  onStored: (segment: number) => Promise<void>,
): Ledger {
  // A request that says how much it carries claims no more than that, so that the next one goes on in the same run.
  const expectedEnd =
    expectedBytes === undefined
      ? Number.POSITIVE_INFINITY
      : firstObject + Math.ceil(expectedBytes / (segmentsPerChunk * segmentBytes));
  let claimed = firstObject + claimedObjects;
  return {
    async claim(object) {
      if (object < claimed) return;
      claimed = Math.max(object + 1, Math.min(object + objectsPerClaim, expectedEnd));
      requireStill(await store.uploads.claim(writer, claimed));
      checkpoint('upload:chunk-claimed');
    },
    async beginRun(runs) {
      // A slow upload stores many small objects.
      claimed = objectsPerClaim;
      requireStill(await store.uploads.beginRun(writer, runs, claimed));
    },
    stored: onStored,
  };
}

/** In the last run, unless its next object may have been stored already by a writer that was cut off. */
async function whereToResume(
  { store, random }: Pick<Engines, 'store' | 'random'>,
  writer: UploadWriter,
  upload: Upload,
  segment: number,
): Promise<{ runs: readonly ChunkRun[]; object: number }> {
  const { run: last, object, segmentsBefore } = placeOf(upload, segment);
  const isNext = last.objects === null && segmentsBefore === 0 && upload.chunkCount <= object;
  if (isNext) return { runs: upload.runs, object };
  if (upload.runs.length >= maxRuns) throw new ExchangeError('upload_worn_out');
  const run = { id: random.uuid(), firstSegment: segment, segmentsPerChunk };
  const runs = withRun({ id: upload.id, runs: runsOf(upload) }, run, upload.chunkCount);
  requireStill(await store.uploads.beginRun(writer, runs, 0));
  return { runs, object: 0 };
}

export function requireStill(isWriter: boolean): void {
  if (!isWriter) throw new ExchangeError('upload_superseded');
}

/** Ends when the signal is aborted, although the source may be silent for as long as it likes. */
async function* untilAborted(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  const iterator = bytes[Symbol.asyncIterator]();
  let stopWaiting: (reason: unknown) => void = () => undefined;
  const abort = () => stopWaiting(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    for (;;) {
      signal.throwIfAborted();
      // Not a race with one promise of the abort: that would remember every piece until the end.
      const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        stopWaiting = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not waited for: a silent source would hold this up.
    iterator.return?.().catch(() => undefined);
  }
}
