import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { listRuns, locateSegment, withRun } from '../files/chunk-runs.ts';
import type { ChunkRun } from '../files/file-store.ts';
import { segmentBytes, segmentsPerChunk } from '../files/sealing.ts';
import { type Ledger, SealedWriter } from '../files/write-sealed.ts';
import type { DayKeys } from '../keys/day-keys.ts';
import type { UploadOwner } from './owner.ts';
import type { UploadResources } from './upload-resources.ts';
import type { Upload, UploadWriter } from './upload-store.ts';

/** How many object numbers are claimed at once, so that a long upload rarely queries the database. */
const objectsPerClaim = 16;
/** Every interruption costs a run. A working network does not fail this often. */
const maxRuns = 500;

export type StoreNeeds = Pick<Engines, 'store' | 'objects' | 'random' | 'checkpoint'> & {
  readonly dayKeys: Pick<DayKeys, 'unwrap'>;
  readonly uploadResources: UploadResources;
};

export interface StoredBytes {
  /** How many bytes of the file have arrived, including those of earlier requests. */
  readonly receivedBytes: number;
  /** How many of them are stored permanently. */
  readonly storedBytes: number;
  readonly runs: readonly ChunkRun[];
  readonly chunkCount: number;
  readonly dataKey: Buffer;
}

export interface ByteSource {
  readonly bytes: AsyncIterable<Buffer>;
  /** How many objects the writer claimed when it began the upload. */
  readonly claimedObjects?: number;
  /** Whether all bytes were reserved when the upload began. Otherwise they are, together with the objects. */
  readonly isReserved: boolean;
  /** How many bytes the request carries, if it says so. */
  readonly expectedBytes?: number | undefined;
  /** Receives all bytes before they are stored. */
  onBytes?(bytes: Buffer, receivedBytes: number): Promise<void>;
  /** Called after the last byte of the file, before all of it is stored. */
  onEnd?(): void;
  /** Called when everything below `storedBytes` is stored permanently, in order. */
  onStored?(storedBytes: number): Promise<void>;
  /** Whether the file ends where the bytes ended. */
  isComplete(receivedBytes: number): boolean;
}

