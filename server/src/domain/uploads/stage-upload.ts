import { limits } from '@waybill/protocol';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { readWithKey } from '../files/read-sealed.ts';
import { beginUpload } from './begin-upload.ts';
import { FileInspection, toScanError } from './file-inspection.ts';
import { tooLarge } from './find-file-size-limit.ts';
import type { UploadOwner } from './owner.ts';
import { requireCurrentWriter, type StoreNeeds, storeBytes } from './store-bytes.ts';
import type { CompleteUpload, DeclaredDigests, UploadWriter } from './upload-store.ts';

export type StageNeeds = StoreNeeds & Pick<Engines, 'dayKeys' | 'scanner' | 'policy' | 'downloads'>;

export interface IncomingFile {
  readonly id?: string;
  readonly name: string;
  readonly path?: string | undefined;
  readonly mediaType: string;
  readonly bytes: AsyncIterable<Buffer>;
  readonly declared?: DeclaredDigests;
  /**
   * How many bytes to reserve for it and for the files after it. Undefined if the request does not say how much it
   * carries: then they are reserved as they arrive.
   */
  readonly reservedBytes?: number | undefined;
  /** Aborted when the sender may send no more. */
  readonly revoked?: AbortSignal | undefined;
}

/** A complete upload that is not visible yet. Its lease is renewed until it is released. */
export interface StagedUpload extends CompleteUpload {
  readonly writer: UploadWriter;
  release(): void;
}

/**
 * The first half of an upload that arrives in one request: its bytes are stored, and its digest and the scanner's
 * verdict are known. Nothing of it is visible before `completeUploads`; if it ends early, it leaves an upload that the
 * sweep removes.
 */
export async function stageUpload(
  engines: StageNeeds,
  owner: UploadOwner,
  incoming: IncomingFile,
): Promise<StagedUpload> {
  const { store, policy, random, checkpoint, uploadResources } = engines;
  const { reservedBytes, revoked } = incoming;
  const id = incoming.id ?? random.uuid();
  const writer = { accountId: owner.accountId, id, writer: random.uuid() };
  // Most files are one object, so nothing more needs to be recorded about them until they are complete.
  const claimedObjects = reservedBytes === undefined ? 0 : 1;
  const upload = await beginUpload(
    engines,
    owner,
    { ...incoming, id, sizeBytes: null },
    {
      writer: writer.writer,
      leaseSeconds: policy.uploadLeaseSeconds,
      claimedObjects,
      reservedBytes: reservedBytes ?? 0,
    },
  );
  const { signal: held, release } = uploadResources.live.hold(writer);
  const signal = revoked ? AbortSignal.any([held, revoked]) : held;
  const inspection = new FileInspection(engines, 'arriving', upload.declared);
  checkpoint('upload:intent-stored');
  try {
    const source = {
      bytes: incoming.bytes,
      claimedObjects,
      isReserved: reservedBytes !== undefined,
      isComplete: () => true,
      onEnd: () => inspection.end(),
      async onBytes(bytes: Buffer, receivedBytes: number) {
        if (receivedBytes > policy.maxFileBytes) throw tooLarge(policy.maxFileBytes);
        const rejection = await inspection.update(bytes);
        if (rejection) throw toScanError(rejection);
      },
    };
    const {
      receivedBytes: sizeBytes,
      runs,
      chunkCount,
      dataKey,
    } = await storeBytes(engines, owner, writer, upload, source, signal);
    checkpoint('upload:chunks-stored');
    revoked?.throwIfAborted();
    const all = { start: 0, end: sizeBytes };
    // Not with the wrapped key: a request may take days, and the sweep wraps its key again and destroys the day's.
    const result = await inspection.finish(() => readWithKey(engines, dataKey, { id, sizeBytes, runs }, all, signal));
    if (result.rejection) throw toScanError(result.rejection);
    checkpoint('upload:verdict-known');
    return { writer, sizeBytes, ...result.facts, runs, chunkCount, release };
  } catch (error) {
    release();
    await abandonUpload(store, writer);
    throw nameFileInError(error, incoming.name);
  } finally {
    inspection.abandon();
  }
}

/** The second half: one transaction makes every file of the request ready, or none. */
export async function completeUploads(
  engines: Pick<Engines, 'store' | 'random' | 'checkpoint'>,
  owner: UploadOwner,
  uploads: readonly StagedUpload[],
): Promise<void> {
  const { accountId, draft } = owner;
  await engines.store.transaction(async (tx) => {
    await tx.drafts.lock(accountId, draft);
    if (uploads.length > 1) {
      await tx.uploads.lock(
        accountId,
        uploads.map(({ writer }) => writer.id),
      );
    }
    for (const upload of uploads) {
      requireCurrentWriter(await tx.uploads.complete(upload.writer, upload));
      await record(engines, tx, {
        accountId,
        author: owner.author,
        action: 'file.uploaded',
        details: {
          draft,
          fileId: upload.writer.id,
          sizeBytes: upload.sizeBytes,
          sha256: upload.sha256.toString('hex'),
        },
      });
    }
    if ((await tx.files.countStaged(accountId, draft)) > limits.filesPerDraft) {
      throw new ExchangeError('too_many_files');
    }
    engines.checkpoint('upload:before-commit');
  });
  for (const upload of uploads) upload.release();
  engines.checkpoint('upload:committed');
}

export async function abandonUploads(
  { store }: Pick<Engines, 'store'>,
  uploads: readonly StagedUpload[],
): Promise<void> {
  for (const upload of uploads) {
    upload.release();
    await abandonUpload(store, upload.writer);
  }
}

/** Best effort: an upload that is not abandoned here ends when its lease does. */
async function abandonUpload(store: Engines['store'], writer: UploadWriter): Promise<void> {
  await store.uploads.abandon(writer).catch(() => undefined);
}

/** A request may carry many files, so an error says which file it is about. */
function nameFileInError(error: unknown, name: string): unknown {
  if (!(error instanceof ExchangeError)) return error;
  if (!['infected', 'encrypted', 'too_large', 'too_large_to_scan'].includes(error.code)) return error;
  const { code, message, advice, maxBytes } = error;
  return new ExchangeError(code, `${JSON.stringify(name)}: ${message}`, { cause: error, advice, maxBytes });
}
