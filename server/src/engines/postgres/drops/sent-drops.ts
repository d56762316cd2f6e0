import { type RawBuilder, sql } from 'kysely';
import type {
  FileHolders,
  FollowedFile,
  FollowedReceiver,
  SentDrop,
  SentDropFilter,
  SentDropKey,
  SentDropStore,
  SentFile,
  SentPart,
  SentPlace,
  SentReceiver,
  SentSummary,
} from '../../../domain/drops/sent-drop-store.ts';
import { secondFactorRule } from '../accounts/account-columns.ts';
import { bindStatements, type Database } from '../database.ts';
import { firstShared } from '../links/shared-links.ts';
import { matchFile, maxPageRows, searchList, searchText, type TextSearch } from '../search.ts';
import { isRestorable, lastReply, stateOfDrop } from './drop-columns.ts';

/** As in the index drops_by_state. A drop past its deadline is ended by the next sweep. */
const recordedState = sql`
  case when drops.revoked_at is not null then 'revoked' when drops.ended_at is not null then 'expired' else 'live' end`;

/** The version of a row is the transaction that wrote it. */
const selectColumns = (accountId: string) => sql`
  drops.id, drops.key_id as "keyId", drops.xmin::text as version, ${stateOfDrop} as state, drops.message, drops.title, drops.external_id as "externalId", drops.metadata,
  drops.second_factor as "secondFactor", drops.passphrase is not null as "hasPassphrase",
  (select ${secondFactorRule} from accounts where accounts.id = ${accountId}) as "secondFactorRule", drops.notify, drops.reusable, coalesce(drops.wanted, '[]') as wanted, drops.created_at as "createdAt", drops.expires_at as "expiresAt",
  drops.revoked_at as "revokedAt", case when ${isRestorable} then drops.restorable_until end as "restorableUntil", drops.remind_at as "remindAt", drops.receiver_count as "receiverCount", drops.file_count as "fileCount",
  drops.activity_purged as "isPurged"`;

/** The name that the sender chose for a receiver, or the one in the contacts at that time. */
const shownReceiver = sql`coalesce(links.name, nullif(links.contact_name, ''))`;
const linksOfDrop = sql`links.account_id = drops.account_id and links.drop_id = drops.id`;
/** By the index drops_by_state, which has them in the order of creation. */
const isLive = sql`${recordedState} = 'live' and drops.expires_at > now()`;
/** The same by the index drops_live, which has them in the order of expiry. Both together would seem to be few rows. */
const isLiveByExpiry = sql`drops.ended_at is null and drops.expires_at > now()`;
const isUnreached = sql`links.undeliverable_at is not null and links.opened_at is null and links.completed_at is null`;
/** With a limit, so that it is looked up for the rows of a page only, and not for all drops at once. */
const isPending = sql`(
  select true from links where ${linksOfDrop} and links.completed_at is null and links.revoked_at is null
    and links.kind <> 'named' limit 1
) is not null`;
const isOfPart = (part: SentPart, live: RawBuilder<unknown>) =>
  ({
    attention: sql`${live} and exists (
      select from links where ${linksOfDrop} and ${isUnreached} and links.revoked_at is null)`,
    underway: sql`${live} and ${isPending}`,
    done: sql`not (${live} and ${isPending})`,
  })[part];

/** Ids are made by a process, and times by the database: how far their clocks may be apart. */
const clockMarginMs = 10 * 60_000;

