import { sql } from 'kysely';
import { isStoppable } from '../../../domain/outbox/obsolete-message.ts';
import type { MessageKind } from '../../../domain/outbox/outbox-store.ts';
import type { Correspondence, StopStore } from '../../../domain/stops/stop-store.ts';
import { shownName } from '../accounts/account-columns.ts';
import type { Database } from '../database.ts';

export function stopStore(db: Database): StopStore {
  return {
    async correspondence(messageId) {
      const { rows } = await sql<Omit<Correspondence, 'link'> & Correspondence['link'] & { kind: MessageKind }>`
        select messages.kind, links.account_id as "accountId", links.drop_id as "dropId", links.position,
          links.email as address, links.language, accounts.email as sender, ${shownName} as "senderName",
          stop.email is not null as stopped, links.reported_at is not null as reported
        from messages
        join drops on drops.account_id = messages.account_id and drops.id = messages.drop_id
        join links on links.account_id = drops.account_id
          and links.drop_id = coalesce(drops.request_id, drops.id)
          and links.position = coalesce(drops.request_position, messages.position)
        join accounts on accounts.id = links.account_id
        left join stopped_mail as stop on stop.account_id = links.account_id and stop.email = links.email
        where messages.id = ${messageId}
      `.execute(db);
      const [row] = rows;
      if (!row || !isStoppable(row.kind)) return undefined;
      const { kind: _, dropId, position, ...about } = row;
      return { ...about, link: { accountId: about.accountId, dropId, position } };
    },

    async add(accountId, address) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('stopped_mail')
        .values({ account_id: accountId, email: address })
        .onConflict((conflict) => conflict.columns(['account_id', 'email']).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async remove(accountId, address) {
      const { numDeletedRows } = await db
        .deleteFrom('stopped_mail')
        .where('account_id', '=', accountId)
        .where('email', '=', address)
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },

    page: (accountId, after, count) =>
      db
        .selectFrom('stopped_mail')
        .select(['email as address', 'stopped_at as stoppedAt'])
        .where('account_id', '=', accountId)
        .where('email', '>', after)
        .orderBy('email')
        .limit(sql.lit(count))
        .execute(),

    async report({ accountId, dropId, position }) {
      const { numUpdatedRows } = await db
        .updateTable('links')
        .set({ reported_at: sql<Date>`now()` })
        .where('account_id', '=', accountId)
        .where('drop_id', '=', dropId)
        .where('position', '=', position)
        .where('reported_at', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
  };
}
