import { ExchangeError } from '../exchange-error.ts';
import { chunkBytes } from '../files/sealing.ts';
import { FileInspection, type InspectionNeeds } from './file-inspection.ts';
import type { UploadOwner } from './owner.ts';
import { completeUploads } from './stage-upload.ts';
import { requireCurrentWriter, type StoreNeeds, storeBytes } from './store-bytes.ts';
import type { Upload, UploadWriter } from './upload-store.ts';

export type ReceiveNeeds = StoreNeeds & InspectionNeeds;

export interface BytesRequest {
  /** How many bytes the request carries, if it says so. */
  readonly expectedBytes?: number | undefined;
  /** Whether a whole file may be ready when the request ends. Its sender must then be able to find out. */
  readonly mayComplete?: boolean;
  /** Aborted when the sender may send no more; what is stored by then counts. */
  readonly revoked?: AbortSignal | undefined;
}

/**
 * Receives bytes of an upload, starting at its current position. They count chunk by chunk, as each is stored, even if
 * the request is cut off meanwhile: only the chunk being filled then has to be sent again. A request that carries a
 * whole file makes it ready; otherwise a job checks it when the last bytes are stored. Returns how many bytes of the
 * file count now.
 */
export async function receiveBytes(
  engines: ReceiveNeeds,
  owner: UploadOwner,
  writer: UploadWriter,
  upload: (Upload | Pick<Upload & { readonly received: true }, 'received'>) & { readonly sizeBytes: number },
  bytes: AsyncIterable<Buffer>,
  { expectedBytes, mayComplete = false, revoked }: BytesRequest = {},
): Promise<number> {
  const { store, checkpoint, uploadResources } = engines;
  const { sizeBytes } = upload;
  if (upload.received || (sizeBytes > 0 && upload.receivedBytes === sizeBytes)) {
    for await (const more of bytes) if (more.length > 0) throw moreThanDeclared(sizeBytes);
    // The process that stored the last of it was killed then.
    if (!upload.received) requireCurrentWriter(await store.uploads.requestCheck(writer));
    return sizeBytes;
  }
  const isWhole = expectedBytes === sizeBytes && isUntouched(upload);
  // A file that comes in one request is inspected as it arrives, so that it need not be read back. Only the inspection of
  // the stored bytes can refuse it, because that one tells the sender.
  const inspection = mayComplete && isWhole ? new FileInspection(engines, 'arriving', upload.declared) : undefined;
  const { signal: held, release } = uploadResources.live.hold(writer);
  const signal = revoked ? AbortSignal.any([held, revoked]) : held;
  try {
    const { receivedBytes, storedBytes, runs, chunkCount } = await storeBytes(
      engines,
      owner,
      writer,
      upload,
      {
        bytes,
        expectedBytes,
        isReserved: owner.reservesAhead,
        isComplete: (received) => received === sizeBytes,
        onEnd: () => inspection?.end(),
        async onBytes(piece, received) {
          if (received > sizeBytes) throw moreThanDeclared(sizeBytes);
          await inspection?.update(piece);
        },
        async onStored(stored) {
          checkpoint('upload:chunk-stored');
          requireCurrentWriter(await store.uploads.commit(writer, stored));
          checkpoint('upload:chunk-committed');
        },
      },
      signal,
    );
    revoked?.throwIfAborted();
    if (receivedBytes === sizeBytes) {
      const result = await inspection?.finish();
      if (result && !result.rejection) {
        await completeUploads(engines, owner, [{ writer, sizeBytes, ...result.facts, runs, chunkCount, release }]);
      } else requireCurrentWriter(await store.uploads.requestCheck(writer));
      return sizeBytes;
    }
    if (storedBytes === upload.receivedBytes && receivedBytes > storedBytes) {
      throw new ExchangeError(
        'invalid_input',
        `A request must carry at least ${chunkBytes} bytes of the file, or all that is left of it.`,
      );
    }
    return storedBytes;
  } finally {
    inspection?.abandon();
    release();
    // Best effort: the next writer waits a moment for one that has not left.
    await store.uploads.leave(writer).catch(() => undefined);
  }
}

function moreThanDeclared(sizeBytes: number): ExchangeError {
  return new ExchangeError(
    'too_large',
    `The file was declared with ${sizeBytes} bytes, and more came. Send no more than that.`,
  );
}

/** A writer that was cut off may have left objects, which only the check deletes. */
function isUntouched({ receivedBytes, runs, chunkCount }: Upload): boolean {
  return receivedBytes === 0 && runs.length === 0 && chunkCount === 0;
}
