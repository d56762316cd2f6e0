import { randomUUID } from 'node:crypto';
import type { SealedFile } from '../src/domain/files/file-store.ts';
import type { DayWrapped } from '../src/domain/keys/key-store.ts';
import { uploadDraftPrefix } from '../src/domain/uploads/account-upload.ts';
import type { TestExchange } from './exchange.ts';
import { sealFile } from './sealed-file.ts';

/**
 * Stores uploads that are ready, at once instead of one request for each: of an account, each in a draft of its own, or in
 * the draft given. Returns their ids.
 */
export async function storeUploads(
  { engines, database }: TestExchange,
  accountId: string,
  paths: readonly string[],
  draft?: string,
): Promise<string[]> {
  const { dayKeys, objects } = engines;
  const rows: (Pick<SealedFile, 'id' | 'path' | 'name' | 'sha256' | 'crc32'> & DayWrapped)[] = [];
  for (const path of paths) {
    const seed = randomUUID();
    const { id, wrappedKey, sha256, crc32 } = await sealFile(objects, Buffer.from('x'), { seed });
    const wrapped = await dayKeys.wrap(wrappedKey, id, null);
    rows.push({ id, path, name: path.slice(path.lastIndexOf('/') + 1), sha256, crc32, ...wrapped });
  }
  const list = (pick: (row: (typeof rows)[number]) => unknown) => rows.map(pick);
  await database.query(
    `with new as (
       select *, coalesce($9::text, $10 || id) as draft
       from unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::int[], $7::bytea[], $8::bigint[])
         as new (id, name, path, key, day, sha256, crc32)
     ), drafts as (
       insert into drafts (account_id, name) select distinct $1::uuid, draft from new on conflict do nothing
     )
     insert into files
       (account_id, id, state, draft, name, path, media_type, size_bytes, sha256, crc32, scan, chunk_count, wrapped_key, key_day)
     select $1, id, 'ready', draft, name, path, 'text/plain', 1, sha256, crc32, 'clean', 1, key, day from new`,
    [
      accountId,
      list(({ id }) => id),
      list(({ name }) => name),
      list(({ path }) => path),
      list(({ wrapped }) => wrapped),
      list(({ day }) => day),
      list(({ sha256 }) => sha256),
      list(({ crc32 }) => crc32),
      draft ?? null,
      uploadDraftPrefix,
    ],
  );
  return rows.map(({ id }) => id);
}
