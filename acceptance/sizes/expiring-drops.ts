import { createHash } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { engineS3 } from '../../tools/demo/bucket.ts';
import { chunkKey } from '../lib/servers/exchange-internals.ts';
import type { OwnExchange } from '../lib/servers/own-exchange.ts';

export interface DropsToInsert {
  readonly drops: number;
  readonly filesEach: number;
  readonly receiversEach: number;
  /** Receivers have accounts, and the drop is in their inboxes. */
  readonly inInboxes: boolean;
}

/**
 * Gives an account drops directly in the database, with the rows that as many dispatches would have left, and stores an
 * object for each of their files. Returns the token of each drop's first link.
 */
export async function insertExpiringDrops(exchange: OwnExchange, user: string, what: DropsToInsert): Promise<string[]> {
  const tokens = Array.from({ length: what.drops }, (_, index) =>
    createHash('sha256').update(`${exchange.bucket} ${what.filesEach} ${index}`).digest('base64url'),
  );
  const digests = tokens.map((token) => createHash('sha256').update(token).digest('hex'));
  const files = await exchange.query<{ id: string }>(
    `with sender as (
       select id as account_id from accounts where email = $1
     ), new as (
       select account_id, gen_random_uuid() as id, digest from sender, unnest($2::text[]) as digest
     ), people as (
       select gen_random_uuid() as id, position from generate_series(0, $4::int - 1) as position
     ), inserted_accounts as (
       insert into accounts (id, email, phone, type)
       select id, id || '@example.org', '46700000000', 'api' from people where $5
     ), inserted_drops as (
       insert into drops (account_id, id, type, message, lifetime, expires_at, receiver_count, file_count, link_key, key_day)
       select account_id, id, 'downloadfiles', 'a message', 1, now() + interval '1 day', $4, $3, sha256(id::text::bytea), 99999
       from new
     ), inserted_links as (
       insert into links (account_id, drop_id, position, email, phone, language, groups, contact_name, token_digest)
       select account_id, new.id, position, people.id || '@example.org', '46700000000', 'en', '{}', '',
         case position when 0 then decode(digest, 'hex') else sha256((new.id || ':' || position)::bytea) end
       from new, people
     ), inserted_entries as (
       insert into inbox_entries (account_id, id, sender_account_id, drop_id)
       select people.id, gen_random_uuid(), account_id, new.id from new, people where $5
     )
     insert into files (account_id, id, state, draft, drop_id, name, media_type, size_bytes, sha256, crc32, scan,
                        chunk_count, wrapped_key, key_day)
     select account_id, gen_random_uuid(), 'ready', '', id, 'file-' || number, 'text/plain', 1, sha256('x'), 0, 'clean', 1,
            sha256(id::text::bytea), 99999
     from new, generate_series(1, $3::int) as number
     returning id`,
    [user, digests, what.filesEach, what.receiversEach, what.inInboxes],
  );
  await storeObjects(
    exchange.bucket,
    files.map(({ id }) => chunkKey(id, 0)),
  );
  return tokens;
}

async function storeObjects(bucket: string, keys: readonly string[]): Promise<void> {
  const client = engineS3();
  const waiting = [...keys];
  const storeSome = async () => {
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'x' }));
    }
  };
  await Promise.all(Array.from({ length: 24 }, storeSome));
  client.destroy();
}
