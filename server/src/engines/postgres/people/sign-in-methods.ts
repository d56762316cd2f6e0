import { sql } from 'kysely';
import type { SignInMethodStore } from '../../../domain/sign-in/sign-in-method-store.ts';
import { bindStatements, type Database } from '../database.ts';

/** Whether a person can sign in. */
export function hasSignInMethod(personId: unknown) {
  // With a limit, so that it is looked up for the people of a page only, and not for everybody at once.
  return sql<boolean>`((select true from passkeys where person_id = ${personId} limit 1) is not null
    or (select true from passwords where person_id = ${personId} limit 1) is not null
    or (select true from identities where person_id = ${personId} limit 1) is not null)`;
}

export function signInMethodStore(db: Database): SignInMethodStore {
  const { changeOne } = bindStatements(db);
  const passkeys = () =>
    db
      .selectFrom('passkeys')
      .select(['credential_id as credentialId', 'person_id as personId', 'public_key as publicKey', 'counter'])
      .select(['transports', 'is_backed_up as isBackedUp', 'name', 'created_at as createdAt'])
      .select('last_used_at as lastUsedAt');
  const ownPasskey = (personId: string, credentialId: Buffer) =>
    sql<boolean>`person_id = ${personId} and credential_id = ${credentialId}`;

  return {
    async hasAny(personId) {
      const { rows } = await sql<{ some: boolean }>`select ${hasSignInMethod(personId)} as some`.execute(db);
      return rows[0]?.some ?? false;
    },

    passkeys: (personId) => passkeys().where('person_id', '=', personId).orderBy('created_at').execute(),
    passkey: (credentialId) => passkeys().where('credential_id', '=', credentialId).executeTakeFirst(),

    async insertPasskey({ credentialId, personId, publicKey, counter, transports, isBackedUp, name }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('passkeys')
        .values({
          credential_id: credentialId,
          person_id: personId,
          public_key: publicKey,
          counter,
          transports: [...transports],
          is_backed_up: isBackedUp,
          name,
        })
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async recordPasskeyUse(credentialId, counter, isBackedUp) {
      await db
        .updateTable('passkeys')
        .set({ counter, is_backed_up: isBackedUp, last_used_at: sql<Date>`now()` })
        .where('credential_id', '=', credentialId)
        .execute();
    },

    async renamePasskey(personId, credentialId, name) {
      const { numUpdatedRows } = await db
        .updateTable('passkeys')
        .set({ name })
        .where(ownPasskey(personId, credentialId))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async removePasskey(personId, credentialId) {
      const { numDeletedRows } = await db
        .deleteFrom('passkeys')
        .where(ownPasskey(personId, credentialId))
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },

    password: (personId) =>
      db
        .selectFrom('passwords')
        .select(['hash', 'changed_at as changedAt'])
        .where('person_id', '=', personId)
        .executeTakeFirst(),

    async setPassword(personId, hash) {
      await db
        .insertInto('passwords')
        .values({ person_id: personId, hash })
        .onConflict((conflict) => conflict.column('person_id').doUpdateSet({ hash, changed_at: sql<Date>`now()` }))
        .execute();
    },

    async removePassword(personId) {
      await db.deleteFrom('passwords').where('person_id', '=', personId).execute();
    },

    authenticatorApp: (personId) =>
      db
        .selectFrom('authenticator_apps')
        .select(['salt', 'last_step as lastStep', sql<boolean>`confirmed_at is not null`.as('isConfirmed')])
        .where('person_id', '=', personId)
        .executeTakeFirst(),

    insertAuthenticatorApp: (personId, salt) => changeOne`
        insert into authenticator_apps (person_id, salt) values (${personId}, ${salt})
        on conflict (person_id) do update set salt = excluded.salt, last_step = 0
          where authenticator_apps.confirmed_at is null
      `,

    async acceptStep(personId, step) {
      const { numUpdatedRows } = await db
        .updateTable('authenticator_apps')
        .set({ last_step: step, confirmed_at: sql<Date>`coalesce(confirmed_at, now())` })
        .where('person_id', '=', personId)
        .where('last_step', '<', step)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async removeAuthenticatorApp(personId) {
      await db.deleteFrom('authenticator_apps').where('person_id', '=', personId).execute();
    },

    async setRecoveryCodes(personId, digests) {
      await db.deleteFrom('recovery_codes').where('person_id', '=', personId).execute();
      if (digests.length === 0) return;
      await db
        .insertInto('recovery_codes')
        .values(digests.map((digest) => ({ person_id: personId, digest })))
        .execute();
    },

    async useRecoveryCode(personId, digest) {
      const { numUpdatedRows } = await db
        .updateTable('recovery_codes')
        .set({ used_at: sql<Date>`now()` })
        .where('person_id', '=', personId)
        .where('digest', '=', digest)
        .where('used_at', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async countRecoveryCodes(personId) {
      const { count } = await db
        .selectFrom('recovery_codes')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('person_id', '=', personId)
        .where('used_at', 'is', null)
        .executeTakeFirstOrThrow();
      return count;
    },

    identities: (personId) =>
      db
        .selectFrom('identities')
        .select(['issuer', 'subject', 'provider', 'label', 'linked_at as linkedAt', 'last_used_at as lastUsedAt'])
        .where('person_id', '=', personId)
        .orderBy('linked_at')
        .execute(),

    async findPersonId(issuer, subject) {
      const row = await db
        .selectFrom('identities')
        .select('person_id as personId')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row?.personId;
    },

    async insertIdentity(personId, { issuer, subject, provider, label }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('identities')
        .values({ issuer, subject, provider, label, person_id: personId })
        .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async recordIdentityUse({ issuer, subject, label }) {
      await db
        .updateTable('identities')
        .set({ last_used_at: sql<Date>`now()`, label })
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .execute();
    },

    async removeIdentity(personId, issuer, subject) {
      const { numDeletedRows } = await db
        .deleteFrom('identities')
        .where('person_id', '=', personId)
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },

    async removeAll(personId) {
      for (const table of ['passkeys', 'passwords', 'authenticator_apps', 'recovery_codes', 'identities'] as const) {
        await sql`delete from ${sql.table(table)} where person_id = ${personId}`.execute(db);
      }
    },
  };
}
