import { limits } from '@waybill/protocol';
import { type RawBuilder, sql } from 'kysely';
import type {
  EventFilter,
  EventPage,
  EventPosition,
  EventStore,
  NewEvent,
  StoredEvent,
} from '../../../domain/events/event-store.ts';
import { comparePositions } from '../../../domain/events/event-store.ts';
import { toReference } from '../../../domain/reference.ts';
import type { Database } from '../database.ts';

/** Literal in the statement, so that there is one text and one plan for every size of page up to this. */
const maxPage = limits.pageSize;
const maxPageOfAll = 500;
/** A page looks no further, so that a filter that matches nothing costs no more than one that matches everything. */
const maxScanned = 10_000;
const beginning: EventPosition = { epoch: 0, transactionId: '0', sequence: 0 };

const order = sql`epoch, transaction_id, sequence`;
const asPosition = sql`json_build_object('epoch', epoch, 'transactionId', transaction_id::text, 'sequence', sequence)`;
/** The upper bound for readers: an event that a running transaction wrote, or may still write, is not below this. */
const below = sql`((select epoch from event_log), pg_snapshot_xmin(pg_current_snapshot()), 0)`;
const after = ({ epoch, transactionId, sequence }: EventPosition) =>
  sql`(${order}) > (${epoch}::bigint, ${transactionId}::xid8, ${sequence}::bigint)`;

export function eventStore(db: Database): EventStore {
  return {
    async append(events) {
      if (events.length === 0) return;
      // Not a join, which could change the order of the events.
      await sql`
        insert into events (account_id, epoch, type, data)
        select "accountId", (select epoch from event_log), type, case when "aboutId" is null then data
          else data || jsonb_build_object('external_id', (
            select external_id from drops where account_id = "aboutAccountId" and id = "aboutId")) end
        from jsonb_to_recordset(${JSON.stringify(events.map(toInput))}::jsonb) as event (
          "accountId" uuid, type text, data jsonb, "aboutAccountId" uuid, "aboutId" uuid)
      `.execute(db);
    },

    page: (accountId, position, limit, filter) => page(db, selectSource(accountId, filter), position, limit, maxPage),
    pageOfAll: (position, limit) => page(db, { where: sql`true` }, position, limit, maxPageOfAll),

    end: async () => (await page(db, { where: sql`false` }, undefined, 1, 1)).next,

    async purge(olderThanSeconds, count) {
      // From the front of the order, so that everything after the last one that was deleted is still there.
      const { rows } = await sql<{ count: number }>`
        with first as materialized (
          select account_id, ${order}, created_at from events order by ${order} limit ${sql.lit(count)}
        ), purged as (
          delete from events using first
          where first.created_at < now() - make_interval(secs => ${olderThanSeconds})
            and events.account_id = first.account_id and events.epoch = first.epoch
            and events.transaction_id = first.transaction_id and events.sequence = first.sequence
          returning events.epoch, events.transaction_id, events.sequence
        ), noted as (
          update event_log set purged_epoch = last.epoch, purged_transaction = last.transaction_id,
            purged_sequence = last.sequence
          from (select * from purged order by epoch desc, transaction_id desc, sequence desc limit 1) as last
          where (last.epoch, last.transaction_id, last.sequence)
            > (purged_epoch, purged_transaction, purged_sequence)
        )
        select count(*) as count from purged
      `.execute(db);
      return rows[0]?.count ?? 0;
    },
  };
}

function toInput({ about, data, ...event }: NewEvent) {
  if (!about) return { ...event, data };
  const { accountId: aboutAccountId, dropId: aboutId } = about;
  return { ...event, data: { ...data, reference: toReference(aboutId) }, aboutAccountId, aboutId };
}

/** Events in the order of an index. */
interface Source {
  readonly where: RawBuilder<unknown>;
  /** Which of them are wanted, if not all: only the next `maxScanned` are looked at. */
  readonly matches?: RawBuilder<unknown>;
}

/** The index that leaves the fewest events to look at. */
function selectSource(accountId: string, filter: EventFilter = {}): Source {
  const { types, dropId, requestId, externalId } = filter;
  const matches = [
    ...(types === undefined ? [] : [sql`type = any(${types}::text[])`]),
    ...(dropId === undefined ? [] : [sql`data ->> 'drop_id' = ${dropId}`]),
    ...(requestId === undefined ? [] : [sql`data ->> 'request_id' = ${requestId}`]),
    ...(externalId === undefined ? [] : [sql`data ->> 'external_id' = ${externalId}`]),
  ];
  const ofAccount = sql`account_id = ${accountId}`;
  if (matches.length === 0) return { where: ofAccount };
  const sentId = dropId ?? requestId;
  const [byId, byExternalId] = [
    sql`${ofAccount} and coalesce(data ->> 'drop_id', data ->> 'request_id') = ${sentId}`,
    sql`${ofAccount} and data ->> 'external_id' = ${externalId}`,
  ];
  const where = sentId !== undefined ? byId : externalId !== undefined ? byExternalId : ofAccount;
  return { where, matches: sql.join(matches, sql` and `) };
}

interface PageRow extends EventPosition {
  readonly accountId: string;
  /** Null in the only row of an empty page. */
  readonly id: string | null;
  readonly type: NewEvent['type'];
  readonly data: NewEvent['data'];
  readonly createdAt: Date;
  readonly purged: EventPosition;
  readonly latest: EventPosition | null;
  /** The last event that was looked at, if more follow. */
  readonly scanned: EventPosition | null;
}

/** One statement, and so one snapshot: everything up to `latest` is in it. */
async function page(
  db: Database,
  { where, matches }: Source,
  position: EventPosition | undefined,
  limit: number,
  maxRows: number,
): Promise<EventPage> {
  const next = sql`from events where ${where} and ${after(position ?? beginning)} and (${order}) < ${below} order by ${order}`;
  const found = matches
    ? sql`from (select * ${next} limit ${sql.lit(maxScanned)}) as scanned where ${matches} order by ${order}`
    : next;
  const lastScanned = matches
    ? sql`(select ${asPosition} ${next} offset ${sql.lit(maxScanned - 1)} limit 1)`
    : sql`null`;
  const { rows } = await sql<PageRow>`
    select event.*, json_build_object('epoch', purged_epoch, 'transactionId', purged_transaction::text,
      'sequence', purged_sequence) as purged, (
        select ${asPosition} from events where (${order}) < ${below}
        order by epoch desc, transaction_id desc, sequence desc limit 1
      ) as latest, ${lastScanned} as scanned
    from event_log left join lateral (
      select account_id as "accountId", epoch, transaction_id::text as "transactionId", sequence, id, type, data,
        created_at as "createdAt"
      ${found} limit ${sql.lit(maxRows)}
    ) as event on true
  `.execute(db);
  const [{ purged, latest, scanned }] = rows as [PageRow];
  const events = rows.slice(0, limit).flatMap(toEvents);
  const end = later(purged, latest ?? beginning);
  const last = events.length === limit ? events.at(-1)?.position : undefined;
  const stop = last ?? scanned;
  return {
    events,
    next: stop ?? later(end, position ?? beginning),
    more: stop !== null,
    lost: position !== undefined && (comparePositions(position, purged) < 0 || comparePositions(position, end) > 0),
  };
}

function toEvents({ accountId, id, type, data, createdAt, epoch, transactionId, sequence }: PageRow): StoredEvent[] {
  if (id === null) return [];
  return [{ accountId, id, type, data, createdAt, position: { epoch, transactionId, sequence } }];
}

function later(one: EventPosition, other: EventPosition): EventPosition {
  return comparePositions(one, other) > 0 ? one : other;
}
