import type { DropType, Receiver } from '@waybill/protocol';
import { type RawBuilder, sql } from 'kysely';
import type {
  Batch,
  BatchSize,
  DropState,
  DropStore,
  FileLine,
  PagePosition,
  ReceiverState,
} from '../../domain/ports/index.ts';
import type { Database } from './database.ts';

/** As text: a Date would lose the microseconds, and with them the place in the order. */
const positionOf = (column: string) => sql<string>`${sql.ref(column)}::text`.as('createdAt');
const secondsOf = (column: string) =>
  sql<number>`floor(extract(epoch from ${sql.ref(column)}))::bigint`.as('createdSeconds');
const isBefore = (createdAt: string, id: string, { createdAt: time, id: after }: PagePosition) =>
  sql<boolean>`(${sql.ref(createdAt)}, ${sql.ref(id)}) < (${time}::timestamptz, ${after}::uuid)`;

const stateOfDrop = sql<DropState>`
  case when revoked_at is not null then 'revoked'
       when ended_at is not null or expires_at <= now() then 'expired'
       else 'live' end`;

export function dropStore(db: Database): DropStore {
  return {
    async insert(accountId, drop) {
      await db
        .insertInto('drops')
        .values({
          account_id: accountId,
          id: drop.id,
          type: drop.type,
          message: drop.message,
          ttl: drop.ttl,
          expires_at: sql`now() + make_interval(secs => ${drop.ttlSeconds})`,
          receiver_count: drop.receiverCount,
          file_count: drop.fileCount,
          link_key: drop.linkKey,
          key_version: drop.keyVersion,
          remind_at:
            drop.reminderSeconds === null
              ? null
              : sql`now() + make_interval(secs => ${drop.ttlSeconds - drop.reminderSeconds})`,
          from_drop_id: drop.from?.dropId ?? null,
          from_position: drop.from?.position ?? null,
        })
        .execute();
    },

    async insertLinks(accountId, dropId, links) {
      const json = JSON.stringify(
        links.map(({ position, receiver, tokenDigest }) => ({
          ...receiver,
          position,
          digest: tokenDigest.toString('hex'),
        })),
      );
      await sql`
        insert into links (account_id, drop_id, position, email, number, language, groups, nick, name, token_digest)
        select ${accountId}, ${dropId}, position, email, number, language, groups, nick, name, decode(digest, 'hex')
        from jsonb_to_recordset(${json}::jsonb) as link (
          position integer, email text, number text, language text, groups text[], nick text, name text, digest text)
      `.execute(db);
    },

    async insertInboxEntry(accountId, entry) {
      await db
        .insertInto('inbox_entries')
        .values({
          account_id: accountId,
          id: entry.id,
          sender_account_id: entry.senderAccountId,
          drop_id: entry.dropId,
        })
        .execute();
    },

    async claimIdempotencyKey(accountId, key, digest) {
      // A rival's claim in flight makes the insert wait for its end.
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('idempotency_keys')
        .values({ account_id: accountId, key, request_digest: digest })
        .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 1n) return undefined;
      const claimed = await db
        .selectFrom('idempotency_keys')
        .select('request_digest as digest')
        .where('account_id', '=', accountId)
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
      return claimed.digest;
    },

    page: (accountId, after, count) =>
      db
        .selectFrom('drops')
        .select(['id', 'type', 'ttl', 'message', 'receiver_count as receiverCount', 'file_count as fileCount'])
        .select([positionOf('created_at'), secondsOf('created_at'), stateOfDrop.as('state')])
        .where('account_id', '=', accountId)
        // What contacts sent is in the inbox, not in the history of what was sent.
        .where(sql<boolean>`drops.type <> 'receivedfiles'`)
        .$narrowType<{ type: DropType }>()
        .$if(after !== undefined, (query) => query.where(isBefore('created_at', 'id', after as PagePosition)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(sql.lit(count))
        .execute(),

    async receivers(accountId, dropIds) {
      const rows = await db
        .selectFrom('links')
        .select(['drop_id', 'email', 'number', 'language', 'groups', 'nick', 'name'])
        .where('account_id', '=', accountId)
        .where('drop_id', '=', sql<string>`any(${dropIds}::uuid[])`)
        .orderBy('drop_id')
        .orderBy('position')
        .execute();
      const receivers = rows.map(({ name, ...row }) => (name === null ? row : { ...row, name }));
      return collect(receivers, ({ drop_id: _, ...receiver }): Receiver => receiver);
    },

    async files(accountId, dropIds) {
      const rows = await db
        .selectFrom('files')
        .select(['drop_id', 'name', 'scan'])
        .where('account_id', '=', accountId)
        .where('drop_id', '=', sql<string>`any(${dropIds}::uuid[])`)
        .orderBy('drop_id')
        .orderBy('created_at')
        .orderBy('id')
        .$narrowType<{ drop_id: string; scan: FileLine['scan'] }>()
        .execute();
      return collect(rows, ({ drop_id: _, ...file }): FileLine => file);
    },

    async countLive(accountId) {
      const { live } = await db
        .selectFrom('drops')
        .select(({ fn }) => fn.countAll<number>().as('live'))
        .where('account_id', '=', accountId)
        .where('type', '=', 'downloadfiles')
        .where('ended_at', 'is', null)
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirstOrThrow();
      return live;
    },

    inboxPage: (accountId, after, count) =>
      db
        .selectFrom('inbox_entries as entry')
        .innerJoin('drops', (join) =>
          join.onRef('drops.account_id', '=', 'entry.sender_account_id').onRef('drops.id', '=', 'entry.drop_id'),
        )
        .innerJoin('accounts as sender', 'sender.id', 'entry.sender_account_id')
        // A set that a contact sent belongs to the account itself, and comes from the contact.
        .leftJoin('links as contact', (join) =>
          join
            .onRef('contact.account_id', '=', 'drops.account_id')
            .onRef('contact.drop_id', '=', 'drops.from_drop_id')
            .onRef('contact.position', '=', 'drops.from_position'),
        )
        .select([
          'entry.id',
          'entry.sender_account_id as senderAccountId',
          'entry.drop_id as dropId',
          'drops.ttl',
          'drops.file_count as fileCount',
          sql<string>`coalesce(contact.email, sender.email)`.as('sender'),
        ])
        .select([positionOf('entry.created_at'), secondsOf('entry.created_at')])
        .where('entry.account_id', '=', accountId)
        .where('drops.ended_at', 'is', null)
        .where('drops.expires_at', '>', sql<Date>`now()`)
        .$if(after !== undefined, (query) =>
          query.where(isBefore('entry.created_at', 'entry.id', after as PagePosition)),
        )
        .orderBy('entry.created_at', 'desc')
        .orderBy('entry.id', 'desc')
        .limit(sql.lit(count))
        .execute(),

    endExpired: (count) =>
      end(
        db,
        sql`
          select account_id, id from drops
          where ended_at is null and expires_at <= now()
          order by expires_at limit ${sql.lit(count)} for update skip locked`,
      ),

    empty: (batch, only) => empty(db, batch, only && sql`account_id = ${only.accountId} and id = ${only.dropId}`),

    forget: (olderThanSeconds, batch) => forget(db, olderThanSeconds, batch),

    async revoke(accountId, dropId) {
      const due = sql`
        select account_id, id from drops
        where account_id = ${accountId} and id = ${dropId} and ended_at is null and expires_at > now()
        for update`;
      return (await end(db, due, sql`now()`)) === 1;
    },

    async deliveryStates(accountId, dropId, after, count) {
      const { rows } = await sql<ReceiverState>`
        select links.position, links.email as receiver, links.notified_at as "notifiedAt", links.opened_at as "openedAt",
          links.passed_at as "passedAt", links.completed_at as "completedAt", coalesce((
            select json_agg(json_build_object('name', files.name, 'sizeBytes', files.size_bytes,
              'deliveredBytes', (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(delivery.delivered) as part)
            ) order by files.created_at, files.id)
            from files
            left join deliveries as delivery on delivery.account_id = links.account_id
              and delivery.drop_id = links.drop_id and delivery.position = links.position
              and delivery.file_id = files.id
            where files.account_id = links.account_id and files.drop_id = links.drop_id
          ), '[]') as files
        from links
        where links.account_id = ${accountId} and links.drop_id = ${dropId} and links.position > ${after}
        order by links.position limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },

    async forgetIdempotencyKeys(olderThanSeconds, count) {
      const { numDeletedRows } = await db
        .deleteFrom('idempotency_keys')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('account_id', 'key'),
            'in',
            selectFrom('idempotency_keys')
              .select(['account_id', 'key'])
              .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${olderThanSeconds})`)
              .orderBy('created_at')
              .limit(sql.lit(count))
              .$asTuple('account_id', 'key'),
          ),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

/** Ends the drops that `due` selects, by changing only their own rows. Returns how many. */
async function end(
  db: Database,
  due: RawBuilder<unknown>,
  revokedAt: RawBuilder<unknown> = sql`null`,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with due as materialized (${due})
    update drops set ended_at = now(), revoked_at = ${revokedAt}, link_key = null, remind_at = null, to_empty = true
    from due
    where drops.account_id = due.account_id and drops.id = due.id
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** A drop stays `to_empty` until a batch has found all that was left of it. */
async function empty(
  db: Database,
  { owners, rows: limit }: BatchSize,
  which: RawBuilder<unknown> = sql`true`,
): Promise<Batch> {
  const { rows } = await sql<{ drops: number; rows: number; more: boolean }>`
    with due as materialized (
      select account_id, id, type from drops where to_empty and ${which}
      order by ended_at limit ${sql.lit(owners)} for update skip locked
    ), due_files as materialized (
      select files.account_id, files.id
      from due join files on files.account_id = due.account_id and files.drop_id = due.id
      where files.state = 'ready' limit ${sql.lit(limit)}
    ), due_entries as materialized (
      select entry.account_id, entry.id
      from due join inbox_entries as entry on entry.sender_account_id = due.account_id and entry.drop_id = due.id
      limit ${sql.lit(limit)}
    ), due_desks as materialized (
      -- The operators compare bytes, whatever the collation; ';' follows ':'.
      select drafts.account_id, drafts.name
      from due join drafts on drafts.account_id = due.account_id
        and drafts.name ~>=~ ('link:' || due.id || ':') and drafts.name ~<~ ('link:' || due.id || ';')
      where due.type = 'uploadfiles' and drafts.touched_at > '-infinity' limit ${sql.lit(limit)}
    ), emptied as (
      update files set state = 'deleting', wrapped_key = null, lease_until = now()
      from due_files where files.account_id = due_files.account_id and files.id = due_files.id
    ), unlisted as (
      delete from inbox_entries as entry
      using due_entries where entry.account_id = due_entries.account_id and entry.id = due_entries.id
    ), cleared as (
      -- Staler than any other draft: it is the next to be dropped, with all that is on it.
      update drafts set touched_at = '-infinity'
      from due_desks where drafts.account_id = due_desks.account_id and drafts.name = due_desks.name
    ), found as (
      select (select count(*) from due) as drops, files + entries + desks as rows,
        greatest(files, entries, desks) = ${limit} as more
      from (
        select (select count(*) from due_files) as files, (select count(*) from due_entries) as entries,
          (select count(*) from due_desks) as desks
      ) as counted
    ), finished as (
      update drops set to_empty = false
      from due, found where drops.account_id = due.account_id and drops.id = due.id and not found.more
    )
    select drops, rows, more or drops = ${owners} as more from found
  `.execute(db);
  return { rows: rows[0]?.rows ?? 0, more: rows[0]?.more ?? false };
}

/** A drop goes with its links in the batch that finds nothing else left of it. */
async function forget(db: Database, olderThanSeconds: number, { owners, rows: limit }: BatchSize): Promise<Batch> {
  const { rows } = await sql<{ rows: number; more: boolean }>`
    with old as materialized (
      select account_id, id, ended_at, receiver_count + file_count as size from drops
      where ended_at < now() - make_interval(secs => ${olderThanSeconds}) and not to_empty
        and not exists (select from files
          where files.account_id = drops.account_id and files.drop_id = drops.id and files.state <> 'gone')
        and not exists (select from messages
          where messages.account_id = drops.account_id and messages.drop_id = drops.id and messages.state = 'waiting')
        and not exists (select from drops as received
          where received.account_id = drops.account_id and received.from_drop_id = drops.id)
        and not exists (select from inbox_entries as entry
          where entry.sender_account_id = drops.account_id and entry.drop_id = drops.id)
      order by ended_at limit ${sql.lit(owners)} for update skip locked
    ), due as materialized (
      -- At least one, and more while they have few links and files.
      select account_id, id from (
        select account_id, id, sum(size) over (order by ended_at, id) - size as before from old) as ordered
      where before < ${limit}
    ), due_deliveries as materialized (
      select due.account_id, due.id, row.position, row.file_id
      from due join deliveries as row on row.account_id = due.account_id and row.drop_id = due.id limit ${sql.lit(limit)}
    ), due_messages as materialized (
      select row.account_id, row.id
      from due join messages as row on row.account_id = due.account_id and row.drop_id = due.id limit ${sql.lit(limit)}
    ), due_sessions as materialized (
      select row.digest
      from due join link_sessions as row on row.account_id = due.account_id and row.drop_id = due.id limit ${sql.lit(limit)}
    ), deleted_deliveries as (
      delete from deliveries as row using due_deliveries as due
      where row.account_id = due.account_id and row.drop_id = due.id and row.position = due.position
        and row.file_id = due.file_id
    ), deleted_messages as (
      delete from messages as row using due_messages as due where row.account_id = due.account_id and row.id = due.id
    ), deleted_sessions as (
      delete from link_sessions as row using due_sessions as due where row.digest = due.digest
    ), found as (
      select (select count(*) from due) as drops, greatest(deliveries, messages, sessions) = ${limit} as more
      from (
        select (select count(*) from due_deliveries) as deliveries, (select count(*) from due_messages) as messages,
          (select count(*) from due_sessions) as sessions
      ) as counted
    ), finished as materialized (
      select account_id, id from due, found where not found.more
    ), deleted_files as (
      delete from files as row using finished where row.account_id = finished.account_id and row.drop_id = finished.id
    ), deleted_links as (
      delete from links as row using finished where row.account_id = finished.account_id and row.drop_id = finished.id
    ), deleted_drops as (
      delete from drops as row using finished where row.account_id = finished.account_id and row.id = finished.id
    )
    select case when more then 0 else drops end as rows, drops > 0 as more from found
  `.execute(db);
  return { rows: rows[0]?.rows ?? 0, more: rows[0]?.more ?? false };
}

function collect<Row extends { drop_id: string }, Line>(
  rows: readonly Row[],
  line: (row: Row) => Line,
): Map<string, Line[]> {
  const lines = new Map<string, Line[]>();
  for (const row of rows) {
    const list = lines.get(row.drop_id);
    if (list) list.push(line(row));
    else lines.set(row.drop_id, [line(row)]);
  }
  return lines;
}
