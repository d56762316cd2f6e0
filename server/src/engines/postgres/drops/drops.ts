import type { DropType } from '@waybill/protocol';
import { type RawBuilder, sql } from 'kysely';
import type { Batch, BatchSize, PagePosition } from '../../../domain/batch.ts';
import type { Receiver } from '../../../domain/contacts/contact-store.ts';
import type {
  DropDeadline,
  DropStore,
  EndedDrop,
  NewLink,
  ReceiverState,
  Sending,
} from '../../../domain/drops/drop-store.ts';
import type { FileLine } from '../../../domain/files/file-store.ts';
import { bindStatements, type Database } from '../database.ts';
import { secondsFromNow } from '../time.ts';
import { isRestorable, lastOutcome, stateOfDrop } from './drop-columns.ts';
import { purgeActivity, purgeDrops } from './purge-drops.ts';

/** As text: a Date would lose the microseconds, and with them the position in the order. */
const selectPosition = (column: string) => sql<string>`${sql.ref(column)}::text`.as('createdAt');
const selectSeconds = (column: string) =>
  sql<number>`floor(extract(epoch from ${sql.ref(column)}))::bigint`.as('createdSeconds');
const isBefore = (createdAt: string, id: string, { createdAt: time, id: after }: PagePosition) =>
  sql<boolean>`(${sql.ref(createdAt)}, ${sql.ref(id)}) < (${time}::timestamptz, ${after}::uuid)`;

