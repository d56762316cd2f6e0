import { type RawBuilder, sql } from 'kysely';
import type { Arrival, RequestStore, RequestSummary, WantedState } from '../../../domain/requests/request-store.ts';
import { bindStatements, type Database } from '../database.ts';

/** The name that was chosen for the request, or the one in the contacts at that time. */
const person = sql`json_build_object('name', coalesce(links.name, nullif(links.contact_name, '')), 'email', links.email)`;

/** For a query's `request`: what came through the link at a position. */
const wantedState = (accountId: string, requestId: RawBuilder<unknown>, position: RawBuilder<unknown>) => sql`
  coalesce(request.wanted, '[]') as wanted, array(
    select distinct files.wanted from drops as sent
      join files on files.account_id = ${accountId} and files.drop_id = sent.id
    where sent.account_id = ${accountId} and sent.request_id = ${requestId} and sent.request_position = ${position}
      and files.wanted is not null and request.wanted is not null
    order by files.wanted
  ) as found`;

export function requestStore(db: Database): RequestStore {
  const { readRow, readRows } = bindStatements(db);
  return {
    summaries: (accountId, requestIds) => readRows<RequestSummary>`
        select asked.id as "dropId", first.contact as "firstReceiver", arrived.*
        from unnest(${requestIds}::uuid[]) as asked (id) cross join lateral (
          select ${person} as contact from links where account_id = ${accountId} and drop_id = asked.id
          order by position limit 1
        ) as first cross join lateral (
          select count(distinct request_position) as fulfilled, coalesce(sum(file_count), 0)::bigint as "filesReceived"
          from drops where account_id = ${accountId} and request_id = asked.id
        ) as arrived
      `,

    async countOpen(accountId, max) {
      // The condition of the index drops_by_state.
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from (
          select from drops where account_id = ${accountId} and type = 'uploadfiles' and not unsolicited and expires_at > now()
            and case when revoked_at is not null then 'revoked' when ended_at is not null then 'expired' else 'live' end
              = 'live'
          limit ${sql.lit(max)}
        ) as found
      `.execute(db);
      return rows[0]?.count ?? 0;
    },

    arrivals: (accountId, requestId, count) => readRows<Arrival>`
        select entry.id as "entryId", ${person} as sender, drops.created_at as "receivedAt", drops.file_count as "fileCount",
          (select coalesce(sum(size_bytes), 0)::bigint from files
           where files.account_id = ${accountId} and files.drop_id = drops.id) as "totalBytes",
          entry.seen_at is null as "isUnread"
        from drops
          join links on links.account_id = ${accountId} and links.drop_id = ${requestId}
            and links.position = drops.request_position
          join inbox_entries as entry on entry.account_id = ${accountId} and entry.sender_account_id = ${accountId}
            and entry.drop_id = drops.id
        where drops.account_id = ${accountId} and drops.request_id = ${requestId}
        order by drops.id desc limit ${sql.lit(count)}
      `,

    wantedThrough: (accountId, requestId, position) =>
      readRow<WantedState>`
        select ${wantedState(accountId, sql`${requestId}::uuid`, sql`${position}::integer`)}
        from drops as request where request.account_id = ${accountId} and request.id = ${requestId}
      `,

    wantedOf: (accountId, dropId) =>
      readRow<WantedState>`
        select ${wantedState(accountId, sql`received.request_id`, sql`received.request_position`)}
        from drops as received
          join drops as request on request.account_id = received.account_id and request.id = received.request_id
        where received.account_id = ${accountId} and received.id = ${dropId}
      `,
  };
}
