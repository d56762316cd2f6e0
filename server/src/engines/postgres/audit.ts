import { sql } from 'kysely';
import type { AuditStore } from '../../domain/ports/index.ts';
import type { Database } from './database.ts';

export function auditStore(db: Database): AuditStore {
  return {
    async append(accountId, { details, ...entry }) {
      await db
        .insertInto('audit_entries')
        .values({ account_id: accountId, ...entry, details: JSON.stringify(details) })
        .execute();
    },

    async forget(olderThanSeconds, count) {
      const { numAffectedRows } = await sql`
        delete from audit_entries as entry
        using (
          select account_id, id from audit_entries
          where at < now() - make_interval(secs => ${olderThanSeconds})
          order by at limit ${sql.lit(count)}
        ) as due
        where entry.account_id = due.account_id and entry.id = due.id
      `.execute(db);
      return Number(numAffectedRows ?? 0);
    },
  };
}