export function dropStore(db: Database): DropStore {
  const { changeOne, readRow, readRows, run } = bindStatements(db);
  const inbox = (accountId: string) =>
    db
      .selectFrom('inbox_entries as entry')
      .innerJoin('drops', (join) =>
        join.onRef('drops.account_id', '=', 'entry.sender_account_id').onRef('drops.id', '=', 'entry.drop_id'),
      )
      .innerJoin('accounts as sender', 'sender.id', 'entry.sender_account_id')
      // A set that a contact sent belongs to the account itself and comes from the contact.
      .leftJoin('links as contact', (join) =>
        join
          .onRef('contact.account_id', '=', 'drops.account_id')
          .onRef('contact.drop_id', '=', 'drops.request_id')
          .onRef('contact.position', '=', 'drops.request_position'),
      )
      .select([
        'entry.id',
        'entry.sender_account_id as senderAccountId',
        'entry.drop_id as dropId',
        'drops.lifetime',
        'drops.file_count as fileCount',
        sql<string>`coalesce(contact.email, sender.email)`.as('sender'),
      ])
      .select([selectPosition('entry.created_at'), selectSeconds('entry.created_at')])
      .where('entry.account_id', '=', accountId)
      .where('drops.ended_at', 'is', null)
      .where('drops.expires_at', '>', sql<Date>`now()`);

  return {
    async insert(accountId, drop, links) {
      const inserted = db
        .insertInto('drops')
        .values({
          account_id: accountId,
          id: drop.id,
          type: drop.type,
          message: drop.message,
          lifetime: drop.lifetime,
          expires_at: sql`now() + make_interval(secs => ${drop.lifetimeSeconds})`,
          receiver_count: drop.receiverCount,
          file_count: drop.fileCount,
          link_key: drop.linkKey?.wrapped ?? null,
          key_day: drop.linkKey?.day ?? null,
          remind_at:
            drop.reminderSeconds === null
              ? null
              : sql`now() + make_interval(secs => ${drop.lifetimeSeconds - drop.reminderSeconds})`,
          request_id: drop.from?.dropId ?? null,
          request_position: drop.from?.position ?? null,
          title: drop.choices?.title ?? null,
          external_id: drop.choices?.externalId ?? null,
          metadata: drop.choices?.metadata ? JSON.stringify(drop.choices.metadata) : null,
          second_factor: drop.choices?.secondFactor ?? null,
          passphrase: drop.passphraseHash ?? null,
          notify: drop.choices?.notify ?? true,
          reusable: drop.choices?.reusable ?? true,
          wanted: drop.choices?.wanted?.length ? JSON.stringify(drop.choices.wanted) : null,
          unsolicited: drop.isUnsolicited ?? false,
          sent_by: drop.author?.kind === 'person' ? drop.author.id : null,
          key_id: drop.author?.kind === 'key' ? drop.author.id : null,
        })
        .returning(['account_id', 'id', 'expires_at']);
      const { rows } = await sql<{ expiresAt: Date }>`
        with owner as (${inserted}), linked as (${insertLinksOf(links)})
        select expires_at as "expiresAt" from owner
      `.execute(db);
      return (rows[0] as { expiresAt: Date }).expiresAt;
    },

    insertLinks: (accountId, dropId, links) => run`
        with owner as (select ${accountId}::uuid as account_id, ${dropId}::uuid as id) ${insertLinksOf(links)}
      `,

    insertInboxEntries: (senderAccountId, dropId, entries) => run`
        insert into inbox_entries (account_id, id, sender_account_id, drop_id, request_id, external_id)
        select entry.account_id, entry.id, drops.account_id, drops.id, drops.request_id,
          coalesce(request.external_id, drops.external_id)
        from unnest(${entries.map(({ accountId }) => accountId)}::uuid[], ${entries.map(({ id }) => id)}::uuid[])
            as entry (account_id, id)
          join drops on drops.account_id = ${senderAccountId} and drops.id = ${dropId}
          left join drops as request on request.account_id = drops.account_id and request.id = drops.request_id
      `,

    page: (accountId, after, count) =>
      db
        .selectFrom('drops')
        .select(['id', 'type', 'lifetime', 'message', 'receiver_count as receiverCount', 'file_count as fileCount'])
        .select('expires_at as expiresAt')
        .select([selectPosition('created_at'), selectSeconds('created_at'), stateOfDrop.as('state')])
        .where('account_id', '=', accountId)
        // Files from contacts are in the inbox, not in the history of drops and requests.
        .where(sql<boolean>`drops.type <> 'receivedfiles' and not drops.unsolicited`)
        .$narrowType<{ type: DropType }>()
        .$if(after !== undefined, (query) => query.where(isBefore('created_at', 'id', after as PagePosition)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(sql.lit(count))
        .execute(),

    byIdEnd: (digits, count) =>
      db
        .selectFrom('drops')
        .innerJoin('accounts', 'accounts.id', 'drops.account_id')
        .select(['drops.id', 'drops.type', 'accounts.email as account'])
        .select([selectSeconds('drops.created_at'), stateOfDrop.as('state')])
        .where(sql<boolean>`right(drops.id::text, 10) = ${digits}`)
        .limit(sql.lit(count))
        .execute(),

    async receivers(accountId, dropIds) {
      const rows = await db
        .selectFrom('links')
        .select(['drop_id', 'email', 'phone', 'language', 'groups', 'contact_name as contactName', 'name'])
        .where('account_id', '=', accountId)
        .where('drop_id', '=', sql<string>`any(${dropIds}::uuid[])`)
        .where('kind', '=', 'receiver')
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
      inbox(accountId)
        .$if(after !== undefined, (query) =>
          query.where(isBefore('entry.created_at', 'entry.id', after as PagePosition)),
        )
        .orderBy('entry.created_at', 'desc')
        .orderBy('entry.id', 'desc')
        .limit(sql.lit(count))
        .execute(),

    inboxEntry: (accountId, entryId) => inbox(accountId).where('entry.id', '=', entryId).executeTakeFirst(),

    sentThrough: ({ accountId, dropId, position }, max) => readRows<Sending>`
        select drops.created_at as "sentAt", drops.file_count as "fileCount",
          listed.bytes as "totalBytes", listed.files
        from drops cross join lateral (
          select coalesce(sum(size_bytes), 0)::bigint as bytes, coalesce(json_agg(json_build_object(
            'name', path, 'sizeBytes', size_bytes, 'scan', scan, 'unscannedReason', unscanned_reason,
            'sha256', encode(sha256, 'hex')) order by number) filter (where number <= ${max.files}), '[]') as files
          from (
            select coalesce(path, name) as path, size_bytes, scan, unscanned_reason, sha256, row_number() over (order by created_at, id) as number
            from files where files.account_id = drops.account_id and files.drop_id = drops.id) as numbered
        ) as listed
        where drops.account_id = ${accountId} and drops.request_id = ${dropId} and drops.request_position = ${position}
        order by drops.created_at desc, drops.id desc limit ${sql.lit(max.sendings)}
      `,

    endExpired: (count) =>
      endDrops(
        db,
        sql`
          select account_id, id from drops
          where ended_at is null and expires_at <= now()
          order by expires_at limit ${sql.lit(count)} for update skip locked`,
      ),

    empty: (batch, only) => empty(db, batch, only && sql`account_id = ${only.accountId} and id = ${only.dropId}`),

    purge: (olderThanSeconds, batch, after) => purgeDrops(db, olderThanSeconds, batch, after),
    purgeActivity: (olderThanSeconds, batch, after) => purgeActivity(db, olderThanSeconds, batch, after),

    async revoke(accountId, dropId) {
      const due = sql`
        select account_id, id from drops
        where account_id = ${accountId} and id = ${dropId} and ended_at is null and expires_at > now()
        for update`;
      return (await endDrops(db, due, sql`now()`))[0];
    },

    revokeForNow: (accountId, dropId, undoSeconds) => readRow<EndedDrop>`
        update drops set ended_at = now(), revoked_at = now(), to_empty = true, restorable_until = ${secondsFromNow(undoSeconds)}
        where account_id = ${accountId} and id = ${dropId} and ended_at is null and expires_at > now()
        returning account_id as "accountId", id as "dropId", type, ${keyDay} as "keyDay"
      `,

    restore: (accountId, { dropId, type }) => changeOne`
        with heard as (
          update links set send_again_asked_at = null from drops
          where links.account_id = ${accountId} and links.drop_id = ${dropId} and links.revoked_at is null
            and links.send_again_asked_at is not null
            and drops.account_id = links.account_id and drops.id = links.drop_id and ${isRestorable}
        )
        update drops set ended_at = null, revoked_at = null, to_empty = false, restorable_until = null
        where account_id = ${accountId} and id = ${dropId} and type = ${type} and ${isRestorable}
      `,

    lockDeadline: (accountId, dropId) => readRow<DropDeadline>`
        select type, ${stateOfDrop} as state, expires_at as "expiresAt", now() as now, notify, xmin::text as version
        from drops
        where account_id = ${accountId} and id = ${dropId}
        for update
      `,

    moveDeadline: (accountId, dropId, until, reminderSeconds) => run`
        with moved as (
          select account_id, id, expires_at from drops where account_id = ${accountId} and id = ${dropId}
        ), heard as (
          update links set more_time_asked_at = null from moved
          where links.account_id = moved.account_id and links.drop_id = moved.id and links.more_time_asked_at is not null
        ), kept as (
          update link_sessions as session set purge_at = session.purge_at + (${until}::timestamptz - moved.expires_at)
          from moved where session.account_id = moved.account_id and session.drop_id = moved.id
        )
        update drops
        set expires_at = ${until}, remind_at = ${until}::timestamptz - make_interval(secs => ${reminderSeconds})
        from moved where drops.account_id = moved.account_id and drops.id = moved.id
      `,

    deliveryStates: (accountId, dropId, after, count) => readRows<ReceiverState>`
        select links.position, links.email as receiver, links.notified_at as "notifiedAt", links.opened_at as "openedAt",
          links.undeliverable_at as "undeliverableAt", ${lastOutcome} as "undeliverableReason",
          links.passed_at as "passedAt", coalesce(links.completed_at, received.first) as "completedAt", drops.type,
          received.sendings, received.files as "filesReceived", received.last as "lastReceivedAt",
          drops.activity_purged as "isPurged", coalesce((
            select json_agg(json_build_object('name', files.name, 'sizeBytes', files.size_bytes,
              'deliveredBytes', (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(delivery.delivered) as part)
            ) order by files.created_at, files.id)
            from files
            left join deliveries as delivery on delivery.account_id = links.account_id
              and delivery.drop_id = links.drop_id and delivery.position = links.position
              and delivery.file_id = files.id
            where files.account_id = links.account_id and files.drop_id = links.drop_id
          ), '[]') as files
        from links join drops on drops.account_id = links.account_id and drops.id = links.drop_id
        cross join lateral (
          select count(*) as sendings, coalesce(sum(file_count), 0) as files, min(created_at) as first,
            max(created_at) as last
          from drops as sending
          where sending.account_id = links.account_id and sending.request_id = links.drop_id
            and sending.request_position = links.position
        ) as received
        where links.account_id = ${accountId} and links.drop_id = ${dropId} and links.position > ${after}
          and links.kind = 'receiver'
        order by links.position limit ${sql.lit(count)}
      `,
  };
}

/** Inserts the links of the drop that `owner`, a part of the statement, selects or inserts. */
function insertLinksOf(links: readonly NewLink[]): RawBuilder<unknown> {
  const json = JSON.stringify(
    links.map(({ position, receiver, tokenDigest }) => ({
      ...receiver,
      position,
      digest: tokenDigest.toString('hex'),
    })),
  );
  return sql`
    insert into links (account_id, drop_id, position, email, phone, language, groups, contact_name, name, token_digest)
    select owner.account_id, owner.id, position, email, phone, language, groups, "contactName", name, decode(digest, 'hex')
    from owner, jsonb_to_recordset(${json}::jsonb) as link (
      position integer, email text, phone text, language text, groups text[], "contactName" text, name text, digest text)`;
}

/** The files of a drop have the key of one day; only a drop without files has none but that of its links. */
const keyDay = sql`(date '1970-01-01' + coalesce((
  select files.key_day from files where files.account_id = drops.account_id and files.drop_id = drops.id limit 1
), drops.key_day))::text`;

/** Ends the drops that `due` selects by changing only their own rows. */
export async function endDrops(
  db: Database,
  due: RawBuilder<unknown>,
  revokedAt: RawBuilder<unknown> = sql`null`,
): Promise<EndedDrop[]> {
  const { rows } = await sql<EndedDrop>`
    with due as materialized (${due})
    update drops set ended_at = now(), revoked_at = ${revokedAt}, link_key = null, remind_at = null, to_empty = true
    from due
    where drops.account_id = due.account_id and drops.id = due.id
    returning drops.account_id as "accountId", drops.id as "dropId", type, unsolicited as "isUnsolicited",
      ${keyDay} as "keyDay"
  `.execute(db);
  return rows;
}

/**
 * A drop stays `to_empty` until a batch has handled everything that was left of it. From the first batch on, its revocation
 * cannot be undone any more, whatever the clock says later.
 */
async function empty(
  db: Database,
  { owners, rows: limit }: BatchSize,
  which: RawBuilder<unknown> = sql`true`,
): Promise<Batch> {
  const { rows } = await sql<{ drops: number; rows: number; more: boolean }>`
    with due as materialized (
      select account_id, id, type from drops
      where to_empty and (restorable_until is null or restorable_until <= now()) and ${which}
      order by ended_at limit ${sql.lit(owners)} for update skip locked
    ), due_files as materialized (
      select files.account_id, files.id
      from due join files on files.account_id = due.account_id and files.drop_id = due.id
      where files.state = 'ready' limit ${sql.lit(limit)}
    ), due_entries as materialized (
      select entry.account_id, entry.id
      from due join inbox_entries as entry on entry.sender_account_id = due.account_id and entry.drop_id = due.id
      limit ${sql.lit(limit)}
    ), due_drafts as materialized (
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
      -- Older than any other draft, so that it is the next to be removed, with all its files.
      update drafts set touched_at = '-infinity'
      from due_drafts where drafts.account_id = due_drafts.account_id and drafts.name = due_drafts.name
    ), found as (
      select (select count(*) from due) as drops, files + entries + drafts_cleared as rows,
        greatest(files, entries, drafts_cleared) = ${limit} as more
      from (
        select (select count(*) from due_files) as files, (select count(*) from due_entries) as entries,
          (select count(*) from due_drafts) as drafts_cleared
      ) as counted
    ), finished as (
      update drops set to_empty = found.more, link_key = null, remind_at = null, restorable_until = null
      from due, found where drops.account_id = due.account_id and drops.id = due.id
    )
    select drops, rows, more or drops = ${owners} as more from found
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
