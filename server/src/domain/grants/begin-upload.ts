import { limits } from '@waybill/protocol';
import { ExchangeError } from '../exchange-error.ts';
import { fileName } from '../files/file-name.ts';
import type { Engines, Link } from '../ports.ts';
import { deskOf } from './desk.ts';

const mediaTypeShape = /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}$/i;

export interface AnnouncedFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

/** A contact announces a file whose bytes will follow, in as many requests as it takes. */
export async function beginUpload(
  engines: Pick<Engines, 'store' | 'keys' | 'random' | 'policy'>,
  link: Link,
  writer: string,
  announced: AnnouncedFile,
): Promise<void> {
  const { store, keys, policy } = engines;
  const { id, sizeBytes } = announced;
  const name = fileName(announced.name);
  if (sizeBytes > policy.maxFileBytes) throw new ExchangeError('too_large');
  const wrappedKey = await keys.wrap(engines.random.bytes(32), id);
  const draft = deskOf(link);
  const mediaType = mediaTypeShape.test(announced.mediaType) ? announced.mediaType : 'application/octet-stream';
  await store.transaction(async (tx) => {
    await tx.drafts.lock(link.accountId, draft);
    const desk = await tx.uploads.desk(link.accountId, draft);
    // Announced before, and nothing came: most likely its answer was lost, and it would stand in the way of sending.
    const lost = desk.filter((file) => file.name === name && file.state === 'uploading' && file.receivedBytes === 0);
    for (const file of lost) await tx.uploads.remove(link.accountId, draft, file.id);
    if (desk.length - lost.length >= limits.filesPerDraft) throw new ExchangeError('too_many_files');
    await tx.uploads.begin(
      link.accountId,
      { id, draft, name, mediaType, sizeBytes, writer, wrappedKey, keyVersion: keys.currentVersion },
      policy.resumeSeconds,
    );
  });
}
