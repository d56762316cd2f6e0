import { sql } from 'kysely';
import type { PublicPageStore } from '../../../domain/public-page/public-page-store.ts';
import { sendPublicLinkJob } from '../../../domain/public-page/send-public-link.ts';
import { shownName } from '../accounts/account-columns.ts';
import type { Database } from '../database.ts';
import { endDrops } from '../drops/drops.ts';
import { jobPayload, type Traceparent } from '../jobs/job-payload.ts';

export function publicPageStore(db: Database, traceparent: Traceparent): PublicPageStore {
  return {
    byName: (name) =>
      db
        .selectFrom('public_pages as page')
        .innerJoin('accounts', 'accounts.id', 'page.account_id')
        .select(['page.name', 'page.message', 'accounts.id as accountId', 'accounts.email as account'])
        .select(shownName.as('accountName'))
        .where('page.name', '=', name)
        .where('page.is_open', '=', true)
        .where('accounts.disabled_at', 'is', null)
        .executeTakeFirst(),

    ofAccount: (accountId) =>
      db
        .selectFrom('public_pages')
        .select(['name', 'message', 'is_open as isOpen'])
        .where('account_id', '=', accountId)
        .executeTakeFirst(),

    async set(accountId, { name, message, isOpen }) {
      const { rows } = await sql`
        with taken as (select from public_pages where name = ${name} and account_id <> ${accountId})
        insert into public_pages (account_id, name, message, is_open)
        select ${accountId}, ${name}, ${message}, ${isOpen} where not exists (select from taken)
        on conflict (account_id) do update set name = excluded.name, message = excluded.message, is_open = excluded.is_open
        returning 1
      `.execute(db);
      return rows.length === 1;
    },

    async requestLink(accountId, { email, name, language }) {
      const fields = sql`'accountId', ${accountId}::text, 'email', ${email}::text, 'name', ${name}::text,
        'language', ${language}::text`;
      const payload = jobPayload(fields, traceparent());
      await sql`select graphile_worker.add_job(${sendPublicLinkJob}, ${payload})`.execute(db);
    },

    async isUnwanted(accountId, email) {
      const { rows } = await sql<{ unwanted: boolean }>`
        select exists (select from blocked_senders where account_id = ${accountId} and email = ${email})
          or exists (select from stopped_mail where account_id = ${accountId} and email = ${email}) as unwanted
      `.execute(db);
      return rows[0]?.unwanted ?? true;
    },

    async block(accountId, email) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('blocked_senders')
        .values({ account_id: accountId, email })
        .onConflict((conflict) => conflict.columns(['account_id', 'email']).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async unblock(accountId, email) {
      const { numDeletedRows } = await db
        .deleteFrom('blocked_senders')
        .where('account_id', '=', accountId)
        .where('email', '=', email)
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },

    blocked: (accountId, count) =>
      db
        .selectFrom('blocked_senders')
        .select(['email', 'blocked_at as blockedAt'])
        .where('account_id', '=', accountId)
        .orderBy('email')
        .limit(sql.lit(count))
        .execute(),

    async revokeLinks(accountId, email) {
      const isTheirs =
        email === undefined
          ? sql`true`
          : sql`exists (select from links where links.account_id = drops.account_id and links.drop_id = drops.id
              and links.email = ${email})`;
      const due = sql`
        select account_id, id from drops
        where account_id = ${accountId} and unsolicited and type = 'uploadfiles' and ended_at is null and ${isTheirs}
        for update`;
      await endDrops(db, due, sql`now()`);
    },
  };
}
