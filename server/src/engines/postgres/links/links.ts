import type { DropType } from '@waybill/protocol';
import { sql } from 'kysely';
import type { WantedFile } from '../../../domain/files/wanted-files.ts';
import type { Question } from '../../../domain/links/ask-sender.ts';
import type {
  Completed,
  Delivery,
  DropEnding,
  Link,
  LinkStore,
  ReceiversLink,
} from '../../../domain/links/link-store.ts';
import { maxWrongCodes } from '../../../domain/links/which-receiver.ts';
import type { Channel } from '../../../domain/policy.ts';
import { isLimitedToDomains, secondFactorRule, sharedLinksRule, shownName } from '../accounts/account-columns.ts';
import { bindStatements, type Database } from '../database.ts';
import { evidenceFile, type ReadyFile, sealedFileColumns } from '../files/sealed-file.ts';
import { purgeUnheld } from '../purge.ts';
import { secondsFromNow } from '../time.ts';
import { keepLongestRanges } from './sent-ranges.ts';

const askedColumns: Readonly<Record<Question, string>> = {
  more_time: 'more_time_asked_at',
  send_again: 'send_again_asked_at',
};

/** For a query's `drops`, `links` and `accounts`. A disabled account takes no files; what it sent stays available. */
const revoked = sql<boolean>`drops.revoked_at is not null or links.revoked_at is not null
  or (drops.type = 'uploadfiles' and accounts.disabled_at is not null)`;

/** When a link was revoked: it, its drop, or a request by disabling its account, whichever came first. */
const revokedAt = sql<Date | null>`least(drops.revoked_at, links.revoked_at,
  case when drops.type = 'uploadfiles' then accounts.disabled_at end)`;

/** A contact's link is complete when files were sent through it; a shared link when it was downloaded often enough. */
const usedUp = sql<boolean>`(not drops.reusable and links.completed_at is not null
  or coalesce(links.downloads >= links.max_downloads, false) or links.wrong_codes >= ${sql.lit(maxWrongCodes)})`;

/** A shared link may have an end of its own. */
const linkEnd = sql<Date>`least(drops.expires_at, links.expires_at)`;

