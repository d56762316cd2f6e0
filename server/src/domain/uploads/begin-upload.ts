import { ExchangeError } from '../exchange-error.ts';
import { fileName } from '../files/file-name.ts';
import type { Engines, Store, Upload } from '../ports/index.ts';
import type { UploadOwner } from './owner.ts';

const mediaTypeShape = /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}$/i;

export interface AnnouncedFile {
  readonly id?: string;
  readonly name: string;
  readonly mediaType: string;
  /** Null where the sender does not say. */
  readonly sizeBytes: number | null;
}

/**
 * Begins an upload: its key is made, and its row is there before the first byte is stored. A writer that goes on at once
 * claims its first objects with it. `first` shares its transaction.
 */
export async function beginUpload(
  engines: Pick<Engines, 'store' | 'keys' | 'random' | 'policy'>,
  { accountId, draft }: UploadOwner,
  announced: AnnouncedFile,
  { leaseSeconds, claimedObjects }: { leaseSeconds: number; claimedObjects: number },
  first?: (tx: Store, name: string) => Promise<void>,
): Promise<Upload & { readonly writer: string }> {
  const { store, keys, policy, random } = engines;
  const { sizeBytes } = announced;
  const name = fileName(announced.name);
  if (sizeBytes !== null && sizeBytes > policy.maxFileBytes) throw new ExchangeError('too_large');
  const id = announced.id ?? random.uuid();
  const upload = {
    name,
    mediaType: mediaTypeShape.test(announced.mediaType) ? announced.mediaType : 'application/octet-stream',
    sizeBytes,
    wrappedKey: await keys.wrap(random.bytes(32), id),
    keyVersion: keys.currentVersion,
  };
  const writer = random.uuid();
  const begin = (to: Store) =>
    to.uploads.begin({ accountId, id, writer }, { ...upload, draft, chunkCount: claimedObjects }, leaseSeconds);
  if (first) {
    await store.transaction(async (tx) => {
      await first(tx, name);
      await begin(tx);
    });
  } else await begin(store);
  return { ...upload, id, writer, receivedBytes: 0, received: false, runs: [], chunkCount: 0 };
}
