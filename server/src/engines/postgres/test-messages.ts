import { sql } from 'kysely';
import type { KeptMessage, TestMessageStore } from '../../domain/outbox/test-message-store.ts';
import { bindStatements, type Database } from './database.ts';
import { purgeOldest } from './purge.ts';
import { maxPageRows } from './search.ts';

export function testMessageStore(db: Database): TestMessageStore {
  const { readRows } = bindStatements(db);
  return {
    async keep(accountId, { id, kind, channel, to, dropId, requestId, subject, text, link, code }, most) {
      const { rows } = await sql`
        insert into test_messages (account_id, id, drop_id, request_id, kind, channel, receiver, subject, text, link, code)
        values (${accountId}, ${id}, ${dropId}, ${requestId}, ${kind}, ${channel}, ${to}, ${subject}, ${text}, ${link},
          ${code})
        on conflict do nothing returning id
      `.execute(db);
      await sql`
        delete from test_messages where account_id = ${accountId} and sequence <= (
          select sequence from test_messages where account_id = ${accountId}
          order by sequence desc offset ${sql.lit(most)} limit 1)
      `.execute(db);
      return rows.length === 1;
    },

    async page(accountId, { to, kind, dropId, requestId, since }, after, count) {
      const rows = await readRows<KeptMessage>`
        select id, sequence, kind, channel, receiver as "to", drop_id as "dropId", request_id as "requestId", subject, text,
          link, code, created_at as "createdAt"
        from test_messages
        where account_id = ${accountId} and sequence < coalesce(${after?.sequence ?? null}::bigint, 9223372036854775807)
          and sequence > coalesce((
            select sequence from test_messages where account_id = ${accountId} and id = ${since ?? null}::uuid), 0)
          and lower(receiver) = coalesce(lower(${to ?? null}::text), lower(receiver))
          and kind = coalesce(${kind ?? null}::text, kind)
          and (${dropId ?? null}::uuid is null or drop_id = ${dropId ?? null}::uuid)
          and (${requestId ?? null}::uuid is null or request_id = ${requestId ?? null}::uuid)
        order by sequence desc limit ${sql.lit(maxPageRows)}
      `;
      return rows.slice(0, count);
    },

    purge: (olderThanSeconds, count) =>
      purgeOldest(db, { table: 'test_messages', id: 'id', at: 'created_at' }, olderThanSeconds, count),
  };
}
