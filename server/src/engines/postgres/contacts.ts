import { type RawBuilder, sql } from 'kysely';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { ContactStore, ListedContact } from '../../domain/contacts/contact-store.ts';
import type { Database } from './database.ts';
import { maxPageRows } from './page-size.ts';

const fields = ['email', 'name', 'phone', 'language', 'groups'] as const;
const fieldList = sql`email, name, phone, language, groups`;

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
            (select ${fieldList} from global_contacts order by position) as contact) as global
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

    /**
     * Walks the addresses in order and looks at each contact, so that a part of a name can be found: no more than
     * the account and the administrator may have.
     */
    async page(accountId, { search, list }, after, count) {
      const own = sql`contacts where account_id = ${accountId}`;
      const shared = sql`global_contacts as shared where not exists (
        select from contacts where account_id = ${accountId} and email = shared.email)`;
      const asked = sql`${after ? sql`email > ${after.email}` : sql`true`} and ${
        search === undefined ? sql`true` : sql`strpos(email || ' ' || lower(name), lower(${search})) > 0`
      }`;
      const selectPage = (from: RawBuilder<unknown>, name: ListedContact['list']) => sql`(
        select ${fieldList}, ${sql.lit(name)} as list
        from ${from} and ${asked} order by email limit ${sql.lit(maxPageRows)})`;
      const pages = [
        ...(list === 'global' ? [] : [selectPage(own, 'local')]),
        ...(list === 'local' ? [] : [selectPage(shared, 'global')]),
      ];
      const { rows } = await sql<ListedContact>`
        select * from (${sql.join(pages, sql` union all `)}) as found order by email limit ${sql.lit(maxPageRows)}
      `.execute(db);
      return rows.slice(0, count);
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

    async remove(accountId, email) {
      await db.deleteFrom('contacts').where('account_id', '=', accountId).where('email', '=', email).execute();
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

/** A list of any length as one parameter; a VALUES list would run out of parameter numbers. */
function recordset(contacts: readonly Contact[]): RawBuilder<unknown> {
  const json = JSON.stringify(contacts.map((contact, position) => ({ ...contact, position })));
  return sql`jsonb_to_recordset(${json}::jsonb)
    as contact (email text, position integer, phone text, language text, groups text[], name text)`;
}
