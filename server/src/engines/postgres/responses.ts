import { sql } from 'kysely';
import type { ResponseStore } from '../../domain/idempotency/response-store.ts';
import { bindStatements, type Database } from './database.ts';
import { purgeOldest } from './purge.ts';

export function responseStore(db: Database): ResponseStore {
  const { run } = bindStatements(db);
  return {
    async reserve(accountId, keyDigest, ifReserved) {
      // Held until the transaction ends, however it ends: a request whose process dies is not in flight any more.
      const lock = `response ${accountId} ${keyDigest.toString('hex')}`;
      if (ifReserved === 'wait') await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db);
      else {
        const { rows } = await sql<{ taken: boolean }>`
          select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as taken`.execute(db);
        if (!rows[0]?.taken) return 'in_flight';
      }
      return db
        .selectFrom('responses')
        .select(['request_digest as requestDigest', 'key_id as keyId', 'response'])
        .where('account_id', '=', accountId)
        .where('key_digest', '=', keyDigest)
        .executeTakeFirst();
    },

    async insert(accountId, keyDigest, { requestDigest, keyId, response }) {
      await db
        .insertInto('responses')
        .values({
          account_id: accountId,
          key_digest: keyDigest,
          request_digest: requestDigest,
          key_id: keyId,
          response,
        })
        .execute();
    },

    async exists(accountId, keyDigest) {
      const found = await db
        .selectFrom('responses')
        .select('created_at')
        .where('account_id', '=', accountId)
        .where('key_digest', '=', keyDigest)
        .executeTakeFirst();
      return found !== undefined;
    },

    trim: (accountId, { count, bytes }) => run`
        with newest as (
          select created_at, octet_length(response) as size from responses
          where account_id = ${accountId} and response is not null
          order by created_at desc limit ${count}
        ), measured as (
          select created_at, sum(size) over (order by created_at desc rows unbounded preceding) as bytes from newest
        )
        delete from responses
        where account_id = ${accountId} and response is not null
          and created_at < (select min(created_at) from measured where measured.bytes <= ${bytes})
      `,

    purge: (olderThanSeconds, count) =>
      purgeOldest(db, { table: 'responses', id: 'key_digest', at: 'created_at' }, olderThanSeconds, count),
  };
}
