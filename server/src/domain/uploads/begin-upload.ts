import { patterns } from '@waybill/protocol';
import type { Engines } from '../engines.ts';
import { fileName, filePath } from '../files/file-name.ts';
import type { Policy } from '../policy.ts';
import { query } from '../query.ts';
import type { Store } from '../store.ts';
import { noDigests } from './declared-digests.ts';
import type { UploadOwner } from './owner.ts';
import type { DeclaredDigests, Upload } from './upload-store.ts';

const mediaType = new RegExp(`^${patterns.mediaType}$`);

export interface AnnouncedFile {
  readonly id?: string;
  readonly name: string;
  /** The path of the file in the folder that is being sent. */
  readonly path?: string | undefined;
  readonly mediaType: string;
  /** Null if the sender does not say. */
  readonly sizeBytes: number | null;
  readonly declared?: DeclaredDigests | undefined;
}

/** The writer, lease and reservations with which an upload begins. */
interface UploadClaim {
  readonly writer: string | null;
  readonly leaseSeconds: number;
  readonly claimedObjects: number;
  readonly reservedBytes: number;
}

/** Of an upload whose bytes come with later requests. */
export function claimForLater({ resumeSeconds }: Policy, reservedBytes: number): UploadClaim {
  return { writer: null, leaseSeconds: resumeSeconds, claimedObjects: 0, reservedBytes };
}

/**
 * Begins an upload: creates its key, and writes its row before the first byte is stored. A writer that continues at
 * once claims its first objects in the same step, and so are bytes of the account's storage. `within` may do more in the
 * same transaction.
 */
export async function beginUpload(
  engines: Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy'>,
  { accountId, draft, author }: UploadOwner,
  announced: AnnouncedFile,
  claim: UploadClaim,
  within: (begin: (tx: Store) => Promise<void>, path: string) => Promise<void> = (begin) => begin(engines.store),
): Promise<Upload> {
  const { dayKeys, policy, random } = engines;
  const { sizeBytes } = announced;
  const name = fileName(announced.name);
  const path = filePath(announced.path ?? name, name);
  const id = announced.id ?? random.uuid();
  const key = await dayKeys.wrap(random.bytes(32), id, null);
  const upload = {
    name,
    mediaType: mediaType.test(announced.mediaType) ? announced.mediaType : 'application/octet-stream',
    sizeBytes,
    wrappedKey: key.wrapped,
    keyDay: key.day,
    declared: announced.declared ?? noDigests,
  };
  const { writer, leaseSeconds, claimedObjects: chunkCount, reservedBytes } = claim;
  const { maxStoredBytes } = policy;
  const keyId = author.kind === 'key' ? author.id : null;
  const personId = author.kind === 'person' ? author.id : null;
  await within(
    (tx) =>
      tx.uploads.begin(
        { accountId, id, writer },
        { ...upload, path, draft, keyId, personId, chunkCount, reservedBytes, maxStoredBytes },
        leaseSeconds,
      ),
    path ?? name,
  );
  return { ...upload, id, receivedBytes: 0, received: false, runs: [], chunkCount: 0 };
}

export const takeOverUpload = query((store) => store.uploads.takeOver);

const lookEveryMs = 50;
/** A request that has stored nothing for so long may belong to a connection whose other end is gone. */
const silenceMs = 2_000;
const longestMs = 10_000;

/**
 * Waits while an earlier request, in whichever process, stores what it has received of an upload. Otherwise a client
 * whose connection broke, and that continues at once, would have to send all of that again. Rejects when the signal is
 * aborted, because there is no one left to wait for.
 */
export async function waitForPreviousWriter(
  { store }: Pick<Engines, 'store'>,
  { accountId, draft, id }: { readonly accountId: string; readonly draft: string; readonly id: string },
  signal?: AbortSignal,
): Promise<void> {
  const begunAt = performance.now();
  let changedAt = begunAt;
  let before: number | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const storedBytes = await store.uploads.storedByWriter(accountId, draft, id);
    if (storedBytes === undefined) return;
    const now = performance.now();
    if (storedBytes !== before) changedAt = now;
    before = storedBytes;
    if (now - changedAt >= silenceMs || now - begunAt >= longestMs) return;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
