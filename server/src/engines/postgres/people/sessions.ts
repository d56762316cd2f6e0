import { type RawBuilder, sql } from 'kysely';
import { sendSignInNoticeJob } from '../../../domain/people/send-person-mails.ts';
import type { MemberAccess, Session, SessionStore } from '../../../domain/people/session-store.ts';
import { bindStatements, type Database } from '../database.ts';
import { jobPayload, type Traceparent } from '../jobs/job-payload.ts';
import { purgeExpired } from '../purge.ts';
import { secondsFromNow } from '../time.ts';
import { personColumns } from './person-columns.ts';

const sessionColumns = [
  'sessions.id as sessionId',
  'sessions.person_id as personId',
  'sessions.stage',
  'sessions.method',
  'sessions.issuer',
  'sessions.sid',
  'sessions.address',
  'sessions.user_agent as userAgent',
  'sessions.created_at as sessionCreatedAt',
  'sessions.authenticated_at as authenticatedAt',
  'sessions.seen_at as seenAt',
  'sessions.expires_at as expiresAt',
] as const;

type SessionRow = Omit<Session, 'id' | 'createdAt' | 'provider'> & {
  sessionId: string;
  sessionCreatedAt: Date;
  issuer: string | null;
  sid: string | null;
};

function toSession(row: SessionRow): Session {
  const { sessionId, personId, stage, method, issuer, sid, address, userAgent, sessionCreatedAt, authenticatedAt } =
    row;
  const provider = issuer === null ? undefined : { issuer, sid };
  const times = { createdAt: sessionCreatedAt, authenticatedAt, seenAt: row.seenAt, expiresAt: row.expiresAt };
  return { id: sessionId, personId, stage, method, provider, address, userAgent, ...times };
}

const isLive = (idleSeconds: number): RawBuilder<boolean> =>
  sql<boolean>`sessions.expires_at > now() and sessions.seen_at > now() - make_interval(secs => ${idleSeconds})`;

export function sessionStore(db: Database, traceparent: Traceparent): SessionStore {
  const { readRows } = bindStatements(db);
  return {
    async enqueueNotice({ id, personId, address, userAgent, added }) {
      const payload = jobPayload(
        sql`'id', ${id}::text, 'personId', ${personId}::text, 'address', ${address}::text, 'userAgent', ${userAgent}::text,
          'at', now(), 'added', ${added === undefined ? null : JSON.stringify(added)}::json`,
        traceparent(),
      );
      await sql`select graphile_worker.add_job(${sendSignInNoticeJob}, ${payload})`.execute(db);
    },

    async insert({ lifetimeSeconds, personId, userAgent, authenticatedAt, provider, ...session }) {
      await db
        .insertInto('sessions')
        .values({
          ...session,
          person_id: personId,
          user_agent: userAgent,
          issuer: provider?.issuer ?? null,
          sid: provider?.sid ?? null,
          authenticated_at: authenticatedAt ?? sql<Date>`now()`,
          expires_at: secondsFromNow(lifetimeSeconds),
        })
        .execute();
    },

    async byDigest(digest, idleSeconds) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('people', 'people.id', 'sessions.person_id')
        .select(sessionColumns)
        .select(personColumns)
        .select(sql<boolean>`sessions.seen_at < now() - interval '5 minutes'`.as('seenIsDue'))
        .where('sessions.digest', '=', digest)
        .where('people.disabled_at', 'is', null)
        .where(isLive(idleSeconds))
        .executeTakeFirst();
      if (!row) return undefined;
      const {
        id,
        email,
        name,
        language,
        timeZone,
        hasShortcuts,
        handle,
        isAdministrator,
        createdAt,
        disabled,
        seenIsDue,
      } = row;
      const person = {
        id,
        email,
        name,
        language,
        timeZone,
        hasShortcuts,
        handle,
        isAdministrator,
        createdAt,
        disabled,
      };
      return { session: toSession(row), person, seenIsDue };
    },

    async recordSeen(digest) {
      await db.updateTable('sessions').set({ seen_at: sql<Date>`now()` }).where('digest', '=', digest).execute();
    },

    endedAccess: (all, idleSeconds) => readRows<MemberAccess>`
        select asked.session_id as "sessionId", asked.account_id as "accountId", asked.role
        from unnest(
          ${all.map(({ sessionId }) => sessionId)}::uuid[],
          ${all.map(({ accountId }) => accountId)}::uuid[],
          ${all.map(({ role }) => role)}::member_role[]
        ) as asked (session_id, account_id, role)
        where not exists (
          select from sessions
          join people on people.id = sessions.person_id
          join memberships on memberships.person_id = people.id and memberships.account_id = asked.account_id
          join accounts on accounts.id = memberships.account_id
          where sessions.id = asked.session_id and sessions.stage = 'complete' and ${isLive(idleSeconds)}
            and people.disabled_at is null and memberships.role >= asked.role
            and accounts.disabled_at is null and accounts.deleted_at is null)
      `,

    async ofPerson(personId, idleSeconds, count) {
      const rows = await db
        .selectFrom('sessions')
        .select(sessionColumns)
        .where('person_id', '=', personId)
        .where('stage', '=', 'complete')
        .where(isLive(idleSeconds))
        .orderBy('created_at', 'desc')
        .limit(count)
        .execute();
      return rows.map(toSession);
    },

    async end(personId, which) {
      const { numDeletedRows } = await db
        .deleteFrom('sessions')
        .where('person_id', '=', personId)
        .$if(which !== 'all' && 'id' in which, (query) => query.where('id', '=', (which as { id: string }).id))
        .$if(which !== 'all' && 'except' in which, (query) =>
          query.where('id', '<>', (which as { except: string }).except),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },

    async endOfProvider(issuer, which) {
      const condition =
        'sid' in which
          ? sql<boolean>`sid = ${which.sid}`
          : sql<boolean>`person_id = (
              select person_id from identities where issuer = ${issuer} and subject = ${which.subject})`;
      // A session that is being replaced at this moment is found once its person is free.
      await sql`select from people where id in (select person_id from sessions where issuer = ${issuer} and ${condition})
        order by id for no key update`.execute(db);
      const { numDeletedRows } = await db
        .deleteFrom('sessions')
        .where('issuer', '=', issuer)
        .where(condition)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },

    purge: (count) => purgeExpired(db, 'sessions', 'digest', count),
  };
}
