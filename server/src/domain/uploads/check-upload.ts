import { readPolicy } from '../accounts/read-policy.ts';
import type { Author } from '../audit/audit-store.ts';
import { keyAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { leftoverKeys } from '../files/chunk-runs.ts';
import { readSealed } from '../files/read-sealed.ts';
import { contactDraftAuthor } from './contact-draft.ts';
import { FileInspection, type InspectionResult, toScanError } from './file-inspection.ts';
import type { CompleteUpload, UncheckedUpload } from './upload-store.ts';

/** The job that checks an upload whose bytes came in several requests: enqueued when the last of them is stored. */
export const checkUploadJob = 'check-upload';
const leaseSeconds = 60;
/** About two hours of growing pauses; then the sender is told that the file could not be checked. */
export const maxChecks = 8;
const shortestPauseSeconds = 60;
const keysPerRequest = 1_000;

type Needs = Pick<
  Engines,
  'store' | 'objects' | 'dayKeys' | 'downloads' | 'scanner' | 'random' | 'policy' | 'checkpoint'
>;

/**
 * Reads back what came in many requests, perhaps through many processes, to get its digest, the virus scanner's
 * verdict, and proof that every chunk can be read. Only then is the file available to anyone. A check that fails for a
 * temporary reason is repeated after a pause, and the file is refused if it cannot be checked for hours.
 */
export async function checkUpload(
  engines: Needs,
  accountId: string,
  uploadId: string,
  stopping: AbortSignal,
): Promise<void> {
  const { uploads } = engines.store;
  const upload = await uploads.acquireForCheck(accountId, uploadId, leaseSeconds);
  if (!upload) return;
  try {
    const result = await readBack(engines, upload, stopping).catch(toDamaged);
    engines.checkpoint('check:read-back');
    if (result === 'removed') return;
    if (result === 'damaged') return await uploads.refuse(accountId, uploadId, result);
    if (result.rejection === 'unavailable') throw toScanError(result.rejection);
    if (result.rejection) return await uploads.refuse(accountId, uploadId, result.rejection);
    await accept(engines, upload, result.facts);
  } catch (error) {
    // This does not count as an attempt, because nothing was learned about the file or the scanner.
    if (stopping.aborted)
      return uploads.retryCheck(accountId, uploadId, { checks: upload.checks - 1, pauseSeconds: 0 });
    if (upload.checks >= maxChecks) return uploads.refuse(accountId, uploadId, 'unchecked');
    const pauseSeconds = shortestPauseSeconds * 2 ** (upload.checks - 1);
    await uploads.retryCheck(accountId, uploadId, { checks: upload.checks, pauseSeconds });
    throw error;
  }
}

async function accept(
  engines: Needs,
  upload: UncheckedUpload,
  facts: Pick<CompleteUpload, 'sha256' | 'crc32' | 'scan' | 'unscannedReason'>,
): Promise<void> {
  const { accountId, id, draft, sizeBytes, runs, chunkCount } = upload;
  // They are deleted again with the file itself, because a writer that was cut off may have stored one since.
  const leftovers = leftoverKeys(upload);
  for (let from = 0; from < leftovers.length; from += keysPerRequest) {
    await engines.objects.delete(leftovers.slice(from, from + keysPerRequest));
  }
  const complete = { sizeBytes, ...facts, runs, chunkCount };
  const author = await findAuthor(engines, upload);
  await engines.store.transaction(async (tx) => {
    await tx.drafts.lock(accountId, draft);
    if (!(await tx.uploads.accept(accountId, id, complete))) return;
    await record(engines, tx, {
      accountId,
      author,
      action: 'file.uploaded',
      details: { draft, fileId: id, sizeBytes, sha256: facts.sha256.toString('hex') },
    });
    engines.checkpoint('check:before-commit');
  });
}

async function findAuthor(
  { store }: Pick<Engines, 'store'>,
  { accountId, draft, keyId, personId }: Pick<UncheckedUpload, 'accountId' | 'draft' | 'keyId' | 'personId'>,
): Promise<Author> {
  if (personId !== null) {
    const email = (await store.people.byId(personId))?.email ?? draft;
    // The check runs later, when nobody knows where they are.
    return { kind: 'person', id: personId, name: email };
  }
  if (keyId === null) return contactDraftAuthor(draft);
  const name = (await store.accounts.byId(accountId))?.email ?? draft;
  return keyAuthor(keyId, name);
}

async function readBack(
  engines: Needs,
  upload: UncheckedUpload,
  stopping: AbortSignal,
): Promise<InspectionResult | 'removed'> {
  const { uploads } = engines.store;
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const heartbeat = setInterval(
    () => {
      const held = uploads.holdForCheck(upload.accountId, upload.id, leaseSeconds);
      held.then((still) => still || lost.abort()).catch(() => undefined);
    },
    (leaseSeconds * 1000) / 4,
  );
  const policy = await readPolicy(engines, upload.accountId);
  const inspection = new FileInspection({ ...engines, policy }, 'stored', upload.declared);
  try {
    for await (const bytes of readSealed(engines, upload, { start: 0, end: upload.sizeBytes }, signal)) {
      if (await inspection.update(bytes)) break;
    }
    return await inspection.finish();
  } catch (error) {
    if (lost.signal.aborted) return 'removed';
    throw error;
  } finally {
    inspection.abandon();
    clearInterval(heartbeat);
  }
}

/** A file that is damaged now will not be readable later, so it is refused, and the sender has to send it again. */
function toDamaged(error: unknown): 'damaged' {
  if (error instanceof ExchangeError && error.code === 'damaged') return 'damaged';
  throw error;
}
