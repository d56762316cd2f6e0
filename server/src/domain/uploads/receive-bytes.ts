import { ExchangeError } from '../exchange-error.ts';
import { chunkBytes } from '../files/sealing.ts';
import type { Upload, UploadWriter } from '../ports/index.ts';
import type { UploadOwner } from './owner.ts';
import { requireStill, type StoreNeeds, storeBytes } from './store-bytes.ts';

/**
 * Receives bytes of an upload, starting at its current position. They count chunk by chunk, as each is stored:
 * if the request is cut off, at most the chunks in progress have to be sent again. Returns how many bytes of the file
 * count now.
 */
export async function receiveBytes(
  engines: StoreNeeds,
  owner: UploadOwner,
  writer: UploadWriter,
  upload: (Upload | Pick<Upload & { readonly received: true }, 'received'>) & { readonly sizeBytes: number },
  bytes: AsyncIterable<Buffer>,
  expectedBytes?: number,
): Promise<number> {
  const { store, checkpoint, intake } = engines;
  const { sizeBytes } = upload;
  if (upload.received) {
    for await (const more of bytes) if (more.length > 0) throw new ExchangeError('too_large');
    return sizeBytes;
  }
  const { signal, release } = intake.live.hold(writer);
  try {
    const { receivedBytes, storedBytes } = await storeBytes(
      engines,
      owner,
      writer,
      upload,
      {
        bytes,
        expectedBytes,
        isReserved: true,
        isComplete: (received) => received === sizeBytes,
        async onBytes(_bytes, received) {
          if (received > sizeBytes) throw new ExchangeError('too_large');
        },
        async onStored(stored) {
          checkpoint('upload:chunk-stored');
          requireStill(await store.uploads.commit(writer, stored));
          checkpoint('upload:chunk-committed');
        },
      },
      signal,
    );
    if (receivedBytes === sizeBytes) {
      requireStill(await store.uploads.requestCheck(writer));
      return sizeBytes;
    }
    if (storedBytes === upload.receivedBytes && receivedBytes > storedBytes) {
      throw new ExchangeError(
        'invalid_input',
        `A request carries at least ${chunkBytes} bytes of the file, or all that is left of it.`,
      );
    }
    return storedBytes;
  } finally {
    release();
  }
}