export function linkStore(db: Database): LinkStore {
  const { readRow, readRows, run } = bindStatements(db);
  const links = () =>
    db
      .selectFrom('links')
      .innerJoin('drops', (join) =>
        join.onRef('drops.account_id', '=', 'links.account_id').onRef('drops.id', '=', 'links.drop_id'),
      )
      .innerJoin('accounts', 'accounts.id', 'links.account_id')
      .select([
        'links.account_id as accountId',
        'links.drop_id as dropId',
        'links.position',
        'drops.type',
        'accounts.email as sender',
        shownName.as('senderName'),
        sql<boolean>`accounts.test_of is not null`.as('isTest'),
        'links.email as receiver',
        'links.phone',
        'links.language',
        'drops.message',
        'drops.title',
        'drops.file_count as fileCount',
        'drops.lifetime',
        'drops.created_at as createdAt',
        linkEnd.as('expiresAt'),
        'drops.second_factor as secondFactor',
        sql<boolean>`drops.passphrase is not null`.as('hasPassphrase'),
        secondFactorRule.as('secondFactorRule'),
        'links.kind',
        sharedLinksRule.as('sharedLinksRule'),
        isLimitedToDomains.as('isLimitedToDomains'),
        'links.max_downloads as maxDownloads',
        sql<Buffer | null>`null::bytea`.as('session'),
        sql<boolean>`drops.ended_at is not null or ${linkEnd} <= now() or links.revoked_at is not null`.as('ended'),
        revoked.as('revoked'),
        revokedAt.as('revokedAt'),
        sql<boolean>`accounts.disabled_at is not null`.as('isSenderDisabled'),
        sql<boolean>`now() > ${linkEnd} - (${linkEnd} - coalesce(links.created_at, drops.created_at)) / 4`.as(
          'endsSoon',
        ),
        sql<Question[]>`array_remove(array[
          case when links.more_time_asked_at is not null then 'more_time' end,
          case when links.send_again_asked_at is not null then 'send_again' end], null)`.as('asked'),
        'drops.reusable',
        sql<WantedFile[]>`coalesce(drops.wanted, '[]')`.as('wanted'),
        'drops.unsolicited as isUnsolicited',
        'links.completed_at as completedAt',
        usedUp.as('usedUp'),
      ])
      // A link has one of the types that the API knows; a set that a contact sent has no links.
      .$narrowType<{ type: DropType }>();

  return {
    byToken: (digest) => links().where('links.token_digest', '=', digest).executeTakeFirst(),

    ofPosition: (accountId, dropId, position) =>
      links()
        .where('links.account_id', '=', accountId)
        .where('links.drop_id', '=', dropId)
        .where('links.position', '=', position)
        .executeTakeFirst(),

    ofReceiver: (accountId, dropId, email) =>
      links()
        .where('links.account_id', '=', accountId)
        .where('links.drop_id', '=', dropId)
        .where('links.email', '=', email)
        .executeTakeFirst(),

    async bySession(digest) {
      const row = await links()
        .innerJoin('link_sessions as session', (join) =>
          join
            .onRef('session.account_id', '=', 'links.account_id')
            .onRef('session.drop_id', '=', 'links.drop_id')
            .onRef('session.position', '=', 'links.position'),
        )
        .select([
          'session.code_id as codeId',
          'session.code_tries as tries',
          sql<boolean>`session.counted_at is not null`.as('isCounted'),
          'session.code_expires_at as codeExpiresAt',
          sql<boolean>`session.code_expires_at <= now()`.as('expired'),
          sql<boolean>`session.passphrase_at is not null`.as('hasEnteredPassphrase'),
          sql<Channel | null>`case when session.passed_at is not null then coalesce(session.passed_channel, 'mail') end`.as(
            'passed',
          ),
        ])
        .where('session.digest', '=', digest)
        .where(sql<boolean>`coalesce(session.expires_at > now(), true)`)
        .executeTakeFirst();
      if (!row) return undefined;
      const { codeId, tries, expired, codeExpiresAt, passed, isCounted, hasEnteredPassphrase, ...found } = row;
      const session = found.kind === 'receiver' ? null : digest;
      const link = { ...found, session, usedUp: found.usedUp && !isCounted };
      const code = codeId && codeExpiresAt ? { tries, expired, expiresAt: codeExpiresAt } : undefined;
      return { link, digest, passed, code, hasEnteredPassphrase };
    },

    async open(link, digest, { keepSeconds, programSeconds, maxSessions }) {
      // Locks the link, so that when several browsers open it at once, each sees the sessions of those before it.
      const { numAffectedRows } = await sql`
        update links set opened_at = now(), visits = visits + 1
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
          and opened_at is null
      `.execute(db);
      const isFirst = numAffectedRows === 1n;
      if (!isFirst && link.kind === 'receiver') await lockLink(db, link);
      if (!isFirst && link.kind !== 'receiver') await countVisit(db, link);
      // Uses the time of the statement: a transaction that waited for the lock began before sessions that are older
      // than its own.
      const { rows } = await sql<{ expiresAt: Date | null; hasClosed: boolean }>`
        with surplus as (
          delete from link_sessions where digest in (
            select digest from link_sessions
            where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
            order by passed_at is not null or counted_at is not null desc, passphrase_at is not null desc, created_at desc
            offset ${maxSessions - 1})
          returning 1
        ), opened as (
          insert into link_sessions (digest, account_id, drop_id, position, created_at, expires_at, purge_at)
          values (${digest}, ${link.accountId}, ${link.dropId}, ${link.position}, clock_timestamp(),
            now() + make_interval(secs => ${programSeconds}::float8),
            coalesce(now() + make_interval(secs => ${programSeconds}::float8),
              ${link.expiresAt}::timestamptz + make_interval(secs => ${keepSeconds})))
          returning expires_at
        )
        select expires_at as "expiresAt", exists (select from surplus) as "hasClosed" from opened
      `.execute(db);
      const [{ expiresAt, hasClosed } = { expiresAt: null, hasClosed: false }] = rows;
      return { isFirst, hasClosed, expiresAt };
    },

    async close(digest) {
      await db.deleteFrom('link_sessions').where('digest', '=', digest).execute();
    },

    key: (link) =>
      db
        .selectFrom('drops')
        .select(['link_key as wrapped', 'key_day as day'])
        .where('account_id', '=', link.accountId)
        .where('id', '=', link.dropId)
        .where('link_key', 'is not', null)
        .where('ended_at', 'is', null)
        .$narrowType<{ wrapped: Buffer; day: number }>()
        .executeTakeFirst(),

    lock: (link) => lockLink(db, link),

    async holdLive(link) {
      const { rows } = await sql<{ ended: boolean; revoked: boolean; usedUp: boolean }>`
        select ended_at is not null or ${linkEnd} <= now() or links.revoked_at is not null as ended,
          ${revoked} as revoked, ${usedUp} as "usedUp"
        from drops join accounts on accounts.id = drops.account_id join links on links.account_id = drops.account_id and links.drop_id = drops.id
          and links.position = ${link.position}
        where drops.account_id = ${link.accountId} and drops.id = ${link.dropId}
        for share of drops, links
      `.execute(db);
      return rows[0] ?? { ended: true, revoked: false, usedUp: false };
    },

    awaitOtherContacts: ({ accountId, dropId, position }) => run`
        select ${completionLock} from drops
        join links on links.account_id = drops.account_id and links.drop_id = drops.id and links.position = ${position}
        where drops.account_id = ${accountId} and drops.id = ${dropId} and receiver_count > 1
          and links.completed_at is null
      `,

    async fulfil(link) {
      const { numAffectedRows } = await sql`
        update links set completed_at = now()
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
          and completed_at is null
      `.execute(db);
      return numAffectedRows === 1n && hasEveryone(db, link);
    },

    endings: (drops) => readRows<DropEnding>`
        select drops.account_id as "accountId", drops.id as "dropId", nullif(asked.position, -1) as position,
          ended_at is not null or ${linkEnd} <= now() or ${revoked} as ended, ${revoked} as revoked,
          case when links.kind <> 'receiver' then json_build_object('kind', links.kind, 'sharedLinksRule', ${sharedLinksRule},
            'isLimitedToDomains', ${isLimitedToDomains}, 'secondFactor', drops.second_factor,
            'secondFactorRule', ${secondFactorRule}) end as rules
        from unnest(${drops.map(({ accountId }) => accountId)}::uuid[], ${drops.map(({ dropId }) => dropId)}::uuid[],
          ${drops.map(({ position }) => position ?? -1)}::integer[]) as asked (account_id, id, position)
        join drops on drops.account_id = asked.account_id and drops.id = asked.id
        join accounts on accounts.id = drops.account_id
        left join links on links.account_id = asked.account_id and links.drop_id = asked.id
          and links.position = asked.position
        where ended_at is not null or ${linkEnd} <= now() or ${revoked} or links.kind <> 'receiver'
      `,

    async ask({ accountId, dropId, position }, question) {
      const asked = sql.ref(askedColumns[question]);
      const { rows } = await sql`
        update links set ${asked} = now()
        where account_id = ${accountId} and drop_id = ${dropId} and position = ${position} and ${asked} is null
        returning position
      `.execute(db);
      return rows.length === 1;
    },

    codesSent: (link, withinSeconds) =>
      db
        .selectFrom('messages')
        .select(({ fn }) => fn.countAll<number>().as('ever'))
        .select(
          sql<number>`count(*) filter (where created_at > now() - make_interval(secs => ${withinSeconds}))`.as(
            'recently',
          ),
        )
        .where('account_id', '=', link.accountId)
        .where('drop_id', '=', link.dropId)
        .where('position', '=', link.position)
        .where('kind', '=', 'code')
        .executeTakeFirstOrThrow(),

    async setCode(digest, codeId, lifetimeSeconds) {
      await db
        .updateTable('link_sessions')
        .set({
          code_id: codeId,
          code_expires_at: secondsFromNow(lifetimeSeconds),
          code_tries: 0,
        })
        .where('digest', '=', digest)
        .execute();
    },

    async tryCode(digest, maxTries) {
      const tried = await db
        .updateTable('link_sessions')
        .set(({ eb }) => ({ code_tries: eb('code_tries', '+', 1) }))
        .where('digest', '=', digest)
        .where('code_id', 'is not', null)
        .where('code_expires_at', '>', sql<Date>`now()`)
        .where('code_tries', '<', maxTries)
        .returning('code_id as codeId')
        .executeTakeFirst();
      return tried?.codeId ?? undefined;
    },

    async pass({ link, digest }, codeId) {
      const { rows } = await sql<{ channel: Channel }>`
        with passed as (
          update link_sessions set passed_at = now(), code_id = null, passed_channel = (
            select channel from messages where account_id = ${link.accountId} and id = ${codeId})
          where digest = ${digest} and code_id = ${codeId}
          returning coalesce(passed_channel, 'mail') as channel
        )
        update links set passed_at = coalesce(passed_at, now()) from passed
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
        returning passed.channel
      `.execute(db);
      return rows[0]?.channel;
    },

    readPassphrase: async ({ accountId, dropId }) => {
      const row = await db
        .selectFrom('drops')
        .select('passphrase')
        .where('account_id', '=', accountId)
        .where('id', '=', dropId)
        .executeTakeFirst();
      return row?.passphrase ?? undefined;
    },

    async passPassphrase(digest) {
      const { numUpdatedRows } = await db
        .updateTable('link_sessions')
        .set({ passphrase_at: sql`now()` })
        .where('digest', '=', digest)
        .where('passphrase_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    markUndeliverable: ({ accountId, dropId, position }, reason) => readRow<ReceiversLink>`
        update links set undeliverable_at = now(), undeliverable_reason = ${reason}
        from drops
        where links.account_id = ${accountId} and links.drop_id = ${dropId} and links.position = ${position}
          and undeliverable_at is null and completed_at is null
          and drops.account_id = links.account_id and drops.id = links.drop_id
        returning drops.id as "dropId", drops.type, links.position, links.email as receiver, drops.unsolicited as "isUnsolicited"
      `,

    async markReachable({ accountId, dropId, position }, reason) {
      await db
        .updateTable('links')
        .set({ undeliverable_at: null, undeliverable_reason: null })
        .where('account_id', '=', accountId)
        .where('drop_id', '=', dropId)
        .where('position', '=', position)
        .where('undeliverable_reason', '=', reason)
        .execute();
    },

    purgeSessions: (count, after) =>
      purgeUnheld(
        db,
        { table: 'link_sessions', key: ['digest'], at: 'purge_at', tie: ['digest', 'bytea'] },
        0,
        count,
        after,
      ),

    files: (link, fileId) =>
      db
        .selectFrom('files')
        .leftJoin('deliveries as delivery', (join) =>
          join
            .onRef('delivery.account_id', '=', 'files.account_id')
            .onRef('delivery.drop_id', '=', 'files.drop_id')
            .onRef('delivery.file_id', '=', 'files.id')
            .on('delivery.position', '=', link.position),
        )
        .select(sealedFileColumns)
        .select(
          (link.session === null
            ? sql<boolean>`delivery.completed_at is not null`
            : sql<boolean>`exists (select from visit_deliveries as visit
                where visit.session = ${link.session} and visit.file_id = files.id and visit.completed_at is not null)`
          ).as('complete'),
        )
        .where('files.account_id', '=', link.accountId)
        .where('files.drop_id', '=', link.dropId)
        .where('files.state', '=', 'ready')
        .$if(fileId !== undefined, (query) => query.where('files.id', '=', fileId as string))
        .orderBy('files.created_at')
        .orderBy('files.id')
        .$narrowType<ReadyFile>()
        .execute(),

    deliver: (link, deliveries) =>
      db.isTransaction
        ? deliver(db, link, deliveries)
        : db.transaction().execute((tx) => deliver(tx, link, deliveries)),
  };
}

async function deliver(db: Database, link: Link, deliveries: readonly Delivery[]): Promise<Completed> {
  const fileIds = deliveries.map(({ file }) => file.id);
  await awaitOtherReceivers(db, link, fileIds);
  // Deliveries of a link are recorded one at a time: of two that arrived together, each would miss the other's mark.
  await lockLink(db, link);
  const { rows } = await sql<Omit<Completed, 'drop'>>`
    with merged as (
      select sent.file_id, sent.size_bytes, earlier.completed_at,
        coalesce(earlier.delivered, '{}') + int8multirange(int8range(sent.first, sent.beyond)) as delivered
      from unnest(${fileIds}::uuid[], ${deliveries.map(({ file }) => file.sizeBytes)}::int8[],
          ${deliveries.map(({ sent }) => sent.start)}::int8[], ${deliveries.map(({ sent }) => sent.end)}::int8[])
        as sent (file_id, size_bytes, first, beyond)
      left join deliveries as earlier on earlier.account_id = ${link.accountId} and earlier.drop_id = ${link.dropId}
        and earlier.position = ${link.position} and earlier.file_id = sent.file_id
    ), recorded as (
      insert into deliveries (account_id, drop_id, position, file_id, delivered, completed_at)
      select ${link.accountId}, ${link.dropId}, ${link.position}, file_id,
        ${keepLongestRanges(sql`delivered`)},
        coalesce(completed_at, case when delivered @> int8range(0, size_bytes) then now() end)
      from merged
      on conflict (account_id, drop_id, position, file_id) do update set
        delivered = excluded.delivered, completed_at = excluded.completed_at
      returning file_id, completed_at
    ), completed as (
      update links set completed_at = now()
      from drops
      where links.account_id = ${link.accountId} and links.drop_id = ${link.dropId}
        and links.position = ${link.position} and links.completed_at is null
        and drops.account_id = links.account_id and drops.id = links.drop_id
        and drops.file_count = (select count(completed_at) from recorded) + (
          select count(completed_at) from deliveries as other
          where other.account_id = links.account_id and other.drop_id = links.drop_id
            and other.position = links.position and other.file_id <> all(${fileIds}::uuid[]))
      returning 1
    )
    select exists (select 1 from completed) as link, (
      select coalesce(json_agg(json_build_object('id', files.id, 'name', files.name, 'evidence', ${evidenceFile}) order by files.created_at, files.id), '[]')
      from recorded join merged on merged.file_id = recorded.file_id
      join files on files.account_id = ${link.accountId} and files.id = recorded.file_id
      where recorded.completed_at is not null and merged.completed_at is null
    ) as files
  `.execute(db);
  const { files, link: isLinkComplete } = rows[0] as Omit<Completed, 'drop'>;
  return { files, link: isLinkComplete, drop: isLinkComplete && (await hasEveryone(db, link)) };
}

/** Until the transaction ends. */
const completionLock = sql`pg_advisory_xact_lock(hashtextextended('completion of ' || drops.id, 0))`;

/**
 * Of two receivers who get their last files at the same moment, one must see that the other has everything. The lock is
 * taken before the transaction gets its id, so that the one that completes the drop also comes later in the order of
 * events. Only who may get the last of several receivers' files waits.
 */
async function awaitOtherReceivers(db: Database, link: Link, fileIds: readonly string[]): Promise<void> {
  await sql`
    select ${completionLock} from drops
    where drops.account_id = ${link.accountId} and drops.id = ${link.dropId} and receiver_count > 1 and not exists (
      select from files
      left join deliveries on deliveries.account_id = files.account_id and deliveries.drop_id = files.drop_id
        and deliveries.file_id = files.id and deliveries.position = ${link.position}
      where files.account_id = drops.account_id and files.drop_id = drops.id and files.id <> all(${fileIds}::uuid[])
        and deliveries.completed_at is null)
  `.execute(db);
}

/** Whether every receiver has every file, or every contact has sent files. */
async function hasEveryone(db: Database, link: Link): Promise<boolean> {
  const { rows } = await sql`
    select from links
    where account_id = ${link.accountId} and drop_id = ${link.dropId} and completed_at is null and revoked_at is null
      and kind = 'receiver'
    limit 1
  `.execute(db);
  return rows.length === 0;
}

/** Locks the link as well. */
async function countVisit(db: Database, link: Link): Promise<void> {
  await sql`
    update links set visits = visits + 1
    where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
  `.execute(db);
}

/** Holds the lock until the transaction ends. */
async function lockLink(db: Database, link: Link): Promise<void> {
  await sql`
    select from links
    where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
    for no key update
  `.execute(db);
}
