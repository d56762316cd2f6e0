import { type RawBuilder, sql } from 'kysely';
import type {
  InboxFilter,
  InboxStore,
  LeasedEntry,
  ListedEntry,
  ParkedEntry,
  QueuedEntry,
  QueueFilter,
  QueuePosition,
  QueueState,
} from '../../../domain/inbox/inbox-store.ts';
import { tellOfParkedJob } from '../../../domain/inbox/report-parked.ts';
import { bindStatements, type Database } from '../database.ts';
import { jobPayload, type Traceparent } from '../jobs/job-payload.ts';
import { keepLongestRanges } from '../links/sent-ranges.ts';
import { matchFile, maxPageRows, searchList, searchText, type TextSearch } from '../search.ts';
import { secondsFromNow } from '../time.ts';

const maxClaim = 100;

const isHeld = sql`entry.lease_id is not null and entry.due_at > now()`;
const isParked = sql`entry.state = 'last_attempt' and entry.due_at <= now()`;
const stateOfEntry = sql<QueueState>`
  case when entry.state = 'acknowledged' then 'acknowledged'
       when ${isHeld} then 'claimed'
       when entry.state = 'last_attempt' then 'parked'
       else 'available' end`;

/** The stored states that make up each state, each read from its own index. */
const partsByState: Readonly<Record<QueueState, readonly RawBuilder<unknown>[]>> = {
  available: [sql`entry.state = 'queued' and (entry.lease_id is null or entry.due_at <= now())`],
  claimed: [sql`entry.state = 'queued' and ${isHeld}`, sql`entry.state = 'last_attempt' and ${isHeld}`],
  parked: [isParked],
  acknowledged: [sql`entry.state = 'acknowledged'`],
};

const availableAgain = sql`state = 'queued', attempts = 0, lease_id = null, due_at = now(), parking_reported = false`;
/** An account gets one mail about parked entries in this time. */
const gatheringSeconds = 3600;

const liveDrop = sql`drops.ended_at is null and drops.expires_at > now()`;
const liveEntries = sql`
  inbox_entries as entry
  join drops on drops.account_id = entry.sender_account_id and drops.id = entry.drop_id and ${liveDrop}`;

/** The entries that `found` selects, by the columns of their table, with what there is to know about them. */
const shown = (
  found: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
  more: RawBuilder<unknown> = sql``,
) => sql<QueuedEntry>`
  select ${more} entry.id, entry.sender_account_id as "senderAccountId", entry.drop_id as "dropId",
    entry.created_at as "receivedAt", drops.expires_at as "expiresAt", drops.message, drops.title,
    drops.file_count as "fileCount",
    case when not drops.unsolicited then drops.request_id end as "requestId",
    coalesce(drops.request_id, drops.id) as "referredId", entry.external_id as "externalId",
    drops.unsolicited as "isUnsolicited", coalesce(contact.email, sender.email) as sender, ${stateOfEntry} as state,
    nullif(case when contact.email is null then sender.display_name
      else coalesce(contact.name, contact.contact_name) end, '') as "senderName",
    entry.attempts, entry.due_at as "dueAt", entry.seen_at is null as "isUnread", ${at}::text as at
  from ${found} as entry
  join drops on drops.account_id = entry.sender_account_id and drops.id = entry.drop_id
  join accounts as sender on sender.id = entry.sender_account_id
  left join links as contact on contact.account_id = drops.account_id and contact.drop_id = drops.request_id
    and contact.position = drops.request_position`;

