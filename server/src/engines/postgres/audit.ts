import { sql } from 'kysely';
import type { AuditEntry, AuditStore } from '../../domain/audit/audit-store.ts';
import type { Database } from './database.ts';
import { isHeld } from './holds.ts';
import { purgeOldest } from './purge-oldest.ts';

/** The drop that an entry is about: itself, or one of its files or messages. */
const dropOfEntry = sql`coalesce((old.details ->> 'dropId')::uuid,
  (select drop_id from files where account_id = old.account_id and id = (old.details ->> 'fileId')::uuid),
  (select drop_id from messages where account_id = old.account_id and id = (old.details ->> 'messageId')::uuid))`;

export function auditStore(db: Database): AuditStore {
  return {
    async append(accountId, { id, author, action, details }) {
      await db
        .insertInto('audit_entries')
        .values({
          account_id: accountId,
          id,
          author_kind: author.kind,
          author_id: author.id,
          author_name: author.name,
          author_address: author.address ?? '',
          action,
          details: JSON.stringify(details),
        })
        .execute();
    },

    async ofDrop(accountId, dropId, count) {
      const { rows } = await sql<AuditEntry>`
        select at, action, details,
          json_build_object('kind', author_kind, 'id', author_id, 'name', author_name) as author,
          (select nullif(name, '') from people
            where id = case author_kind when 'person' then author_id::uuid end) as "personName"
        from audit_entries where account_id = ${accountId} and details ->> 'dropId' = ${dropId}
        order by at desc limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },

    async purge(olderThanSeconds, count) {
      const where = sql`not ${isHeld(sql`old.account_id`, dropOfEntry)}`;
      return purgeOldest(db, { table: 'audit_entries', id: 'id', at: 'at', where }, olderThanSeconds, count);
    },
  };
}
