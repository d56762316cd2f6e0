import { type RawBuilder, sql } from 'kysely';
import type {
  Contact,
  ContactFilter,
  ContactGroup,
  ContactStore,
  ListedContact,
} from '../../domain/contacts/contact-store.ts';
import type { Database } from './database.ts';
import { maxPageRows } from './search.ts';

const fields = ['email', 'name', 'phone', 'language', 'groups'] as const;
const fieldList = sql`email, name, phone, language, groups`;
/** As in the indexes contacts_by_name and global_contacts_by_name. */
const nameKey = sql`lower(case when name = '' then email else name end)`;
const maxGroups = 1000;
/** A test account does not see the administrator's contacts, to whom it cannot send. */
const seesGlobal = (accountId: string) =>
  sql<boolean>`exists (select from accounts where id = ${accountId} and test_of is null)`;

export function contactStore(db: Database): ContactStore {
  const readGlobal = () => db.selectFrom('global_contacts').select(fields).orderBy('position').execute();
  const version = async (accountId: string) => {
    const { local, global } = await db
      .selectFrom('accounts')
      .innerJoin('global_contacts_version', (join) => join.onTrue())
      .select(['contacts_version as local', 'global_contacts_version.version as global'])
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    return `${local}-${global}`;
  };
  const bumpVersion = (accountId: string) =>
    db
      .updateTable('accounts')
      .set(({ eb }) => ({ contacts_version: eb('contacts_version', '+', 1) }))
      .where('id', '=', accountId)
      .execute();

  return {
    readGlobal,
    version,

    /** One statement, so that the lists and their version are from the same moment. */
    async read(accountId) {
      const { rows } = await sql<{ local: Contact[]; global: Contact[]; version: string }>`
        select contacts_version || '-' || global_contacts_version.version as version,
          (select coalesce(json_agg(contact), '[]') from
            (select ${fieldList} from contacts
             where account_id = accounts.id order by position) as contact) as local,
          (select coalesce(json_agg(contact), '[]') from
            (select ${fieldList} from global_contacts where accounts.test_of is null order by position) as contact) as global
        from accounts cross join global_contacts_version where id = ${accountId}
      `.execute(db);
      const [read] = rows;
      if (!read) throw new Error(`There is no account ${accountId}.`);
      return read;
    },

    async known(accountId, emails) {
      const rows = await db
        .selectFrom('contacts')
        .select('email')
        .where('account_id', '=', accountId)
        .where('email', '=', sql<string>`any(${emails})`)
        .execute();
      return rows.map((row) => row.email);
    },

    async find(accountId, emails) {
      const wanted = sql<string>`any(${emails})`;
      const [global, local] = [
        await db
          .selectFrom('global_contacts')
          .select([...fields, sql.lit('global' as const).as('list')])
          .where('email', '=', wanted)
          .where(seesGlobal(accountId))
          .execute(),
        await db
          .selectFrom('contacts')
          .select([...fields, sql.lit('local' as const).as('list')])
          .where('account_id', '=', accountId)
          .where('email', '=', wanted)
          .execute(),
      ];
      return [...new Map<string, ListedContact>([...global, ...local].map((found) => [found.email, found])).values()];
    },

    async page(accountId, filter, order, count) {
      const { by, isDescending = false, after } = order;
      const key = by === 'name' ? sql`${nameKey}, email` : sql`email`;
      const last = by === 'name' ? sql`lower(${after?.name || after?.email}), ${after?.email}` : sql`${after?.email}`;
      const further = after ? sql`(${key}) ${sql.raw(isDescending ? '<' : '>')} (${last})` : sql`true`;
      const direction = sql.raw(isDescending ? 'desc' : 'asc');
      const ordered = by === 'name' ? sql`${nameKey} ${direction}, email ${direction}` : sql`email ${direction}`;
      const pages = selectSources(accountId, filter).map(
        ({ from, list }) => sql`(
          select ${fieldList}, ${sql.lit(list)} as list from ${from} and ${further}
          order by ${ordered} limit ${sql.lit(maxPageRows)})`,
      );
      const { rows } = await sql<ListedContact>`
        select * from (${sql.join(pages, sql` union all `)}) as found order by ${ordered} limit ${sql.lit(maxPageRows)}
      `.execute(db);
      return rows.slice(0, count);
    },

    async countFound(accountId, filter) {
      const counts = selectSources(accountId, filter).map(({ from }) => sql`(select count(*) from ${from})`);
      const { rows } = await sql<{ count: number }>`select ${sql.join(counts, sql` + `)} as count`.execute(db);
      return rows[0]?.count ?? 0;
    },

    async groups(accountId, count) {
      const lists = selectSources(accountId, {}).map(({ from }) => sql`select groups from ${from}`);
      const { rows } = await sql<ContactGroup>`
        select name, count(*) as count from (${sql.join(lists, sql` union all `)}) as listed, unnest(groups) as name
        group by name order by count(*) desc, name limit ${sql.lit(maxGroups)}
      `.execute(db);
      return rows.slice(0, count).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },

    async count(accountId) {
      const { count } = await db
        .selectFrom('contacts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      return count;
    },

    async replace(accountId, contacts) {
      const before = await db.deleteFrom('contacts').where('account_id', '=', accountId).returning(fields).execute();
      await sql`
        insert into contacts (account_id, email, position, phone, language, groups, name)
        select ${accountId}, email, position, phone, language, groups, name from ${recordset(contacts)}
      `.execute(db);
      await bumpVersion(accountId);
      return before;
    },

    async put(accountId, contacts) {
      await sql`
        insert into contacts (account_id, email, position, phone, language, groups, name)
        select ${accountId}, email, position + 1 + (
            select coalesce(max(position), -1) from contacts where account_id = ${accountId}),
          phone, language, groups, name from ${recordset(contacts)}
        on conflict (account_id, email) do update
        set phone = excluded.phone, language = excluded.language, groups = excluded.groups, name = excluded.name
      `.execute(db);
      await bumpVersion(accountId);
    },

    async remove(accountId, emails) {
      await db
        .deleteFrom('contacts')
        .where('account_id', '=', accountId)
        .where('email', '=', sql<string>`any(${emails})`)
        .execute();
      await bumpVersion(accountId);
    },

    async replaceGlobal(contacts) {
      // The version's row serialises writers.
      await db
        .updateTable('global_contacts_version')
        .set(({ eb }) => ({ version: eb('version', '+', 1) }))
        .execute();
      await db.deleteFrom('global_contacts').execute();
      await sql`
        insert into global_contacts (email, position, phone, language, groups, name)
        select email, position, phone, language, groups, name from ${recordset(contacts)}
      `.execute(db);
    },
  };
}

/**
 * The account's contacts and the administrator's, each with a condition to which others can be added. A part of a text is
 * found by looking at each contact: no more than the account and the administrator may have.
 */
function selectSources(accountId: string, { search, group, list }: ContactFilter) {
  const asked = [
    ...(search === undefined ? [] : [sql`strpos(email || ' ' || lower(name), lower(${search})) > 0`]),
    ...(group === undefined ? [] : [sql`${group} = any(groups)`]),
  ];
  const found = asked.length === 0 ? sql`true` : sql.join(asked, sql` and `);
  const local = { from: sql`contacts where account_id = ${accountId} and ${found}`, list: 'local' } as const;
  const global = {
    from: sql`global_contacts as shared where ${found} and ${seesGlobal(accountId)} and not exists (
      select from contacts where account_id = ${accountId} and email = shared.email)`,
    list: 'global',
  } as const;
  return [...(list === 'global' ? [] : [local]), ...(list === 'local' ? [] : [global])];
}

/** A list of any length as one parameter; a VALUES list would run out of parameter numbers. */
function recordset(contacts: readonly Contact[]): RawBuilder<unknown> {
  const json = JSON.stringify(contacts.map((contact, position) => ({ ...contact, position })));
  return sql`jsonb_to_recordset(${json}::jsonb)
    as contact (email text, position integer, phone text, language text, groups text[], name text)`;
}
