import { type RawBuilder, sql } from 'kysely';
import type { MailedFile } from '../../domain/files/file-store.ts';
import type { WantedFile } from '../../domain/files/wanted-files.ts';
import type { ReceiversLink } from '../../domain/links/link-store.ts';
import { isNewsMessage } from '../../domain/outbox/news.ts';
import { isNotice } from '../../domain/outbox/obsolete-message.ts';
import type { OutboxLine, OutboxStore, SettledMessage, WaitingMessage } from '../../domain/outbox/outbox-store.ts';
import { sendMessageJob } from '../../domain/outbox/send-message.ts';
import { shownName } from './accounts/account-columns.ts';
import { bindStatements, type Database } from './database.ts';
import { jobAttempts, jobPayload, type Schedule, type Traceparent } from './jobs/job-payload.ts';
import { findToldPerson, writeNews } from './news.ts';
import { purgeUnheld } from './purge.ts';
import { secondsFromNow } from './time.ts';

const settledColumns = sql`kind, channel, receiver as "to", drop_id as "dropId", position`;

export function outboxStore(db: Database, traceparent: Traceparent): OutboxStore {
  const { readRow, run } = bindStatements(db);
  const alarm = (...schedule: Schedule) => alarmJob(traceparent(), ...schedule);
  const message = (accountId: string, id: string) =>
    db.updateTable('messages').where('account_id', '=', accountId).where('id', '=', id).where('state', '=', 'waiting');

  /** Sets when the message of this attempt is tried next. Has no effect for an attempt whose lease has run out. */
  const tryLater = async (
    accountId: string,
    { id, attempts }: Pick<WaitingMessage, 'id' | 'attempts'>,
    outcome: string,
    pauseSeconds: number,
    countedAttempts: number,
  ) => {
    await sql`
      with postponed as (
        update messages
        set outcome = ${outcome}, due_at = ${secondsFromNow(pauseSeconds)}, attempts = ${countedAttempts}
        where account_id = ${accountId} and id = ${id} and state = 'waiting' and attempts = ${attempts}
        returning account_id, id, kind, due_at
      )
      select ${alarm(sql`due_at`)} from postponed
    `.execute(db);
  };

  /**
   * Makes messages due whose rows this transaction has locked. A separate statement: a message that was taken before
   * its row was locked has a job at work that only a new snapshot is sure to show.
   */
  const hastenLocked = async (ids: readonly string[]) => {
    const { rows } = await sql<{ accountId: string; count: number }>`
      with hastened as (
        update messages set attempts = 0, due_at = now()
        where id = any(${ids}::uuid[]) and (
          select job.locked_at from graphile_worker._private_jobs as job where job.key = 'message:' || messages.id::text
        ) is null
        returning account_id, id, kind
      ), alarms as (
        select account_id, ${alarm()} as job from hastened
      )
      select account_id as "accountId", count(job) as count from alarms group by account_id
    `.execute(db);
    return rows;
  };

  return {
    settle: (accountId, id, state, outcome) => readRow<SettledMessage & { notified: ReceiversLink | null }>`
        with settled as (
          update messages set state = ${state}, outcome = ${outcome}, settled_at = now()
          where account_id = ${accountId} and id = ${id} and state = 'waiting'
          returning account_id, drop_id, position, kind, channel, receiver, state
        ), notified as (
          update links set notified_at = now() from settled
          where settled.state = 'sent' and settled.kind = 'invitation' and links.account_id = settled.account_id
            and links.drop_id = settled.drop_id and links.position = settled.position and links.notified_at is null
          returning links.account_id, links.drop_id, links.position, links.email
        )
        select ${settledColumns}, (
          select json_build_object('dropId', drops.id, 'type', drops.type, 'isUnsolicited', drops.unsolicited,
            'position', notified.position, 'receiver', notified.email)
          from notified join drops on drops.account_id = notified.account_id and drops.id = notified.drop_id
        ) as notified
        from settled
      `,

    async findAccountId(id) {
      const row = await db.selectFrom('messages').select('account_id').where('id', '=', id).executeTakeFirst();
      return row?.account_id;
    },

    abandon: (accountId, id, outcome) => readRow<SettledMessage>`
        update messages set state = 'abandoned', outcome = ${outcome}, settled_at = now()
        where account_id = ${accountId} and id = ${id} and (state = 'sent' or (state = 'waiting' and attempts > 0))
        returning ${settledColumns}
      `,

    recordAccepted: (accountId, id) => readRow<SettledMessage>`
        update messages set accepted_at = now()
        where account_id = ${accountId} and id = ${id} and state = 'sent' and accepted_at is null
        returning ${settledColumns}
      `,

    writeToReceivers: (accountId, dropId, kind, messages) => run`
        with enqueued as (
          insert into messages (account_id, drop_id, id, position, kind, channel, receiver)
          select ${accountId}, ${dropId}, message.id, message.position, ${kind}::message_kind, 'mail', links.email
          from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as message (id uuid, position integer)
          join links on links.account_id = ${accountId} and links.drop_id = ${dropId}
            and links.position = message.position
          returning account_id, id, kind
        )
        select count(*) from ${alarmJobs(traceparent(), sql`enqueued`)} as job
      `,

    enqueue: (accountId, { id, kind, channel, dropId, position, receiver }) => run`
        with enqueued as (
          insert into messages (account_id, drop_id, id, position, kind, channel, receiver)
          values (${accountId}, ${dropId}, ${id}, ${position}, ${kind}, ${channel}, ${receiver})
          returning account_id, id, kind
        )
        select ${alarm()} from enqueued
      `,

    tell: (accountId, news) => writeNews(db, alarm, { accountId, ...news }, [accountId]),

    tellReceivers: (accountId, dropId, receiverAccountIds) =>
      writeNews(db, alarm, { accountId, dropId, position: null, kind: 'received' }, receiverAccountIds),

    async remind(count) {
      const { rows } = await sql<{ reminded: number }>`
        with due as (
          select account_id, id from drops
          where remind_at <= now() and (restorable_until is null or restorable_until <= now())
          order by remind_at limit ${sql.lit(count)} for update skip locked
        ), reminded as (
          update drops set remind_at = null from due
          where drops.account_id = due.account_id and drops.id = due.id
          returning drops.account_id, drops.id, drops.ended_at is null and drops.expires_at > now() as live
        ), enqueued as (
          insert into messages (account_id, drop_id, id, position, kind, channel, receiver)
          select links.account_id, links.drop_id, gen_random_uuid(), links.position, 'reminder', 'mail', links.email
          from reminded
          join accounts on accounts.id = reminded.account_id and accounts.reminders
          join links on links.account_id = reminded.account_id and links.drop_id = reminded.id
          where reminded.live and links.completed_at is null and links.undeliverable_at is null
            and links.revoked_at is null and links.kind = 'receiver'
          returning account_id, id, kind
        ), alarms as (
          select ${alarm()} from enqueued
        )
        select count(*) as reminded, (select count(*) from alarms) as alarms from reminded
      `.execute(db);
      return rows[0]?.reminded ?? 0;
    },

    async acquire(accountId, id, leaseSeconds) {
      const taken = await message(accountId, id)
        .where('due_at', '<=', sql<Date>`now()`)
        .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), due_at: secondsFromNow(leaseSeconds) }))
        .returning(['drop_id', 'position', 'kind', 'channel', 'receiver', 'attempts', 'more'])
        .returning(['told_person_id as toldPersonId', 'told_account_id as toldAccountId'])
        .returning(sql<number>`extract(epoch from now() - created_at)::float8`.as('ageSeconds'))
        .executeTakeFirst();
      if (!taken) return undefined;
      const { kind, channel, attempts, ageSeconds, more, toldPersonId, toldAccountId } = taken;
      const told =
        toldPersonId !== null && isNewsMessage(kind)
          ? await findToldPerson(db, { personId: toldPersonId, accountId: toldAccountId, kind })
          : undefined;
      const row = await db
        .selectFrom('drops')
        .innerJoin('accounts', 'accounts.id', 'drops.account_id')
        // The person a message is about: the link's receiver, or the contact who sent a set of files through a request's
        // link.
        .innerJoin('links', (join) =>
          join
            .onRef('links.account_id', '=', 'drops.account_id')
            .on('links.drop_id', '=', sql<string>`coalesce(drops.request_id, drops.id)`)
            .on('links.position', '=', sql<number>`coalesce(drops.request_position, ${taken.position}::integer)`),
        )
        .leftJoin('stopped_mail as stop', (join) =>
          join.onRef('stop.account_id', '=', 'links.account_id').onRef('stop.email', '=', 'links.email'),
        )
        .select([
          'drops.id as dropId',
          'drops.request_id as requestId',
          'drops.type as dropType',
          'drops.message',
          'drops.title',
          'drops.created_at as createdAt',
          'drops.expires_at as expiresAt',
          'drops.link_key as linkKey',
          'drops.key_day as keyDay',
          'drops.file_count as fileCount',
          'drops.reusable',
          sql<WantedFile[]>`coalesce(drops.wanted, '[]')`.as('wanted'),
          'drops.unsolicited as isUnsolicited',
          'accounts.email as account',
          shownName.as('accountName'),
          sql<boolean>`accounts.test_of is not null`.as('isTest'),
          sql<boolean>`exists (select from memberships where memberships.account_id = accounts.id)`.as('hasMembers'),
          sql<string | null>`case when drops.type = 'receivedfiles' then (
            select id from inbox_entries where sender_account_id = drops.account_id and drop_id = drops.id
          ) end`.as('inboxId'),
          'accounts.language as accountLanguage',
          'links.language as personLanguage',
          'links.position',
          'links.email',
          'links.opened_at as openedAt',
          'links.completed_at as completedAt',
          'links.undeliverable_reason as undeliverable',
          'links.shown_to as shownTo',
          sql<boolean>`drops.revoked_at is not null or links.revoked_at is not null`.as('isRevoked'),
          sql<boolean>`stop.email is not null`.as('stopped'),
          sql<boolean>`drops.ended_at is null and drops.expires_at > now() and links.revoked_at is null`.as('dropLive'),
        ])
        .where('drops.account_id', '=', accountId)
        .where('drops.id', '=', taken.drop_id)
        .executeTakeFirstOrThrow();
      const { accountLanguage, personLanguage, position, email, undeliverable, stopped, shownTo, ...others } = row;
      const { openedAt, completedAt, isRevoked, linkKey, keyDay, ...about } = others;
      const files = await db
        .selectFrom('files')
        .select(['name', 'size_bytes as sizeBytes', 'scan', 'unscanned_reason as unscannedReason'])
        .select(sql<string>`coalesce(path, name)`.as('path'))
        .select(sql<number>`(sum(size_bytes) over ())::bigint`.as('totalBytes'))
        .select(sql<number>`count(*) filter (where scan = 'unscanned') over ()`.as('unscannedCount'))
        .where('account_id', '=', accountId)
        .where('drop_id', '=', about.dropId)
        .$narrowType<Pick<MailedFile, 'sizeBytes' | 'scan' | 'unscannedReason'>>()
        .execute();
      return {
        id,
        kind,
        channel,
        to: taken.receiver,
        attempts,
        ageSeconds,
        language: told?.language ?? (isNotice(kind) ? accountLanguage : personLanguage),
        told,
        isUnwanted: toldPersonId !== null && told === undefined,
        more,
        person: { position, email, openedAt, completedAt, isRevoked, undeliverable, stopped, shownTo },
        ...about,
        linkKey: linkKey && keyDay !== null ? { wrapped: linkKey, day: keyDay } : null,
        files,
        totalBytes: files[0]?.totalBytes ?? 0,
        unscannedCount: files[0]?.unscannedCount ?? 0,
      };
    },

    async renewLease(accountId, { id, attempts }, leaseSeconds) {
      await message(accountId, id)
        .where('attempts', '=', attempts)
        .set({ due_at: secondsFromNow(leaseSeconds) })
        .execute();
    },

    retry: (accountId, attempt, outcome, pauseSeconds) =>
      tryLater(accountId, attempt, outcome, pauseSeconds, attempt.attempts),

    postpone: (accountId, attempt, outcome, pauseSeconds) =>
      tryLater(accountId, attempt, outcome, pauseSeconds, attempt.attempts - 1),

    async countCodes(receiver, accountId, withinSeconds) {
      // Codes are the only messages that are counted before they are written: two at once must not both be the last one
      // allowed.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`waybill codes to ${receiver}`}, 0))`.execute(db);
      const { rows } = await sql<{ all: number; own: number }>`
        select count(*) as "all", count(*) filter (where account_id = ${accountId}) as own from messages
        where kind = 'code' and receiver = ${receiver}
          and created_at > now() - make_interval(secs => ${withinSeconds})
          and exists (
            select from accounts as sender join accounts as asker on asker.id = ${accountId}
            where sender.id = messages.account_id and (sender.test_of is null) = (asker.test_of is null))
      `.execute(db);
      return rows[0] ?? { all: 0, own: 0 };
    },

    async wakeOverdue(overdueSeconds, count) {
      const { rows } = await sql`
        with overdue as (
          select account_id, id, kind from messages
          where state = 'waiting' and due_at < now() - make_interval(secs => ${overdueSeconds})
          order by due_at limit ${sql.lit(count)}
        )
        select ${alarm(sql`now()`, 'preserve_run_at')} from overdue
      `.execute(db);
      return rows.length;
    },

    async page(state, after, count, { accountId, dropId, receiver } = {}) {
      const at = sql.ref(state === 'waiting' ? 'messages.due_at' : 'messages.settled_at');
      const { rows } = await sql<OutboxLine>`
        select messages.id, accounts.email as account, kind, channel, receiver, attempts, outcome, ${at}::text as at
        from messages join accounts on accounts.id = messages.account_id
        where state = ${sql.lit(state)} and ${accountId ? sql`messages.account_id = ${accountId}` : sql`true`}
          and ${dropId ? sql`messages.drop_id = ${dropId}` : sql`true`}
          and ${receiver ? sql`lower(receiver) = lower(${receiver})` : sql`true`} and ${after ? sql`(${at}, messages.id) > (${after.at}::timestamptz, ${after.id}::uuid)` : sql`true`}
        order by ${at}, messages.id limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },

    purge: (olderThanSeconds, count, after) =>
      purgeUnheld(
        db,
        {
          table: 'messages',
          key: ['account_id', 'id'],
          at: 'settled_at',
          tie: ['id', 'uuid'],
          where: sql`state <> 'waiting'`,
        },
        olderThanSeconds,
        count,
        after,
      ),

    async revive(accountId, id) {
      const { rows } = await sql`
        with revived as (
          update messages set state = 'waiting', settled_at = null, attempts = 0, due_at = now()
          where account_id = ${accountId} and id = ${id} and state = 'abandoned'
          returning account_id, drop_id, position, id, kind
        ), ${reachableAgain}
        select ${alarm()} from revived
      `.execute(db);
      return rows.length === 1;
    },

    reviveOfDrop: (accountId, dropId, outcome) => run`
        with revived as (
          update messages set state = 'waiting', settled_at = null, attempts = 0, due_at = now()
          where account_id = ${accountId} and drop_id = ${dropId} and state = 'abandoned'
            and kind in ('invitation', 'reminder') and outcome = ${outcome}
          returning account_id, id, kind
        )
        select count(*) from ${alarmJobs(traceparent(), sql`revived`)} as job
      `,

    async reviveAll({ since, reason, until }, count) {
      const { rows: clock } = await sql<{ until: string }>`
        select coalesce(${until ?? null}::timestamptz, now())::text as until
      `.execute(db);
      const end = clock[0]?.until as string;
      const { rows } = await sql<{ accountId: string; count: number }>`
        with abandoned as (
          select account_id, id from messages
          where state = 'abandoned' and settled_at <= ${end}::timestamptz
            and settled_at >= coalesce(${since ?? null}::timestamptz, '-infinity')
            and position(lower(${reason ?? ''}) in lower(coalesce(outcome, ''))) > 0
          order by settled_at limit ${sql.lit(count)} for update skip locked
        ), revived as (
          update messages set state = 'waiting', settled_at = null, attempts = 0, due_at = now()
          from abandoned where messages.account_id = abandoned.account_id and messages.id = abandoned.id
          returning messages.account_id, messages.drop_id, messages.position, messages.id, messages.kind
        ), ${reachableAgain}, alarms as (
          select account_id, ${alarm()} as job from revived
        )
        select account_id as "accountId", count(job) as count from alarms group by account_id
      `.execute(db);
      return { revived: rows, until: end };
    },

    async hastenAll({ reason, before }, count) {
      const { rows: found } = await sql<Pick<OutboxLine, 'at' | 'id'>>`
        select due_at::text as at, id from messages
        where state = 'waiting' and due_at > now()
          and ${before ? sql`(due_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)` : sql`true`}
          and position(lower(${reason ?? ''}) in lower(coalesce(outcome, ''))) > 0
        order by due_at desc, id desc limit ${sql.lit(count)} for update skip locked
      `.execute(db);
      const hastened = await hastenLocked(found.map(({ id }) => id));
      return { hastened, next: found.at(-1) };
    },

    async hasten(accountId, id) {
      const { rows: found } = await sql`
        select 1 from messages
        where account_id = ${accountId} and id = ${id} and state = 'waiting' and due_at > now() for update
      `.execute(db);
      return found.length === 1 && (await hastenLocked([id])).length === 1;
    },
  };
}

/** A receiver who is sent a message again counts as reachable until that fails too. */
const reachableAgain = sql`reachable as (
  update links set undeliverable_at = null, undeliverable_reason = null from revived
  where revived.kind in ('invitation', 'reminder') and links.account_id = revived.account_id
    and links.drop_id = revived.drop_id and links.position = revived.position
)`;

/**
 * The job that sends a row. One per message: setting it again replaces it, unless its process is working on it or dead.
 * A person waits for a code, so it goes before everything else.
 */
function alarmJob(
  traceparent: string | undefined,
  ...[at = sql`now()`, keyMode = 'replace']: Schedule
): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(
    ${sendMessageJob},
    ${jobPayload(sql`'accountId', account_id, 'messageId', id`, traceparent)},
    run_at := ${at}, max_attempts := ${jobAttempts}, job_key := 'message:' || id::text, job_key_mode := ${keyMode},
    priority := case kind when 'code' then -10 else 0 end)`;
}

/** As `alarmJob` at once, for all rows of a table: a call for each of a thousand messages takes a second. */
function alarmJobs(traceparent: string | undefined, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`graphile_worker.add_jobs((
    select array_agg(row(${sendMessageJob}::text, ${jobPayload(sql`'accountId', account_id, 'messageId', id`, traceparent)},
      null, now(), ${jobAttempts}, 'message:' || id::text, 0, null)::graphile_worker.job_spec)
    from ${rows}))`;
}
