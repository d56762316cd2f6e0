import { sql } from 'kysely';
import type { PersonLinkStore, UsedTokenStore } from '../../../domain/people/person-link-store.ts';
import { recoverPersonJob } from '../../../domain/people/recover-person.ts';
import { sendPersonLinkJob } from '../../../domain/people/send-person-mails.ts';
import type { Database } from '../database.ts';
import { jobPayload, type Traceparent } from '../jobs/job-payload.ts';
import { purgeExpired } from '../purge.ts';
import { secondsFromNow } from '../time.ts';
import { personColumns } from './person-columns.ts';

/** Later than `now()` in a transaction that has waited for the person's lock: another one may have ended their links meanwhile. */
const currentTime = sql<Date>`clock_timestamp()`;

export function personLinkStore(db: Database, traceparent: Traceparent): PersonLinkStore {
  return {
    async end(personId, sentBy) {
      await db
        .updateTable('person_links')
        .set({ expires_at: sql<Date>`least(expires_at, now())` })
        .where('person_id', '=', personId)
        .where('used_at', 'is', null)
        .$if(sentBy !== undefined, (query) => query.where('account_id', '=', sentBy?.accountId ?? null))
        .execute();
    },

    async insert({ id, personId, purpose, invitedBy, accountId, lifetimeSeconds }, mail) {
      await db
        .insertInto('person_links')
        .values({
          id,
          person_id: personId,
          purpose,
          invited_by: invitedBy,
          account_id: accountId,
          expires_at: secondsFromNow(lifetimeSeconds),
        })
        .execute();
      if (!mail) return;
      const payload = jobPayload(sql`'linkId', ${id}::text`, traceparent());
      await sql`select graphile_worker.add_job(${sendPersonLinkJob}, ${payload})`.execute(db);
    },

    findOpen: (personId) =>
      db
        .selectFrom('person_links')
        .select('account_id as accountId')
        .where('person_id', '=', personId)
        .where('used_at', 'is', null)
        .where('expires_at', '>', currentTime)
        .executeTakeFirst(),

    async requestRecovery(email) {
      const payload = jobPayload(sql`'email', ${email}::text`, traceparent());
      await sql`select graphile_worker.add_job(${recoverPersonJob}, ${payload})`.execute(db);
    },

    async byId(id) {
      const row = await db
        .selectFrom('person_links as link')
        .innerJoin('people', 'people.id', 'link.person_id')
        .leftJoin('accounts', 'accounts.id', 'link.account_id')
        .select([
          sql<string>`coalesce((select name from people as inviter where inviter.email = link.invited_by), '')`.as(
            'inviterName',
          ),
          'accounts.email as accountEmail',
          sql<string>`coalesce(accounts.display_name, '')`.as('accountName'),
        ])
        .select(['link.id as linkId', 'link.purpose', 'link.invited_by as invitedBy', 'link.expires_at as expiresAt'])
        .select(
          sql<'open' | 'used' | 'expired'>`case when link.used_at is not null then 'used'
            when link.expires_at <= now() then 'expired' else 'open' end`.as('state'),
        )
        .select(personColumns)
        .where('link.id', '=', id)
        .where('people.disabled_at', 'is', null)
        .executeTakeFirst();
      if (!row) return undefined;
      const { linkId, purpose, invitedBy, inviterName, accountEmail, accountName, expiresAt, state, ...person } = row;
      const account = accountEmail === null ? undefined : { email: accountEmail, name: accountName };
      return { id: linkId, purpose, invitedBy, inviterName, account, expiresAt, state, person };
    },

    async use(id) {
      const { numUpdatedRows } = await db
        .updateTable('person_links')
        .set({ used_at: sql<Date>`now()` })
        .where('id', '=', id)
        .where('used_at', 'is', null)
        .where('expires_at', '>', currentTime)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    countSince: (personId, purpose, seconds, accountId = null) =>
      db
        .selectFrom('person_links')
        .select(sql<number>`count(*)::int`.as('all'))
        .select(
          sql<number>`(count(*) filter (where account_id is not distinct from ${accountId}))::int`.as('byAccount'),
        )
        .where('person_id', '=', personId)
        .where('purpose', '=', purpose)
        .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${seconds})`)
        .executeTakeFirstOrThrow(),

    // A person who opens an old link is told that it has expired.
    purge: (count) => purgeExpired(db, 'person_links', 'id', count, 90 * 86_400),
  };
}

export function usedTokenStore(db: Database): UsedTokenStore {
  return {
    async use(digest, seconds) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('used_tokens')
        .values({ digest, expires_at: secondsFromNow(seconds) })
        .onConflict((conflict) => conflict.column('digest').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    purge: (count) => purgeExpired(db, 'used_tokens', 'digest', count),
  };
}
