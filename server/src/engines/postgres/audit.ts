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
  };
}
