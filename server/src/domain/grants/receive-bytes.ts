import { ExchangeError } from '../exchange-error.ts';
import type { BufferPool } from '../files/buffer-pool.ts';
import { runAt, sealOf, withRun } from '../files/chunk-runs.ts';
import { chunkBytes } from '../files/sealing.ts';
import { SealedWriter } from '../files/write-sealed.ts';
import type { Engines, Link, ResumableUpload } from '../ports.ts';

/** Each costs an object that nobody reads until the upload is checked; an honest network does not break so often. */
const mostRuns = 500;

type Needs = Pick<Engines, 'store' | 'objects' | 'keys' | 'random' | 'policy' | 'checkpoint'> & {
  readonly chunkBuffers: BufferPool;
};

/**
 * Takes bytes of an upload from where it stands. They count a chunk at a time, as each is stored: whatever cuts the
 * request off, at most the chunk under way has to be sent again. Answers how many bytes of the file count now.
 */
export async function receiveBytes(
  engines: Needs,
  link: Link,
  writer: string,
  upload: ResumableUpload,
  bytes: AsyncIterable<Buffer>,
): Promise<number> {
  const { store, objects, policy, checkpoint } = engines;
  const { accountId } = link;
  const { id, sizeBytes } = upload;
  if (upload.received) return sizeBytes;
  const dataKey = await engines.keys.unwrap(upload.wrappedKey, upload.keyVersion, id);
  const firstChunk = upload.receivedBytes / chunkBytes;
  const file = { ...upload, runs: await runsToGoOn(engines, link, writer, upload, firstChunk) };

  let received = upload.receivedBytes;
  let stored = upload.receivedBytes;
  const sealed = new SealedWriter({
    objects,
    buffers: engines.chunkBuffers,
    seal: sealOf(dataKey, id, runAt(file, firstChunk)),
    signal: new AbortController().signal,
    firstChunk,
    // One at a time: a chunk counts only with all before it.
    putsInFlight: 1,
    beforeChunk: async (chunk) => {
      requireStill(await store.uploads.claimChunk(accountId, id, writer, chunk, policy.resumeSeconds));
      checkpoint('resumable:chunk-claimed');
    },
    afterChunk: async (chunk) => {
      checkpoint('resumable:chunk-stored');
      const end = Math.min((chunk + 1) * chunkBytes, sizeBytes);
      requireStill(await store.uploads.commitChunk(accountId, id, writer, end));
      stored = end;
      checkpoint('resumable:chunk-committed');
    },
  });
  try {
    for await (const piece of bytes) {
      received += piece.length;
      if (received > sizeBytes) throw new ExchangeError('too_large');
      await sealed.write(piece);
    }
    if (received === sizeBytes) await sealed.finish();
    else await sealed.pause();
  } finally {
    await sealed.close();
  }
  if (stored === upload.receivedBytes && received > stored) {
    throw new ExchangeError(
      'invalid_input',
      `A request carries at least ${chunkBytes} bytes of the file, or all that is left of it.`,
    );
  }
  return stored;
}

/** Goes on in the last run, unless its next chunk may have been stored already by a writer that was cut off. */
async function runsToGoOn(
  engines: Pick<Engines, 'store' | 'random'>,
  link: Link,
  writer: string,
  upload: ResumableUpload,
  firstChunk: number,
) {
  if (upload.chunkCount <= firstChunk) return upload.runs;
  if (upload.runs.length >= mostRuns) throw new ExchangeError('upload_worn_out');
  const runs = withRun(upload, engines.random.uuid(), firstChunk, upload.chunkCount);
  requireStill(await engines.store.uploads.beginRun(link.accountId, upload.id, writer, runs, firstChunk));
  return runs;
}

function requireStill(isWriter: boolean): void {
  if (!isWriter) throw new ExchangeError('upload_superseded');
}
