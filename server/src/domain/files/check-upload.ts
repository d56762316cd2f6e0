import { createHash } from 'node:crypto';
import { record } from '../audit/record.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Engines, Refusal, UncheckedUpload, Verdict } from '../ports.ts';
import { leftoverKeys } from './chunk-runs.ts';
import { readSealed } from './read-sealed.ts';

/** The job that checks a received upload: enqueued with the commit of its last chunk. */
export const checkUploadJob = 'check-upload';
const leaseSeconds = 60;

type Needs = Pick<Engines, 'store' | 'objects' | 'keys' | 'scanner' | 'random' | 'policy' | 'checkpoint'>;

/**
 * Reads back what came in many requests, through perhaps many processes: its digest, the virus scanner's verdict, and
 * the proof that every chunk can be read. Only then is the file there for anyone. A check that fails for a passing
 * reason is made again when its lease has ended.
 */
export async function checkUpload(
  engines: Needs,
  accountId: string,
  fileId: string,
  stopping: AbortSignal,
): Promise<void> {
  const { store, objects, policy, checkpoint } = engines;
  const upload = await store.uploads.takeForCheck(accountId, fileId, leaseSeconds);
  if (!upload) return;
  const found = await readBack(engines, upload, stopping).catch(refusedIfDamaged);
  checkpoint('check:read-back');
  if (found === 'removed') return;
  if (found === 'damaged') return store.uploads.refuse(accountId, fileId, found);
  const { sha256, verdict } = found;
  const refusal = refusalOf(verdict, policy.scan);
  if (refusal) return store.uploads.refuse(accountId, fileId, refusal);
  const leftovers = leftoverKeys(upload);
  if (leftovers.length > 0) await objects.delete(leftovers);
  await store.transaction(async (tx) => {
    await tx.drafts.lock(accountId, upload.draft);
    const scan = verdict.result === 'clean' ? 'clean' : 'unscanned';
    if (!(await tx.uploads.accept(accountId, { id: fileId, sha256, scan }))) return;
    await record(engines, tx, {
      accountId,
      actor: upload.draft,
      action: 'file.uploaded',
      details: { draft: upload.draft, fileId, sizeBytes: upload.sizeBytes, sha256: sha256.toString('hex') },
    });
    checkpoint('check:before-commit');
  });
}

async function readBack(
  engines: Needs,
  upload: UncheckedUpload,
  stopping: AbortSignal,
): Promise<{ sha256: Buffer; verdict: Verdict } | 'removed'> {
  const { store, policy } = engines;
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const heartbeat = setInterval(
    () => {
      const held = store.uploads.holdForCheck(upload.accountId, upload.id, leaseSeconds);
      held.then((still) => still || lost.abort()).catch(() => undefined);
    },
    (leaseSeconds * 1000) / 4,
  );
  const scan = policy.scan === 'off' ? undefined : engines.scanner.begin();
  try {
    const digest = createHash('sha256');
    for await (const bytes of readSealed(engines, upload, { start: 0, end: upload.sizeBytes }, signal)) {
      digest.update(bytes);
      await scan?.write(bytes);
      // Whatever follows, this one is not taken.
      if (scan?.early && (scan.early.result === 'infected' || policy.scan === 'required')) break;
    }
    const verdict = scan ? await scan.verdict() : ({ result: 'unscanned', why: 'unavailable' } as const);
    return { sha256: digest.digest(), verdict };
  } catch (error) {
    if (lost.signal.aborted) return 'removed';
    throw error;
  } finally {
    scan?.abandon();
    clearInterval(heartbeat);
  }
}

function refusalOf(verdict: Verdict, policy: Engines['policy']['scan']): Refusal | undefined {
  if (verdict.result === 'infected') return 'infected';
  if (verdict.result === 'clean' || policy !== 'required') return undefined;
  if (verdict.why === 'too_large') return 'too_large_to_scan';
  throw new ExchangeError('unavailable', 'The virus scanner is out of reach.');
}

/** What cannot be read back will not be readable later; the contact is told to send it again. */
function refusedIfDamaged(error: unknown): 'damaged' {
  if (error instanceof ExchangeError && error.code === 'damaged') return 'damaged';
  throw error;
}
