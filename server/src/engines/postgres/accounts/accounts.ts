import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { AccountStore, ApiKey, LiveKey } from '../../../domain/accounts/account-store.ts';
import { type BatchLimits, batchCalls } from '../../../domain/flow/batch-calls.ts';
import { bindStatements, type Database, OutOfReachError } from '../database.ts';

/** Every request is authenticated; beyond these limits it is rejected instead of kept waiting. */
export const credentialLimits: BatchLimits = {
  keys: 100,
  inFlight: 4,
  waiting: 1_000,
  waitMs: 2_000,
  overloaded: () => new OutOfReachError('too many callers wait for the same query'),
};

export function accountStore(db: Database): AccountStore {
  const { run } = bindStatements(db);
  const accounts = () =>
    db
      .selectFrom('accounts')
      .select(['id', 'email', 'phone', 'type', 'language', 'created_at as createdAt'])
      .select('display_name as displayName')
      .select([
        'second_factor as secondFactor',
        'receipts',
        'attach_receipts as attachReceipts',
        'reminders',
        'show_links as showLinks',
      ])
      .select(['default_days as defaultDays', 'test_of as testOf'])
      .select(({ eb }) => [
        eb('disabled_at', 'is not', null).$castTo<boolean>().as('disabled'),
        eb('deleted_at', 'is not', null).$castTo<boolean>().as('deleting'),
      ]);

  const liveKeys = async (condition: RawBuilder<boolean>) => {
    const { rows } = await sql<LiveKey>`
      select a.id as "accountId", a.email, a.test_of is not null as "isTest", k.id as "keyId", k.digest, k.scopes, k.networks, k.expires_at as "expiresAt",
        coalesce(k.last_used_at < now() - interval '10 minutes', true) as "useIsDue"
      from accounts as a join api_keys as k on k.account_id = a.id
      where ${condition} and a.disabled_at is null and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())
    `.execute(db);
    return rows;
  };
  // Every request asks for one of these, and under load many do so at once.
  const credentials = batchCalls<string, LiveKey[]>(
    async (emails) =>
      Map.groupBy(await liveKeys(sql`a.email = any(${emails}) and k.scopes is null`), ({ email }) => email),
    credentialLimits,
  );
  const byDigest = batchCalls<string, LiveKey>(async (digests) => {
    const found = await liveKeys(sql`k.digest = any(${digests.map((digest) => Buffer.from(digest, 'hex'))}::bytea[])`);
    return new Map(found.map((key) => [key.digest.toString('hex'), key]));
  }, credentialLimits);
  const isLive = sql<boolean>`revoked_at is null and coalesce(expires_at > now(), true)`;
  /** The account and its test account. */
  const both = (accountId: string) =>
    sql<string>`any(array(select id from accounts where id = ${accountId} or test_of = ${accountId}))`;
  const keyColumns = [
    'id',
    'account_id as accountId',
    sql<boolean>`(select test_of is not null from accounts where accounts.id = api_keys.account_id)`.as('isTest'),
    'name',
    'hint',
    'scopes',
    'networks',
    'created_at as createdAt',
    'created_by as createdBy',
    'expires_at as expiresAt',
    'last_used_at as lastUsedAt',
    'revoked_at as revokedAt',
    isLive.as('isLive'),
  ] as const;

  const lock = async (column: 'id' | 'test_of', accountId: string) => {
    await db.selectFrom('accounts').select('id').where(column, '=', accountId).forNoKeyUpdate().execute();
  };

  return {
    credentials,
    liveKey: (digest) => byDigest(digest.toString('hex')),

    async unusableKeys(keys) {
      const { rows } = await sql<{ id: string }>`
        select asked.id
        from unnest(${keys.map(({ accountId }) => accountId)}::uuid[], ${keys.map(({ keyId }) => keyId)}::uuid[])
          as asked (account_id, id)
        where not exists (
          select from accounts as a join api_keys as k on k.account_id = a.id
          where a.id = asked.account_id and k.id = asked.id and a.disabled_at is null and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > now()))
      `.execute(db);
      return new Set(rows.map(({ id }) => id));
    },

    // Many requests may find at once that it is due; whoever comes second need not wait for the first.
    recordKeyUse: (accountId, keyId) => run`
        update api_keys set last_used_at = now()
        from (
          select account_id, id from api_keys where account_id = ${accountId} and id = ${keyId}
          for no key update skip locked
        ) as used
        where api_keys.account_id = used.account_id and api_keys.id = used.id
      `,

    byEmail: (email) => accounts().where('email', '=', email).executeTakeFirst(),
    byId: (accountId) => accounts().where('id', '=', accountId).executeTakeFirst(),
    page: (after, count) => accounts().where('email', '>', after).orderBy('email').limit(sql.lit(count)).execute(),

    findTestAccount: (accountId) => accounts().where('test_of', '=', accountId).executeTakeFirst(),

    async insert({ testOf = null, ...account }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('accounts')
        .values({ ...account, test_of: testOf })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async setDisabled(accountId, disabled) {
      await db
        .updateTable('accounts')
        .set({ disabled_at: disabled ? sql`coalesce(disabled_at, now())` : null })
        .where(({ or, eb }) => or([eb('id', '=', accountId), eb('test_of', '=', accountId)]))
        // Its test account may be being deleted by itself.
        .where(({ or, eb }) => or([eb('deleted_at', 'is', null), eb.val(disabled)]))
        .execute();
    },

    async setChoices(accountId, choices) {
      const { displayName, secondFactor, receipts, attachReceipts, reminders, showLinks, defaultDays } = choices;
      // The same statement text whatever is changed; a value that is not given stays as it is.
      await sql`
        update accounts set
          display_name = coalesce(${displayName ?? null}::text, display_name),
          second_factor = case when ${secondFactor !== undefined}::boolean
            then ${secondFactor ?? null}::second_factor else second_factor end,
          receipts = coalesce(${receipts ?? null}::boolean, receipts),
          attach_receipts = coalesce(${attachReceipts ?? null}::boolean, attach_receipts),
          reminders = coalesce(${reminders ?? null}::boolean, reminders),
          show_links = coalesce(${showLinks ?? null}::boolean, show_links),
          default_days = case when ${defaultDays !== undefined}::boolean
            then ${defaultDays ?? null}::integer else default_days end
        where id = ${accountId}
      `.execute(db);
    },

    lock: (accountId) => lock('id', accountId),

    async lockBoth(accountId) {
      await lock('id', accountId);
      await lock('test_of', accountId);
    },

    keys: (accountId) =>
      db
        .selectFrom('api_keys')
        .select(keyColumns)
        .$castTo<ApiKey>()
        .where('account_id', '=', both(accountId))
        // Live keys first, so that all of them are seen, however many have been revoked since.
        .orderBy(isLive, 'desc')
        .orderBy('created_at', 'desc')
        .limit(sql.lit(200))
        .execute(),

    insertKey: (accountId, { expiresAt, createdBy, ...key }) =>
      db
        .insertInto('api_keys')
        .values({
          account_id: accountId,
          ...key,
          scopes: key.scopes?.slice(),
          networks: key.networks?.slice(),
          expires_at: expiresAt,
          created_by: createdBy,
        })
        .returning(keyColumns)
        .$castTo<ApiKey>()
        .executeTakeFirstOrThrow(),

    unrevokedKey: (accountId, keyId) =>
      db
        .selectFrom('api_keys')
        .select(keyColumns)
        .$castTo<ApiKey>()
        .where('account_id', '=', both(accountId))
        .where('id', '=', keyId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst(),

    async revokeKey(accountId, keyId, descendants) {
      // A key that was revoked earlier may have made keys that were not.
      const { rows } = await sql<{ id: string }>`
        with recursive revoked as (
          select id from api_keys where account_id = ${both(accountId)} and id::text = ${keyId}
          union
          select made.id from api_keys as made join revoked on made.created_by = revoked.id
          where made.account_id = ${both(accountId)} and ${descendants}::boolean
        )
        update api_keys set revoked_at = now()
        where account_id = ${both(accountId)} and id in (select id from revoked) and revoked_at is null
        returning id
      `.execute(db);
      return rows.map(({ id }) => id);
    },

    findReceiving: (accountId, emails) =>
      db
        .selectFrom('accounts')
        .select(['id', 'email'])
        .where('email', '=', sql<string>`any(${emails})`)
        .where('id', '<>', accountId)
        .where('deleted_at', 'is', null)
        .where(
          sql<boolean>`(test_of is null) = (select sender.test_of is null from accounts as sender where sender.id = ${accountId})`,
        )
        .execute(),
  };
}

/** The fingerprint of the pepper under which the API keys in this database were made; undefined if none is recorded. */
export async function readPepper(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ fingerprint: string }>('select fingerprint from key_pepper');
  return rows[0]?.fingerprint;
}

/**
 * Records the fingerprint unless there is one, and returns the one that is recorded. A database without API keys takes
 * any pepper.
 */
export async function recordPepper(pool: pg.Pool, fingerprint: string): Promise<string> {
  const recorded = await readPepper(pool);
  // Read first: a database that accepts no changes for the moment can still be used.
  if (recorded === fingerprint) return recorded;
  await pool.query(
    `insert into key_pepper (fingerprint) values ($1)
     on conflict (is_only_row) do update set fingerprint = excluded.fingerprint where not exists (select from api_keys)`,
    [fingerprint],
  );
  return (await readPepper(pool)) ?? fingerprint;
}
