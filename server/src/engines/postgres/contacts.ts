import type { Contact } from '@waybill/protocol';
import { type RawBuilder, sql } from 'kysely';
import type { ContactStore } from '../../domain/ports/index.ts';
import type { Database } from './database.ts';

const fields = ['email', 'number', 'language', 'groups', 'nick'] as const;

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

  return {
    readGlobal,
    version,

    /** One statement, so that the lists and their version are from the same moment. */
    async read(accountId) {
      const { rows } = await sql<{ local: Contact[]; global: Contact[]; version: string }>`
        select contacts_version || '-' || global_contacts_version.version as version,
          (select coalesce(json_agg(contact), '[]') from
            (select email, number, language, groups, nick from contacts
             where account_id = accounts.id order by position) as contact) as local,
          (select coalesce(json_agg(contact), '[]') from
            (select email, number, language, groups, nick from global_contacts order by position) as contact) as global
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
        await db.selectFrom('global_contacts').select(fields).where('email', '=', wanted).execute(),
        await db
          .selectFrom('contacts')
          .select(fields)
          .where('account_id', '=', accountId)
          .where('email', '=', wanted)
          .execute(),
      ];
      return [...new Map([...global, ...local].map((contact) => [contact.email, contact])).values()];
    },

    async replace(accountId, contacts) {
      await db.deleteFrom('contacts').where('account_id', '=', accountId).execute();
      await sql`
        insert into contacts (account_id, email, position, number, language, groups, nick)
        select ${accountId}, email, position, number, language, groups, nick from ${recordset(contacts)}
      `.execute(db);
      await db
        .updateTable('accounts')
        .set(({ eb }) => ({ contacts_version: eb('contacts_version', '+', 1) }))
        .where('id', '=', accountId)
        .execute();
    },

    async replaceGlobal(contacts) {
      // The version's row serialises writers.
      await db
        .updateTable('global_contacts_version')
        .set(({ eb }) => ({ version: eb('version', '+', 1) }))
        .execute();
      await db.deleteFrom('global_contacts').execute();
      await sql`
        insert into global_contacts (email, position, number, language, groups, nick)
        select email, position, number, language, groups, nick from ${recordset(contacts)}
      `.execute(db);
    },
  };
}

/** A list of any length as one parameter; a VALUES list would run out of parameter numbers. */
function recordset(contacts: readonly Contact[]): RawBuilder<unknown> {
  const json = JSON.stringify(contacts.map((contact, position) => ({ ...contact, position })));
  return sql`jsonb_to_recordset(${json}::jsonb)
    as contact (email text, position integer, number text, language text, groups text[], nick text)`;
}
