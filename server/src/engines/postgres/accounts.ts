import { sql } from 'kysely';
import type { AccountStore } from '../../domain/ports.ts';
import type { Database } from './database.ts';

export function accountStore(db: Database): AccountStore {
  const accounts = () =>
    db
      .selectFrom('accounts')
      .select(['id', 'email', 'number', 'type', 'language', 'created_at as createdAt'])
      .select(({ eb }) => eb('disabled_at', 'is not', null).$castTo<boolean>().as('disabled'));

  return {
    async credentials(email) {
      const rows = await db
        .selectFrom('accounts as a')
        .innerJoin('api_keys as k', 'k.account_id', 'a.id')
        .select(['a.id', 'k.digest'])
        .where('a.email', '=', email)
        .where('a.disabled_at', 'is', null)
        .where('k.revoked_at', 'is', null)
        .execute();
      const first = rows[0];
      return first && { accountId: first.id, keyDigests: rows.map((row) => row.digest) };
    },

    byEmail: (email) => accounts().where('email', '=', email).executeTakeFirst(),
    byId: (accountId) => accounts().where('id', '=', accountId).executeTakeFirst(),
    page: (after, count) => accounts().where('email', '>', after).orderBy('email').limit(count).execute(),

    async insert(account) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('accounts')
        .values(account)
        .onConflict((conflict) => conflict.column('email').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async setDisabled(accountId, disabled) {
      await db
        .updateTable('accounts')
        .set({ disabled_at: disabled ? sql`coalesce(disabled_at, now())` : null })
        .where('id', '=', accountId)
        .execute();
    },

    async lock(accountId) {
      await db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
    },

    keys: (accountId) =>
      db
        .selectFrom('api_keys')
        .select(['id', 'hint', 'created_at as createdAt', 'revoked_at as revokedAt'])
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .limit(100)
        .execute(),

    async insertKey(accountId, key) {
      await db
        .insertInto('api_keys')
        .values({ account_id: accountId, ...key })
        .execute();
    },

    async revokeKey(accountId, keyId) {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ revoked_at: sql`now()` })
        .where('account_id', '=', accountId)
        .where(sql<string>`id::text`, '=', keyId)
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    idsOf: (emails) =>
      db.selectFrom('accounts').select(['id', 'email']).where('email', '=', sql<string>`any(${emails})`).execute(),
  };
}
