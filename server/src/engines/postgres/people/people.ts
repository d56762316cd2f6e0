import { sql } from 'kysely';
import type { NewsKind } from '../../../domain/outbox/news.ts';
import type { Membership, PersonStore } from '../../../domain/people/person-store.ts';
import { shownName } from '../accounts/account-columns.ts';
import type { Database } from '../database.ts';
import { wantedNews } from '../news.ts';
import { personColumns } from './person-columns.ts';
import { hasSignInMethod } from './sign-in-methods.ts';

export function personStore(db: Database): PersonStore {
  const people = () => db.selectFrom('people').select(personColumns);
  const memberships = (personId: string) =>
    db
      .selectFrom('memberships')
      .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
      .select([
        'accounts.id as accountId',
        'accounts.email as account',
        'memberships.role',
        shownName.as('accountName'),
      ])
      .where('memberships.person_id', '=', personId)
      .where('accounts.deleted_at', 'is', null)
      .$castTo<Membership>();

  return {
    byId: (personId) => people().where('people.id', '=', personId).executeTakeFirst(),
    byEmail: (email) => people().where('people.email', '=', email).executeTakeFirst(),
    page: (after, count) =>
      people()
        .select(sql<boolean>`not ${hasSignInMethod(sql.ref('people.id'))}`.as('isInvited'))
        .where('people.email', '>', after)
        .orderBy('people.email')
        .limit(count)
        .execute(),

    async insert({ id, email, name, language, handle, isAdministrator }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('people')
        .values({ id, email, name, language, handle, is_administrator: isAdministrator })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async setProfile(personId, { name, language, timeZone }) {
      await db.updateTable('people').set({ name, language, time_zone: timeZone }).where('id', '=', personId).execute();
    },

    async setShortcuts(personId, hasShortcuts) {
      await db.updateTable('people').set({ has_shortcuts: hasShortcuts }).where('id', '=', personId).execute();
    },

    async makeAdministrator(personId) {
      await db.updateTable('people').set({ is_administrator: true }).where('id', '=', personId).execute();
    },

    async setDisabled(personId, disabled) {
      await db
        .updateTable('people')
        .set({ disabled_at: disabled ? sql<Date>`coalesce(disabled_at, now())` : null })
        .where('id', '=', personId)
        .execute();
    },

    // Weaker than an update of the key: a membership that is added meanwhile refers to the person.
    async lock(personId) {
      await db.selectFrom('people').select('id').where('id', '=', personId).forNoKeyUpdate().execute();
    },

    memberships: (personId, after, count, accounts = 'usable') =>
      memberships(personId)
        .$if(accounts === 'usable', (query) => query.where('accounts.disabled_at', 'is', null))
        .where('accounts.email', '>', after)
        .orderBy('accounts.email')
        .limit(count)
        .execute(),

    membership: (personId, account) =>
      memberships(personId)
        .where('accounts.disabled_at', 'is', null)
        .where('accounts.email', '=', account)
        .executeTakeFirst(),

    async members(accountId, after, count) {
      const rows = await db
        .selectFrom('memberships')
        .innerJoin('people', 'people.id', 'memberships.person_id')
        .select(['people.id as personId', 'people.email', 'people.name', 'memberships.role'])
        .select('memberships.created_at as since')
        .select(sql<boolean>`people.disabled_at is not null`.as('disabled'))
        .select(
          sql<Date | null>`case when ${hasSignInMethod(sql.ref('people.id'))} then null else coalesce(
            (select max(expires_at) from person_links where person_id = people.id and purpose = 'invitation'),
            memberships.created_at) end`.as('invitedUntil'),
        )
        .where('memberships.account_id', '=', accountId)
        .where('people.email', '>', after)
        .orderBy('people.email')
        .limit(count)
        .execute();
      return rows.map(({ invitedUntil, ...member }) => ({
        ...member,
        invited: invitedUntil ? { expiresAt: invitedUntil } : undefined,
      }));
    },

    async role(accountId, personId) {
      const row = await db
        .selectFrom('memberships')
        .select('role')
        .where('account_id', '=', accountId)
        .where('person_id', '=', personId)
        .executeTakeFirst();
      return row?.role;
    },

    countMembers: (accountId) =>
      db
        .selectFrom('memberships')
        .select(sql<number>`count(*)::int`.as('all'))
        .select(sql<number>`(count(*) filter (where role = 'owner'))::int`.as('owners'))
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow(),

    async setMembership(accountId, personId, role) {
      await db
        .insertInto('memberships')
        .values({ account_id: accountId, person_id: personId, role })
        .onConflict((conflict) => conflict.columns(['account_id', 'person_id']).doUpdateSet({ role }))
        .execute();
    },

    async changeRole(accountId, personId, role) {
      const { numUpdatedRows } = await db
        .updateTable('memberships')
        .set({ role })
        .where('account_id', '=', accountId)
        .where('person_id', '=', personId)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async news(accountId, personId) {
      const row = await db
        .selectFrom('memberships')
        .innerJoin('people', 'people.id', 'memberships.person_id')
        .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
        .select(wantedNews.$castTo<NewsKind[]>().as('wanted'))
        .where('memberships.account_id', '=', accountId)
        .where('memberships.person_id', '=', personId)
        .executeTakeFirst();
      return row?.wanted ?? [];
    },

    async setNews(accountId, personId, news) {
      await db
        .updateTable('memberships')
        .set({ news: [...news] })
        .where('account_id', '=', accountId)
        .where('person_id', '=', personId)
        .execute();
    },

    async removeMembership(accountId, personId) {
      const { numDeletedRows } = await db
        .deleteFrom('memberships')
        .where('account_id', '=', accountId)
        .where('person_id', '=', personId)
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },

    async detachMessages(personId, count) {
      const { numAffectedRows = 0n } = await sql`
        with due as materialized (
          select account_id, id from messages where told_person_id = ${personId} limit ${sql.lit(count)} for update
        )
        update messages set told_person_id = null, told_account_id = null,
          state = case state when 'waiting' then 'abandoned' else state end,
          outcome = case state when 'waiting' then 'the person was deleted' else outcome end,
          settled_at = coalesce(settled_at, now())
        from due where messages.account_id = due.account_id and messages.id = due.id
      `.execute(db);
      return Number(numAffectedRows);
    },

    async remove(personId) {
      await sql`select from people where id = ${personId} for update`.execute(db);
      for (const table of ['sessions', 'person_links', 'memberships']) {
        await sql`delete from ${sql.table(table)} where person_id = ${personId}`.execute(db);
      }
      await sql`delete from people where id = ${personId}`.execute(db);
    },
  };
}