export function sentDropStore(db: Database): SentDropStore {
  const { readRow, readRows } = bindStatements(db);
  return {
    async page(accountId, type, filter, place, count) {
      const found = new Map<string, SentDrop>();
      const isListed = ({ where, id }: Source) => sql`${where} and drops.type = ${sql.lit(type)}
        and not drops.unsolicited and ${conditions(filter, place, id, accountId)}`;
      const select = async (source: Source) => {
        const { rows } = await sql<SentDrop>`
          select ${selectColumns(accountId)} from ${source.from} where ${source.where}
          order by ${orderOf(place, source.id)} limit ${sql.lit(maxPageRows)}
        `.execute(db);
        for (const row of rows) found.set(row.id, row);
        return rows.length;
      };
      const selectText = async (text: string) => {
        const search = searchText(text);
        const all = selectAll(accountId);
        const first = (limit: number) => sql`(
          select drops.*, drops.xmin from drops where ${isListed(all)}
          order by ${orderOf(place, all.id)} limit ${sql.lit(limit)}) as drops`;
        const inIndex = sql`${isListed(all)} and drops.id in ${selectDropIds(accountId, search)}`;
        await searchList(db, search, count, {
          rows: sql`from drops where ${isListed(all)}`,
          selectFirst: (limit) => select({ ...all, from: first(limit), where: matchDrop(search) }),
          selectIndexed: () => select({ ...all, where: inIndex }),
        });
      };
      const selectListed = (source: Source) => select({ ...source, where: isListed(source) });
      if (!filter.anyOf) await selectListed(selectAll(accountId));
      for (const key of filter.anyOf ?? []) {
        if ('text' in key) await selectText(key.text);
        else await selectListed(selectSource(accountId, key));
      }
      const all = [...found.values()];
      const isBackwards = place.before !== undefined;
      if (filter.anyOf) all.sort((one, other) => compareInOrder(place, one, other) * (isBackwards ? -1 : 1));
      const page = all.slice(0, count);
      return isBackwards ? page.toReversed() : page;
    },

    summaries: (accountId, dropIds) => readRows<SentSummary>`
        select asked.id as "dropId", first.receiver as "firstReceiver", reached.*, listed.*
        from unnest(${dropIds}::uuid[]) as asked (id) cross join lateral (
          select count(*) as receivers, count(*) filter (where notified_at is not null and not (${isUnreached})) as delivered,
            count(*) filter (where ${isUnreached}) as undeliverable,
            count(*) filter (where opened_at is not null or completed_at is not null) as opened,
            count(completed_at) as downloaded
          from links where account_id = ${accountId} and drop_id = asked.id
            and (revoked_at is null or completed_at is not null)
            -- Without receivers, what is known of the links for anybody counts.
            and (kind = 'receiver' or kind = 'anybody' and not exists (
              select from links as receiver
              where receiver.account_id = ${accountId} and receiver.drop_id = asked.id and receiver.position = 0))
        ) as reached cross join lateral (
          select json_build_object('name', ${shownReceiver}, 'email', email) as receiver
          from links where account_id = ${accountId} and drop_id = asked.id
          order by kind <> 'receiver', revoked_at is not null and completed_at is null, position limit 1
        ) as first cross join lateral (
          select coalesce(sum(size_bytes), 0)::bigint as "totalBytes",
            (array_agg(coalesce(path, name) order by created_at, id))[1] as "firstFile"
          from files where account_id = ${accountId} and drop_id = asked.id
        ) as listed
      `,

    async countAttention(accountId, max) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from (
          select distinct links.drop_id
          from links join drops on ${linksOfDrop}
          where links.account_id = ${accountId} and ${isUnreached} and links.revoked_at is null
            and drops.type = 'downloadfiles' and ${isLive}
          limit ${sql.lit(max)}
        ) as found
      `.execute(db);
      return rows[0]?.count ?? 0;
    },

    find: (accountId, { type, dropId }) => readRow<SentDrop>`
        select ${selectColumns(accountId)} from drops
        where account_id = ${accountId} and id = ${dropId} and type = ${type} and not unsolicited
      `,

    async receivers(accountId, dropId, position) {
      const only = position === undefined ? sql`true` : sql`position = ${position}`;
      const { rows } = await sql<SentReceiver>`
        select links.position, email, name, phone, language, notified_at as "notifiedAt", opened_at as "openedAt",
          undeliverable_at as "undeliverableAt", ${lastReply} as "undeliverableReason",
          coalesce(links.completed_at, received.first) as "completedAt", links.revoked_at as "revokedAt",
          coalesce(sent.files, 0) as "filesDelivered", coalesce(received.sendings, 0) as sendings,
          coalesce(received.files, 0) as "filesReceived", received.last as "lastReceivedAt"
        from (
          select * from links where account_id = ${accountId} and drop_id = ${dropId} and kind = 'receiver' and ${only}
        ) as links left join (
          select position, count(completed_at) as files from deliveries
          where account_id = ${accountId} and drop_id = ${dropId} and ${only} group by position
        ) as sent on sent.position = links.position left join (
          select request_position, count(*) as sendings, sum(file_count) as files, min(created_at) as first,
            max(created_at) as last
          from drops where account_id = ${accountId} and request_id = ${dropId}
            and ${position === undefined ? sql`true` : sql`request_position = ${position}`}
          group by request_position
        ) as received on received.request_position = links.position
        order by links.position
      `.execute(db);
      return rows;
    },

    files: (accountId, dropId) => readRows<SentFile>`
        select files.id, name, coalesce(path, name) as path, media_type as "mediaType", size_bytes as "sizeBytes", sha256,
          scan, unscanned_reason as "unscannedReason", state = 'ready' as "isStored", coalesce(sent.receivers, 0) as "receiversDelivered"
        from files left join (
          select file_id, count(completed_at) as receivers from deliveries
          where account_id = ${accountId} and drop_id = ${dropId} and position < ${firstShared} group by file_id
        ) as sent on sent.file_id = files.id
        where files.account_id = ${accountId} and files.drop_id = ${dropId}
        order by files.created_at, files.id
      `,

    followedReceivers: (accountId, dropId) => readRows<FollowedReceiver>`
        select position, email, ${shownReceiver} as name, notified_at as "notifiedAt", opened_at as "openedAt",
          undeliverable_at as "undeliverableAt", ${lastReply} as "undeliverableReason",
          completed_at as "completedAt", revoked_at as "revokedAt"
        from links where account_id = ${accountId} and drop_id = ${dropId} and kind = 'receiver' order by position
      `,

    followedFiles: (accountId, dropId) => readRows<FollowedFile>`
        select id, coalesce(path, name) as path, size_bytes as "sizeBytes", scan, unscanned_reason as "unscannedReason"
        from files where account_id = ${accountId} and drop_id = ${dropId} order by created_at, id
      `,

    holders: (accountId, dropId, { fileIds, positions }, max) => readRows<FileHolders>`
        select file_id as "fileId", count(*) filter (where is_whole) as "deliveredCount",
          count(*) filter (where not is_whole) as "partlyCount",
          coalesce(array_agg(position order by number) filter (where is_whole and number <= ${max}), '{}') as "deliveredTo",
          coalesce(json_agg(json_build_object('position', position, 'bytes', (
            select coalesce(sum(upper(part) - lower(part)), 0) from unnest(delivered) as part
          )) order by number) filter (where not is_whole and number <= ${max}), '[]') as "partlyTo"
        from (
          select file_id, position, delivered, completed_at is not null as is_whole,
            row_number() over (partition by file_id, completed_at is not null order by completed_at, position) as number
          from deliveries
          where account_id = ${accountId} and drop_id = ${dropId} and position = any(${positions}::integer[])
            and file_id = any(${fileIds}::uuid[]) and not isempty(delivered)
        ) as numbered
        group by file_id
      `,

    recordShown: (accountId, dropId, person, position) => readRows<{ position: number; isKnown: boolean }>`
        with receivers as materialized (
          select account_id, drop_id, position, ${person} = any(shown_to) as "isKnown" from links
          where account_id = ${accountId} and drop_id = ${dropId} and revoked_at is null
            and case when ${position ?? null}::integer is null then kind = 'receiver' else position = ${position ?? null}::integer end
          for update
        ), shown as (
          update links set shown_to = shown_to || ${person}::text from receivers
          where links.account_id = receivers.account_id and links.drop_id = receivers.drop_id
            and links.position = receivers.position and not "isKnown"
        )
        select position, "isKnown" from receivers order by position
      `,

    hasReceivers: async (accountId, dropId) =>
      (await readRow`
        select 1 from drops where account_id = ${accountId} and id = ${dropId} and receiver_count > 0
      `) !== undefined,

    async growByOne(accountId, dropId) {
      const { position } = await db
        .updateTable('drops')
        .set(({ eb }) => ({ receiver_count: eb('receiver_count', '+', 1) }))
        .where('account_id', '=', accountId)
        .where('id', '=', dropId)
        .returning(sql<number>`receiver_count - 1`.as('position'))
        .executeTakeFirstOrThrow();
      return position;
    },

    async revokeLink(accountId, dropId, position) {
      const { rows } = await sql<{ email: string }>`
        with revoked as (
          update links set revoked_at = now()
          where account_id = ${accountId} and drop_id = ${dropId} and position = ${position} and revoked_at is null
          returning account_id, drop_id, email
        ), unlisted as (
          delete from inbox_entries as entry using revoked join accounts on accounts.email = revoked.email
          where entry.account_id = accounts.id and entry.sender_account_id = revoked.account_id
            and entry.drop_id = revoked.drop_id
        ), changed as (
          -- The drop gets a new version.
          update drops set receiver_count = receiver_count from revoked
          where drops.account_id = revoked.account_id and drops.id = revoked.drop_id
        )
        select email from revoked
      `.execute(db);
      return rows[0]?.email;
    },
  };
}

/** Whether the drop, a receiver or a file of it contains the text. */
function matchDrop(search: TextSearch): RawBuilder<unknown> {
  return sql`(${search.inDrop}
    or (select true from links where ${linksOfDrop} and ${search.inLink} limit 1) is not null
    or ${matchFile(search)})`;
}

/** All drops of an account that contain the text. */
function selectDropIds(accountId: string, { inDrop, inLink, inFile }: TextSearch): RawBuilder<unknown> {
  return sql`(
    select id from drops where account_id = ${accountId} and ${inDrop}
    union select drop_id from links where account_id = ${accountId} and ${inLink}
    union select drop_id from files where account_id = ${accountId} and drop_id is not null and ${inFile})`;
}

interface Source {
  readonly from: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  /** The column by which an index of this source is ordered. */
  readonly id: RawBuilder<unknown>;
}

function selectAll(accountId: string): Source {
  return { from: sql`drops`, where: sql`drops.account_id = ${accountId}`, id: sql`drops.id` };
}

/** Each is found by an index of its own, which has the ids in order. */
function selectSource(accountId: string, key: Exclude<SentDropKey, { text: string }>): Source {
  const all = selectAll(accountId);
  if ('externalId' in key) return { ...all, where: sql`${all.where} and drops.external_id = ${key.externalId}` };
  if ('idEnd' in key) return { ...all, where: sql`${all.where} and right(drops.id::text, 10) = ${key.idEnd}` };
  return {
    from: sql`links join drops on drops.account_id = links.account_id and drops.id = links.drop_id`,
    where: sql`links.account_id = ${accountId} and links.email = ${key.receiver}`,
    id: sql`links.drop_id`,
  };
}

function conditions(
  { state, createdFrom, createdBefore, part, sentBy }: SentDropFilter,
  place: SentPlace,
  id: RawBuilder<unknown>,
  accountId: string,
): RawBuilder<unknown> {
  const all = [
    ...beginAt(place, id, accountId),
    ...(part ? [isOfPart(part, place.byExpiry ? isLiveByExpiry : isLive)] : []),
    ...(sentBy === undefined ? [] : [sentBy === null ? sql`drops.sent_by is null` : sql`drops.sent_by = ${sentBy}`]),
    ...(state ? [sql`${recordedState} = ${state}`] : []),
    ...(state === 'live' ? [sql`drops.expires_at > now()`] : []),
    ...(createdFrom
      ? [sql`drops.created_at >= ${createdFrom} and ${id} >= ${firstIdAt(createdFrom.getTime() - clockMarginMs)}::uuid`]
      : []),
    ...(createdBefore
      ? [
          sql`drops.created_at < ${createdBefore} and ${id} < ${firstIdAt(createdBefore.getTime() + clockMarginMs)}::uuid`,
        ]
      : []),
  ];
  return all.length === 0 ? sql`true` : sql.join(all, sql` and `);
}

function orderOf({ before, byExpiry }: SentPlace, id: RawBuilder<unknown>): RawBuilder<unknown> {
  if (byExpiry)
    return before === undefined ? sql`drops.expires_at, drops.id` : sql`drops.expires_at desc, drops.id desc`;
  return before === undefined ? sql`${id} desc` : sql`${id}`;
}

function compareInOrder({ byExpiry }: SentPlace, one: SentDrop, other: SentDrop): number {
  if (!byExpiry) return one.id < other.id ? 1 : -1;
  return one.expiresAt.getTime() - other.expiresAt.getTime() || (one.id < other.id ? -1 : 1);
}

function beginAt(
  { after, before, byExpiry }: SentPlace,
  id: RawBuilder<unknown>,
  accountId: string,
): RawBuilder<unknown>[] {
  const neighbour = after ?? before;
  if (neighbour === undefined) return [];
  if (!byExpiry) return [before === undefined ? sql`${id} < ${neighbour}::uuid` : sql`${id} > ${neighbour}::uuid`];
  const expiry = sql`(select expires_at from drops where account_id = ${accountId} and id = ${neighbour})`;
  const operator = before === undefined ? sql`>` : sql`<`;
  return [sql`(drops.expires_at, drops.id) ${operator} (${expiry}, ${neighbour}::uuid)`];
}

/** The smallest UUID of version 7 that is made at this time. */
function firstIdAt(ms: number): string {
  const digits = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7000-8000-000000000000`;
}
