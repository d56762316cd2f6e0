import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { record } from '../audit/record.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Actor, CompletedUpload, Engines, Policy, Verdict } from '../ports.ts';
import type { BufferPool } from './buffer-pool.ts';
import { fileName } from './file-name.ts';
import { holdLease } from './hold-lease.ts';
import { SealedWriter } from './write-sealed.ts';

type Needs = Pick<Engines, 'store' | 'objects' | 'keys' | 'scanner' | 'random' | 'checkpoint' | 'policy'> & {
  readonly chunkBuffers: BufferPool;
};

export interface IncomingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: AsyncIterable<Buffer>;
}

/** A complete upload that nobody sees yet. Its intent stays alive until it is released. */
export interface StagedUpload extends CompletedUpload {
  release(): void;
}

/**
 * The first half of an upload: intent → chunks → byte count and digest → verdict. Nothing of it is visible before
 * `commitUploads`; whatever ends it early leaves an intent that the sweeper takes.
 */
export async function stageUpload(
  engines: Needs,
  actor: Actor,
  draft: string,
  incoming: IncomingFile,
): Promise<StagedUpload> {
  const { store, objects, keys, policy, checkpoint } = engines;
  const name = fileName(incoming.name);
  const id = engines.random.uuid();
  const dataKey = engines.random.bytes(32);
  const wrappedKey = await keys.wrap(dataKey, id);
  await store.files.begin(
    actor.accountId,
    { id, draft, name, mediaType: incoming.mediaType, wrappedKey, keyVersion: keys.currentVersion },
    policy.uploadLeaseSeconds,
  );
  checkpoint('upload:intent-stored');

  const scan = policy.scan === 'off' ? undefined : engines.scanner.begin();
  const lease = holdLease(store.files, actor.accountId, id, policy.uploadLeaseSeconds);
  const writer = new SealedWriter({
    objects,
    buffers: engines.chunkBuffers,
    seal: { dataKey, fileId: id },
    signal: lease.signal,
    beforeChunk: (chunk) => lease.reserve(chunk),
  });
  try {
    const digest = createHash('sha256');
    let sizeBytes = 0;
    for await (const bytes of incoming.bytes) {
      sizeBytes += bytes.length;
      if (sizeBytes > policy.maxFileBytes) throw new ExchangeError('too_large');
      digest.update(bytes);
      if (scan) {
        await scan.write(bytes);
        if (scan.early) requireAllowed(scan.early, policy);
      }
      await writer.write(bytes);
    }
    checkpoint('upload:bytes-received');
    const chunkCount = await writer.finish();
    checkpoint('upload:chunks-stored');
    const verdict: Verdict = scan ? await scan.verdict() : { result: 'unscanned', why: 'unavailable' };
    if (scan) requireAllowed(verdict, policy);
    checkpoint('upload:verdict-known');
    return {
      id,
      sizeBytes,
      sha256: digest.digest(),
      scan: verdict.result === 'clean' ? 'clean' : 'unscanned',
      chunkCount,
      release: () => lease.end(),
    };
  } catch (error) {
    // In this order: a write that lands after the intent was given up would be nobody's.
    scan?.abandon();
    lease.end();
    await writer.close();
    await giveUp(engines, actor, id);
    throw error;
  }
}

/** The second half: one transaction makes every file of the request ready, or none. */
export async function commitUploads(
  engines: Pick<Engines, 'store' | 'random' | 'checkpoint'>,
  actor: Actor,
  draft: string,
  uploads: readonly StagedUpload[],
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    await tx.drafts.lock(actor.accountId, draft);
    for (const upload of uploads) {
      const completed = await tx.files.complete(actor.accountId, upload);
      if (!completed) throw new ExchangeError('unavailable', 'The upload took too long to complete. Send it again.');
      await record(engines, tx, {
        accountId: actor.accountId,
        actor: actor.email,
        action: 'file.uploaded',
        details: { draft, fileId: upload.id, sizeBytes: upload.sizeBytes, sha256: upload.sha256.toString('hex') },
      });
    }
    if ((await tx.files.staged(actor.accountId, draft)).length > limits.filesPerDraft) {
      throw new ExchangeError('too_many_files');
    }
    engines.checkpoint('upload:before-commit');
  });
  for (const upload of uploads) upload.release();
  engines.checkpoint('upload:committed');
}

export async function abandonUploads(
  engines: Pick<Engines, 'store'>,
  actor: Actor,
  uploads: readonly StagedUpload[],
): Promise<void> {
  for (const upload of uploads) {
    upload.release();
    await giveUp(engines, actor, upload.id);
  }
}

/** Best effort: an intent that is not ended here ends with its lease. */
async function giveUp(engines: Pick<Engines, 'store'>, actor: Actor, id: string): Promise<void> {
  await engines.store.files.abandon(actor.accountId, id).catch(() => undefined);
}

function requireAllowed(verdict: Verdict, policy: Policy): void {
  if (verdict.result === 'infected') throw new ExchangeError('infected');
  if (verdict.result === 'unscanned' && policy.scan === 'required') {
    throw new ExchangeError(verdict.why === 'too_large' ? 'too_large_to_scan' : 'unavailable');
  }
}