/**
 * Stores bytes of an upload from its current position, chunk by chunk. All bytes come in through here: a form and a
 * contact's page differ only in where the bytes come from and in what happens when they end. When another writer takes
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
  const dataKey = await engines.dayKeys.unwrap(upload.wrappedKey, upload.keyDay, upload.id);
  const segment = upload.receivedBytes / segmentBytes;
  const { runs, object } = await findResumePoint(engines, writer, upload, segment);
  let receivedBytes = upload.receivedBytes;
  let storedBytes = upload.receivedBytes;
  const sealed = new SealedWriter({
    objects: engines.objects,
    memory: (flush) =>
      engines.uploadResources.memory.openShare(owner.memory.owner, owner.memory.part, { flush, signal }),
    file: { id: upload.id, dataKey, runs },
    object,
    segment,
    signal,
    newRunId: () => engines.random.uuid(),
    ledger: createLedger(
      engines,
      writer,
      upload,
      object,
      source,
      () => receivedBytes,
      async (stored) => {
        storedBytes = Math.min(stored * segmentBytes, receivedBytes);
        await source.onStored?.(storedBytes);
      },
    ),
  });
  try {
    for await (const bytes of untilAborted(source.bytes, signal)) {
      receivedBytes += bytes.length;
      await source.onBytes?.(bytes, receivedBytes);
      await sealed.write(bytes);
    }
    engines.checkpoint('upload:bytes-received');
    if (source.isComplete(receivedBytes)) {
      source.onEnd?.();
      await sealed.finish();
    } else await sealed.pause();
    return { receivedBytes, storedBytes, ...sealed.layout, dataKey };
  } finally {
    await sealed.close();
  }
}

function createLedger(
  { store, checkpoint }: StoreNeeds,
  writer: UploadWriter,
  upload: Upload,
  firstObject: number,
  {
    claimedObjects = 0,
    expectedBytes,
    isReserved,
  }: Pick<ByteSource, 'claimedObjects' | 'expectedBytes' | 'isReserved'>,
  receivedBytes: () => number,
  onStored: (segment: number) => Promise<void>,
): Ledger {
  // A request that says how much it carries claims no more than that, so that the next one continues in the same run.
  const expectedEnd =
    expectedBytes === undefined
      ? Number.POSITIVE_INFINITY
      : firstObject + Math.ceil(expectedBytes / (segmentsPerChunk * segmentBytes));
  // Nothing is reserved for bytes that do not come with this request.
  const mostBytes = Math.min(
    upload.sizeBytes ?? Number.POSITIVE_INFINITY,
    upload.receivedBytes + (expectedBytes ?? Number.POSITIVE_INFINITY),
  );
  let claimed = firstObject + claimedObjects;
  let objectBytes = segmentsPerChunk * segmentBytes;
  /** Claims objects ahead, and the bytes for them; where the account's storage is nearly full, only what has arrived. */
  const claiming = async (claim: (objectsAhead: number, bytes: number) => Promise<boolean>) => {
    const bytes = (objectsAhead: number) =>
      isReserved ? 0 : Math.max(receivedBytes(), Math.min(mostBytes, receivedBytes() + objectsAhead * objectBytes));
    const ahead = objectsPerClaim - 1;
    const isWriter = await claim(ahead, bytes(ahead)).catch((error: unknown) => {
      if (!(error instanceof ExchangeError) || error.code !== 'storage_full') throw error;
      return claim(0, bytes(0));
    });
    requireCurrentWriter(isWriter);
  };
  return {
    async claim(object) {
      if (object < claimed) return;
      await claiming((objectsAhead, bytes) => {
        claimed = Math.max(object + 1, Math.min(object + 1 + objectsAhead, expectedEnd));
        return store.uploads.claim(writer, claimed, bytes);
      });
      checkpoint('upload:chunk-claimed');
    },
    async beginRun(runs) {
      objectBytes = (runs.at(-1)?.segmentsPerChunk ?? segmentsPerChunk) * segmentBytes;
      // A slow upload stores many small objects.
      await claiming((objectsAhead, bytes) => {
        claimed = objectsAhead + 1;
        return store.uploads.beginRun(writer, runs, claimed, bytes);
      });
    },
    stored: onStored,
  };
}

/** Continues in the last run, unless a writer that was cut off may already have stored its next object. */
async function findResumePoint(
  { store, random }: Pick<Engines, 'store' | 'random'>,
  writer: UploadWriter,
  upload: Upload,
  segment: number,
): Promise<{ runs: readonly ChunkRun[]; object: number }> {
  const { run: last, object, segmentsBefore } = locateSegment(upload, segment);
  const isNext = last.objects === null && segmentsBefore === 0 && upload.chunkCount <= object;
  if (isNext) return { runs: upload.runs, object };
  if (upload.runs.length >= maxRuns) throw new ExchangeError('upload_worn_out');
  const run = { id: random.uuid(), firstSegment: segment, segmentsPerChunk };
  const runs = withRun({ id: upload.id, runs: listRuns(upload) }, run, upload.chunkCount);
  requireCurrentWriter(await store.uploads.beginRun(writer, runs, 0, 0));
  return { runs, object: 0 };
}

export function requireCurrentWriter(isWriter: boolean): void {
  if (!isWriter) throw new ExchangeError('upload_superseded');
}

/** Ends when the signal is aborted, even if the source sends nothing. */
async function* untilAborted(bytes: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  const iterator = bytes[Symbol.asyncIterator]();
  let stopWaiting: (reason: unknown) => void = () => undefined;
  const abort = () => stopWaiting(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    for (;;) {
      signal.throwIfAborted();
      // Not a race with a single promise for the abort: that would keep every piece in memory until the end.
      const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        stopWaiting = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not awaited, because a source that sends nothing would block this.
    iterator.return?.().catch(() => undefined);
  }
}
