import { sql } from 'kysely';
import type { AccountStore, Credentials } from '../../domain/ports/index.ts';
import { type BatchLimits, batched } from './batched.ts';
import type { Database } from './database.ts';

/** Every request is authenticated; beyond these it is refused rather than kept waiting. */
export const credentialLimits: BatchLimits = { keys: 100, inFlight: 4, waiting: 1_000, waitMs: 2_000 };

export function accountStore(db: Database): AccountStore {
  const accounts = () =>
    db
      .selectFrom('accounts')
      .select(['id', 'email', 'number', 'type', 'language', 'created_at as createdAt'])
      .select(['second_factor as secondFactor', 'receipts', 'reminders'])
      .select(({ eb }) => eb('disabled_at', 'is not', null).$castTo<boolean>().as('disabled'));

  // Asked by every request, and under load by many at once.
  const credentials = batched<string, Credentials>(async (emails) => {
    const rows = await db
      .selectFrom('accounts as a')
      .innerJoin('api_keys as k', 'k.account_id', 'a.id')
      .select(['a.id', 'a.email', 'k.digest'])
      .where('a.email', '=', sql<string>`any(${emails})`)
      .where('a.disabled_at', 'is', null)
      .where('k.revoked_at', 'is', null)
      .execute();
    const byEmail = Map.groupBy(rows, (row) => row.email);
    return new Map(
      [...byEmail].map(([email, keys]) => [
        email,
        { accountId: (keys[0] as (typeof keys)[0]).id, keyDigests: keys.map((key) => key.digest) },
      ]),
    );
  }, credentialLimits);

  return {
    credentials,

    byEmail: (email) => accounts().where('email', '=', email).executeTakeFirst(),
    byId: (accountId) => accounts().where('id', '=', accountId).executeTakeFirst(),
    page: (after, count) => accounts().where('email', '>', after).orderBy('email').limit(sql.lit(count)).execute(),

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

    async setChoices(accountId, { secondFactor, receipts, reminders }) {
      // One text whatever is changed: what is not given stays.
      await sql`
        update accounts set
          second_factor = case when ${secondFactor !== undefined}::boolean
            then ${secondFactor ?? null}::second_factor else second_factor end,
          receipts = coalesce(${receipts ?? null}::boolean, receipts),
          reminders = coalesce(${reminders ?? null}::boolean, reminders)
        where id = ${accountId}
      `.execute(db);
    },

    async lock(accountId) {
      await db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
    },

    keys: (accountId) =>
      db
        .selectFrom('api_keys')
        .select(['id', 'hint', 'created_at as createdAt', 'revoked_at as revokedAt'])
        .where('account_id', '=', accountId)
        // Live ones first: however many have been revoked since, they are all seen.
        .orderBy('revoked_at', (order) => order.desc().nullsFirst())
        .orderBy('created_at', 'desc')
        .limit(sql.lit(100))
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