export function inboxStore(db: Database, traceparent: Traceparent): InboxStore {
  const { readRows, run } = bindStatements(db);
  return {
    async page(accountId, { state, ...filter }, after, count) {
      const { rows } = await (state === undefined
        ? newestFirst(accountId, filter, after, count)
        : inState(accountId, partsByState[state], after, count)
      ).execute(db);
      return rows;
    },

    async entry(accountId, id) {
      const found = sql`(
        select entry.* from ${liveEntries} where entry.account_id = ${accountId} and entry.id = ${id})`;
      const { rows } = await shown(found, sql`entry.created_at`).execute(db);
      return rows[0];
    },

    // The inner limit is for the plan, which does not know a parameter's value. Only the rows that pass the outer
    // limit are read and locked.
    claim: (accountId, { leaseId, leaseSeconds, maxEntries, maxAttempts }) => readRows<QueuedEntry>`
        with due as materialized (
          select * from (
            select entry.account_id, entry.id from ${liveEntries}
            where entry.account_id = ${accountId} and entry.state = 'queued' and entry.due_at <= now()
            order by entry.due_at, entry.id limit ${sql.lit(maxClaim)} for update of entry skip locked
          ) as first limit ${maxEntries}
        ), claimed as (
          update inbox_entries as entry
          set lease_id = ${leaseId}, due_at = ${secondsFromNow(leaseSeconds)}, attempts = entry.attempts + 1,
            state = case when entry.attempts + 1 < ${maxAttempts} then 'queued' else 'last_attempt' end::inbox_state
          from due where entry.account_id = due.account_id and entry.id = due.id
          returning entry.*
        )
        ${shown(sql`claimed`, sql`entry.due_at`)} order by entry.created_at, entry.id
      `,

    async secondsUntilDue(accountId) {
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from entry.due_at - now())::float8 as seconds from ${liveEntries}
        where entry.account_id = ${accountId} and entry.state = 'queued' order by entry.due_at, entry.id limit 1
      `.execute(db);
      return rows[0]?.seconds;
    },

    renew: (accountId, entry, leaseSeconds) =>
      change(accountId, entry.id, sql`due_at = ${secondsFromNow(leaseSeconds)}`, heldBy(entry)),

    acknowledge: (accountId, entry) =>
      change(
        accountId,
        entry.id,
        sql`state = 'acknowledged', due_at = case when entry.state = 'acknowledged' then entry.due_at else now() end`,
        sql`(${heldBy(entry)} or entry.state = 'acknowledged' and entry.lease_id = ${entry.leaseId})`,
      ),

    giveBack: (accountId, entry, delaySeconds) =>
      change(
        accountId,
        entry.id,
        sql`lease_id = null,
          due_at = case when entry.state = 'queued' then ${secondsFromNow(delaySeconds)} else now() end`,
        heldBy(entry),
      ),

    release: (accountId, id) => change(accountId, id, availableAgain, isParked),

    // The job's key makes one mail of all that are parked until it runs.
    async reportParked(count) {
      const job = jobPayload(sql`'accountId', owner.id, 'messageId', gen_random_uuid()`, traceparent());
      const { rows } = await sql<ParkedEntry>`
        with due as materialized (
          select entry.account_id, entry.id from ${liveEntries}
          join accounts as owner on owner.id = entry.account_id and owner.disabled_at is null
          where entry.state = 'last_attempt' and not entry.parking_reported and entry.due_at <= now()
          order by entry.due_at limit ${sql.lit(count)} for update of entry skip locked
        ), reported as (
          update inbox_entries as entry set parking_reported = true
          from due where entry.account_id = due.account_id and entry.id = due.id
          returning entry.*
        ), told as (
          update accounts as owner set parked_mail_at = case when parked_mail_at > now() then parked_mail_at
            else greatest(now(), parked_mail_at + make_interval(secs => ${gatheringSeconds})) end
          where id in (select account_id from reported)
          returning id, parked_mail_at
        ), enqueued as (
          select graphile_worker.add_job(${tellOfParkedJob}, ${job}, job_key => 'parked:' || owner.id,
            job_key_mode => 'preserve_run_at', run_at => owner.parked_mail_at)
          from told as owner
        )
        select entry."accountId", entry.id, entry.sender, entry."fileCount", entry.attempts, entry."requestId",
          entry."senderAccountId", entry."referredId"
        from (${shown(sql`reported`, sql`entry.due_at`, sql`entry.account_id as "accountId",`)}) as entry
        where (select count(*) from enqueued) >= 0
      `.execute(db);
      return rows;
    },

    async countParked(accountId, max) {
      const { rows } = await sql<{ parked: number }>`
        select count(*) as parked from (
          select from ${liveEntries} where entry.account_id = ${accountId} and ${isParked} limit ${sql.lit(max)}
        ) as entry
      `.execute(db);
      return rows[0]?.parked ?? 0;
    },

    async list(accountId, { part, texts }, from, count) {
      const list = orderList(accountId, part, from);
      const found = new Map<string, ListedEntry>();
      const select = async (matching: RawBuilder<unknown>) => {
        const { rows } = await selectListed(list, matching, count).execute(db);
        for (const row of rows) found.set(row.id, row);
        return rows.length;
      };
      if (texts.length === 0) await select(selectEntries(list, sql`true`, maxPageRows));
      for (const text of texts) {
        const search = searchText(text);
        await searchList(db, search, count, {
          rows: sql`from ${liveEntries} where ${list.isListed}`,
          selectFirst: (limit) => select(selectNearest(list, search, limit)),
          selectIndexed: () => select(selectIndexed(accountId, list, search)),
        });
      }
      const rows = [...found.values()].toSorted((one, other) => (isBefore(other, one) ? -1 : 1));
      return list.isBack ? rows.slice(-count) : rows.slice(0, count);
    },

    async countUnread(accountId, max) {
      const { rows } = await sql<{ unread: number }>`
        select count(*) as unread from (
          select from ${liveEntries}
          where entry.account_id = ${accountId} and entry.seen_at is null and entry.state <> 'acknowledged'
          limit ${sql.lit(max)}) as entry
      `.execute(db);
      return rows[0]?.unread ?? 0;
    },

    async markSeen(accountId, id, personId) {
      await change(accountId, id, sql`seen_at = now(), seen_by = ${personId}`, sql`entry.seen_at is null`);
    },

    finish: (accountId, id) =>
      change(accountId, id, sql`state = 'acknowledged', due_at = now()`, sql`entry.state <> 'acknowledged'`),

    reopen: (accountId, id) => change(accountId, id, availableAgain, sql`entry.state = 'acknowledged'`),

    // An empty file counts as one byte. The rows are locked in one order, so that two downloads do not block each other.
    recordDownloads: (accountId, downloads) => run`
        with locked as (
          select files.id, files.downloaded + int8multirange(int8range(sent.first, greatest(sent.beyond, 1))) as downloaded
          from files
          join unnest(${downloads.map(({ file }) => file.id)}::uuid[], ${downloads.map(({ sent }) => sent.start)}::int8[],
            ${downloads.map(({ sent }) => sent.end)}::int8[]) as sent (id, first, beyond) on sent.id = files.id
          where files.account_id = ${accountId} order by files.id for update of files
        )
        update files set downloaded = ${keepLongestRanges(sql`locked.downloaded`)}
        from locked where files.account_id = ${accountId} and files.id = locked.id
      `,

    async downloadedFiles(accountId, id) {
      const { rows } = await sql<{ id: string }>`
        select files.id from inbox_entries as entry
        join drops on drops.account_id = entry.sender_account_id and drops.id = entry.drop_id
        join files on files.account_id = drops.account_id and files.drop_id = drops.id
        join accounts on accounts.id = entry.account_id
        left join links on links.account_id = drops.account_id and links.drop_id = drops.id
          and links.email = accounts.email
        left join deliveries as delivery on delivery.account_id = links.account_id
          and delivery.drop_id = links.drop_id and delivery.position = links.position and delivery.file_id = files.id
        where entry.account_id = ${accountId} and entry.id = ${id}
          and (delivery.completed_at is not null or files.downloaded @> int8range(0, greatest(files.size_bytes, 1)))
      `.execute(db);
      return new Set(rows.map((row) => row.id));
    },
  };

  async function change(
    accountId: string,
    id: string,
    changes: RawBuilder<unknown>,
    where: RawBuilder<unknown>,
  ): Promise<boolean> {
    const { numAffectedRows } = await sql`
      update inbox_entries as entry set ${changes} from drops
      where entry.account_id = ${accountId} and entry.id = ${id} and ${where}
        and drops.account_id = entry.sender_account_id and drops.id = entry.drop_id and ${liveDrop}
    `.execute(db);
    return numAffectedRows === 1n;
  }
}

function heldBy({ leaseId }: LeasedEntry): RawBuilder<unknown> {
  return sql`(entry.lease_id = ${leaseId} and entry.state <> 'acknowledged' and entry.due_at > now())`;
}

function newestFirst(
  accountId: string,
  { requestId, externalId, idEnd }: Omit<QueueFilter, 'state'>,
  after: QueuePosition | undefined,
  count: number,
) {
  const isAfter = after ? sql`(entry.created_at, entry.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql`true`;
  const select = (which: RawBuilder<unknown>) => sql`(
    select entry.* from ${liveEntries}
    where entry.account_id = ${accountId} and ${which} and ${isAfter}
    order by entry.created_at desc, entry.id desc limit ${sql.lit(maxPageRows)})`;
  // The few drops and requests with a reference are those of all accounts.
  const referred = sql`(
    select entry.* from drops as named cross join lateral (
      ${select(sql`entry.sender_account_id = named.account_id and entry.drop_id = named.id and entry.request_id is null`)}
      union all
      ${select(sql`named.account_id = ${accountId} and entry.request_id = named.id`)}
    ) as entry where right(named.id::text, 10) = ${idEnd})`;
  const found =
    idEnd !== undefined
      ? referred
      : select(
          requestId !== undefined
            ? sql`entry.request_id = ${requestId}`
            : externalId !== undefined
              ? sql`entry.external_id = ${externalId}`
              : sql`true`,
        );
  return sql<QueuedEntry>`
    ${shown(found, sql`entry.created_at`)} order by entry.created_at desc, entry.id desc limit ${count}`;
}

const totalBytes = sql`(
  select coalesce(sum(files.size_bytes), 0) from files
  where files.account_id = entry.sender_account_id and files.drop_id = entry.drop_id) as "totalBytes",`;

/** One of the lists that people see, from a place in it on. */
interface PeoplesList {
  /** By what it is ordered. */
  readonly at: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  readonly isListed: RawBuilder<unknown>;
  /** Whether it is read towards its beginning. */
  readonly isBack: boolean;
}

function orderList(accountId: string, part: InboxFilter['part'], from: Parameters<InboxStore['list']>[2]): PeoplesList {
  const [isPart, at] =
    part === 'open'
      ? [sql`entry.state <> 'acknowledged'`, sql`entry.created_at`]
      : [sql`entry.state = 'acknowledged'`, sql`entry.due_at`];
  const isBack = from !== undefined && 'before' in from;
  const next = from && (isBack ? from.before : 'after' in from ? from.after : undefined);
  const isNext = next
    ? sql`(${at}, entry.id) ${isBack ? sql`>` : sql`<`} (${next.at}::timestamptz, ${next.id}::uuid)`
    : sql`true`;
  return {
    at,
    order: isBack ? sql`${at}, entry.id` : sql`${at} desc, entry.id desc`,
    isListed: sql`entry.account_id = ${accountId} and ${isPart} and ${isNext}`,
    isBack,
  };
}

function isBefore(one: ListedEntry, other: ListedEntry): boolean {
  return one.at === other.at ? one.id < other.id : one.at < other.at;
}

function selectListed({ at, order }: PeoplesList, found: RawBuilder<unknown>, count: number): RawBuilder<ListedEntry> {
  return sql<ListedEntry>`${shown(found, at, totalBytes)} order by ${order} limit ${count}`;
}

function selectEntries({ isListed, order }: PeoplesList, where: RawBuilder<unknown>, max: number): RawBuilder<unknown> {
  return sql`(
    select entry.* from ${liveEntries} where ${isListed} and ${where} order by ${order} limit ${sql.lit(max)})`;
}

/** Selects the entries that contain the text, among the next ones in the list. */
function selectNearest(list: PeoplesList, search: TextSearch, limit: number): RawBuilder<unknown> {
  const { inDrop, inLink, inSender } = search;
  return sql`(
    select entry.* from ${selectEntries(list, sql`true`, limit)} as entry
    join drops on drops.account_id = entry.sender_account_id and drops.id = entry.drop_id
    where ${inDrop} or ${matchFile(search)}
      or (select true from accounts as sender where sender.id = entry.sender_account_id and drops.request_id is null
          and ${inSender} limit 1) is not null
      or (select true from links where links.account_id = drops.account_id and links.drop_id = drops.request_id
          and links.position = drops.request_position and ${inLink} limit 1) is not null
    order by ${list.order} limit ${sql.lit(maxPageRows)})`;
}

/**
 * All that contain the text. The drops of each sender are found by the indexes of their texts; the senders, one step of an
 * index at a time.
 */
function selectIndexed(
  accountId: string,
  list: PeoplesList,
  { inDrop, inLink, inFile, inSender }: TextSearch,
): RawBuilder<unknown> {
  const nextSender = (after: RawBuilder<unknown>) => sql`(
    select sender_account_id from inbox_entries where account_id = ${accountId} and ${after}
    order by sender_account_id limit 1)`;
  return sql`(
    with recursive senders as (
      select ${nextSender(sql`true`)} as id
      union all
      select ${nextSender(sql`sender_account_id > senders.id`)} from senders where senders.id is not null
    ), matching as (
      select drops.account_id, drops.id from senders join drops on drops.account_id = senders.id and ${inDrop}
      union
      select files.account_id, files.drop_id from senders
      join files on files.account_id = senders.id and files.drop_id is not null and ${inFile}
      union
      select drops.account_id, drops.id from links
      join drops on drops.account_id = links.account_id and drops.request_id = links.drop_id
        and drops.request_position = links.position
      where links.account_id = ${accountId} and ${inLink}
      union
      select drops.account_id, drops.id from senders join accounts as sender on sender.id = senders.id and ${inSender}
      join inbox_entries as entry on entry.account_id = ${accountId} and entry.sender_account_id = sender.id
      join drops on drops.account_id = entry.sender_account_id and drops.id = entry.drop_id and drops.request_id is null
    )
    select entry.* from matching
    join inbox_entries as entry on entry.sender_account_id = matching.account_id and entry.drop_id = matching.id
    join drops on drops.account_id = entry.sender_account_id and drops.id = entry.drop_id and ${liveDrop}
    where ${list.isListed}
    order by ${list.order} limit ${sql.lit(maxPageRows)})`;
}

function inState(
  accountId: string,
  parts: readonly RawBuilder<unknown>[],
  after: QueuePosition | undefined,
  count: number,
) {
  const isAfter = after ? sql`(entry.due_at, entry.id) > (${after.at}::timestamptz, ${after.id}::uuid)` : sql`true`;
  const found = parts.map(
    (part) => sql`(
      select entry.* from ${liveEntries}
      where entry.account_id = ${accountId} and ${part} and ${isAfter}
      order by entry.due_at, entry.id limit ${sql.lit(maxPageRows)})`,
  );
  return sql<QueuedEntry>`
    ${shown(sql`(${sql.join(found, sql` union all `)})`, sql`entry.due_at`)}
    order by entry.due_at, entry.id limit ${count}`;
}
