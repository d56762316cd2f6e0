import { sql } from 'kysely';
import type { KnownGroup, KnownReceiver, ReceiverStore } from '../../domain/contacts/contact-store.ts';
import { bindStatements, type Database } from './database.ts';

/** Enough to have everyone whom somebody writes to regularly. */
const recentDrops = 200;
const recentLinks = 1000;

/** The contacts that an account sees: its own, and those of the administrator that it has not replaced. */
const contactsOf = (accountId: string) => sql`(
  select email, name, phone, groups, true as own from contacts where account_id = ${accountId}
  union all
  select email, name, phone, groups, false as own from global_contacts as shared
  where not exists (select from contacts where account_id = ${accountId} and email = shared.email)
) as contact`;

export function receiverStore(db: Database): ReceiverStore {
  const { readRows } = bindStatements(db);
  return {
    /** Looks at each contact, so that a part of a name is found: no more than the account and the administrator may have. */
    async find(accountId, text, count) {
      const wanted = text.toLowerCase();
      const matches = sql`(strpos(email, ${wanted}) > 0 or strpos(lower(name), ${wanted}) > 0)`;
      const { rows } = await sql<KnownReceiver>`
        with recent as (
          select distinct on (email) email, name, phone, newest from (
            select links.email, coalesce(nullif(links.name, ''), links.contact_name) as name, links.phone,
              links.drop_id as newest
            from (
              select id from drops where account_id = ${accountId} and not unsolicited order by id desc limit ${sql.lit(recentDrops)}
            ) as latest join links on links.account_id = ${accountId} and links.drop_id = latest.id
            order by latest.id desc limit ${sql.lit(recentLinks)}
          ) as links where ${matches} order by email, newest desc
        ), listed as (
          select email, name, phone, own from ${contactsOf(accountId)} where ${matches}
          order by own desc, not (starts_with(email, ${wanted}) or strpos(' ' || lower(name), ' ' || ${wanted}) > 0), email
          limit ${sql.lit(count)}
        )
        select email, coalesce(nullif(listed.name, ''), recent.name, '') as name,
          coalesce(listed.phone, '') <> '' or coalesce(recent.phone, '') <> '' as "hasPhone"
        from recent full join listed using (email)
        order by recent.newest desc nulls last, listed.own desc, email limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },

    findGroups: (accountId, text, count) => readRows<KnownGroup>`
        select member.group as name, count(*)::int as size
        from ${contactsOf(accountId)} cross join unnest(groups) as member ("group")
        where strpos(lower(member.group), lower(${text})) > 0
        group by member.group order by member.group limit ${sql.lit(count)}
      `,

    inGroup: (accountId, group, count) => readRows<KnownReceiver>`
        select email, name, phone <> '' as "hasPhone" from ${contactsOf(accountId)}
        where exists (select from unnest(groups) as member ("group") where lower(member.group) = lower(${group}))
        order by email limit ${sql.lit(count)}
      `,

    named: (accountId, name, count) => readRows<KnownReceiver>`
        select email, name, phone <> '' as "hasPhone" from ${contactsOf(accountId)}
        where lower(name) = lower(${name}) order by email limit ${sql.lit(count)}
      `,

    async knownDomains(accountId, domains) {
      const { rows } = await sql<{ domain: string }>`
        select domain from unnest(${domains}::text[]) as asked (domain)
        where exists (
          select from links where account_id = ${accountId} and split_part(email, '@', 2) = asked.domain
        ) or exists (
          select from contacts where account_id = ${accountId} and split_part(email, '@', 2) = asked.domain
        ) or exists (
          select from global_contacts where split_part(email, '@', 2) = asked.domain
        )
      `.execute(db);
      return rows.map(({ domain }) => domain);
    },

    async usual(accountId, count) {
      const { rows } = await sql<{ email: string }>`
        (
          select links.email from (
            select id from drops where account_id = ${accountId} and not unsolicited order by id desc limit ${sql.lit(recentDrops)}
          ) as latest join links on links.account_id = ${accountId} and links.drop_id = latest.id
          order by latest.id desc limit ${sql.lit(count)}
        ) union (select email from ${contactsOf(accountId)} order by own desc, email limit ${sql.lit(count)})
      `.execute(db);
      return rows.map(({ email }) => email);
    },
  };
}
