import type { DropType } from '@waybill/protocol';
import { sql } from 'kysely';
import type { DropEnding, Link, LinkStore } from '../../domain/ports/index.ts';
import type { Database } from './database.ts';
import { type ReadyFile, sealedFileColumns } from './sealed-file.ts';
import { secondsFromNow } from './time.ts';

export function linkStore(db: Database): LinkStore {
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
        'links.email as receiver',
        'links.number',
        'links.language',
        'drops.message',
        'drops.ttl',
        'drops.expires_at as expiresAt',
        'accounts.second_factor as secondFactor',
        sql<boolean>`drops.ended_at is not null or drops.expires_at <= now()`.as('ended'),
        sql<boolean>`drops.revoked_at is not null`.as('revoked'),
      ])
      // A link has one of the types that the API knows; a set that a contact sent has no links.
      .$narrowType<{ type: DropType }>();

  return {
    byToken: (digest) => links().where('links.token_digest', '=', digest).executeTakeFirst(),

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
          sql<boolean>`session.code_expires_at <= now()`.as('expired'),
          sql<boolean>`session.passed_at is not null`.as('passed'),
        ])
        .where('session.digest', '=', digest)
        .executeTakeFirst();
      if (!row) return undefined;
      const { codeId, tries, expired, passed, ...link } = row;
      return { link, digest, passed, code: codeId === null ? undefined : { tries, expired } };
    },

    async open(link, digest, keepSeconds, maxSessions) {
      // Locks the link, so that of browsers that open it at once each sees the sessions of those before it.
      await sql`
        update links set opened_at = coalesce(opened_at, now())
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
      `.execute(db);
      // The time of the statement: a transaction that had to wait for the lock began before sessions that are older.
      await sql`
        with surplus as (
          delete from link_sessions where digest in (
            select digest from link_sessions
            where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
            order by passed_at is not null desc, created_at desc offset ${maxSessions - 1})
        )
        insert into link_sessions (digest, account_id, drop_id, position, created_at, forget_at)
        values (${digest}, ${link.accountId}, ${link.dropId}, ${link.position}, clock_timestamp(),
          ${link.expiresAt}::timestamptz + make_interval(secs => ${keepSeconds}))
      `.execute(db);
    },

    async close(digest) {
      await db.deleteFrom('link_sessions').where('digest', '=', digest).execute();
    },

    key: (link) =>
      db
        .selectFrom('drops')
        .select(['link_key as linkKey', 'key_version as keyVersion'])
        .where('account_id', '=', link.accountId)
        .where('id', '=', link.dropId)
        .where('link_key', 'is not', null)
        .$narrowType<{ linkKey: Buffer }>()
        .executeTakeFirst(),

    lock: (link) => lockLink(db, link),

    async holdLive(link) {
      const { rows } = await sql<{ ended: boolean; revoked: boolean }>`
        select ended_at is not null or expires_at <= now() as ended, revoked_at is not null as revoked from drops
        where account_id = ${link.accountId} and id = ${link.dropId}
        for share
      `.execute(db);
      return rows[0] ?? { ended: true, revoked: false };
    },

    async endings(drops) {
      const { rows } = await sql<DropEnding>`
        select drops.account_id as "accountId", drops.id as "dropId", revoked_at is not null as revoked, true as ended
        from unnest(${drops.map(({ accountId }) => accountId)}::uuid[], ${drops.map(({ dropId }) => dropId)}::uuid[])
          as asked (account_id, id)
        join drops on drops.account_id = asked.account_id and drops.id = asked.id
        where ended_at is not null or expires_at <= now()
      `.execute(db);
      return rows;
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

    async setCode(digest, codeId, ttlSeconds) {
      await db
        .updateTable('link_sessions')
        .set({
          code_id: codeId,
          code_expires_at: secondsFromNow(ttlSeconds),
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
      const { rows } = await sql`
        with passed as (
          update link_sessions set passed_at = now(), code_id = null
          where digest = ${digest} and code_id = ${codeId}
          returning 1
        )
        update links set passed_at = coalesce(passed_at, now()) from passed
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
        returning 1
      `.execute(db);
      return rows.length === 1;
    },

    async forgetSessions(count) {
      const { numDeletedRows } = await db
        .deleteFrom('link_sessions')
        .where(({ eb, selectFrom }) =>
          eb(
            'digest',
            'in',
            selectFrom('link_sessions')
              .select('digest')
              .where('forget_at', '<', sql<Date>`now()`)
              .orderBy('forget_at')
              .limit(sql.lit(count)),
          ),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },

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
        .select(sql<boolean>`delivery.completed_at is not null`.as('complete'))
        .where('files.account_id', '=', link.accountId)
        .where('files.drop_id', '=', link.dropId)
        .where('files.state', '=', 'ready')
        .$if(fileId !== undefined, (query) => query.where('files.id', '=', fileId as string))
        .orderBy('files.created_at')
        .orderBy('files.id')
        .$narrowType<ReadyFile>()
        .execute(),

    deliver: (link, file, sent) =>
      db.isTransaction
        ? deliver(db, link, file, sent)
        : db.transaction().execute((tx) => deliver(tx, link, file, sent)),
  };
}

async function deliver(
  db: Database,
  link: Link,
  file: { id: string; sizeBytes: number },
  { start, end }: { start: number; end: number },
): Promise<boolean> {
  // One delivery of a link after the other: of two last files that arrive together, each would miss the other's mark.
  await lockLink(db, link);
  // Where a client leaves more gaps than we keep, its shortest ranges are forgotten: the file may then never count as
  // complete, but it never does by mistake.
  const { rows } = await sql<{ complete: boolean }>`
    with delivered as (
      insert into deliveries as d (account_id, drop_id, position, file_id, delivered, completed_at)
      values (${link.accountId}, ${link.dropId}, ${link.position}, ${file.id},
        int8multirange(int8range(${start}, ${end})),
        case when int8range(${start}, ${end}) @> int8range(0, ${file.sizeBytes}) then now() end)
      on conflict (account_id, drop_id, position, file_id) do update set
        delivered = (
          select coalesce(range_agg(part), '{}') from (
            select part from unnest(d.delivered + excluded.delivered) as part
            order by upper(part) - lower(part) desc limit ${sql.lit(maxRangesPerFile)}) as longest),
        completed_at = coalesce(d.completed_at,
          case when d.delivered + excluded.delivered @> int8range(0, ${file.sizeBytes}) then now() end)
      returning completed_at is not null as complete
    ), completed as (
      update links set completed_at = now()
      from drops
      where links.account_id = ${link.accountId} and links.drop_id = ${link.dropId}
        and links.position = ${link.position} and links.completed_at is null
        and drops.account_id = links.account_id and drops.id = links.drop_id
        and (select complete from delivered)
        and drops.file_count = 1 + (
          select count(*) from deliveries as other
          where other.account_id = links.account_id and other.drop_id = links.drop_id
            and other.position = links.position and other.file_id <> ${file.id}
            and other.completed_at is not null)
      returning 1
    )
    select exists (select 1 from completed) as complete
  `.execute(db);
  return rows[0]?.complete ?? false;
}

/** About 20 kB in a row. Download managers leave a few dozen gaps at a time. */
const maxRangesPerFile = 1_000;

/** Until the transaction ends. */
async function lockLink(db: Database, link: Link): Promise<void> {
  await sql`
    select from links
    where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
    for no key update
  `.execute(db);
}
