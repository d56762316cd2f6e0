import { sql } from 'kysely';
import type { Link } from '../../../domain/links/link-store.ts';
import type { CompletedVisit, SharedLink, SharedLinkStore } from '../../../domain/links/shared-link-store.ts';
import { isLimitedToDomains, secondFactorRule, sharedLinksRule } from '../accounts/account-columns.ts';
import { bindStatements, type Database } from '../database.ts';
import { evidenceFile } from '../files/sealed-file.ts';
import { secondsFromNow } from '../time.ts';
import { keepLongestRanges } from './sent-ranges.ts';

export function sharedLinkStore(db: Database): SharedLinkStore {
  const { readRow, readRows, run, changeOne } = bindStatements(db);
  return {
    list: (accountId, dropId) => readRows<SharedLink>`
        select links.kind, links.position, links.created_at as "createdAt", links.created_by as "createdBy",
          least(drops.expires_at, links.expires_at) as "expiresAt",
          drops.ended_at is not null or least(drops.expires_at, links.expires_at) <= now() as ended,
          least(drops.revoked_at, links.revoked_at) as "revokedAt", links.max_downloads as "maxDownloads",
          links.downloads, links.last_download_at as "lastDownloadAt", links.visits, links.opened_at as "openedAt",
          drops.second_factor as "secondFactor", ${secondFactorRule} as "secondFactorRule",
          ${sharedLinksRule} as "sharedLinksRule", ${isLimitedToDomains} as "isLimitedToDomains"
        from links join drops on drops.account_id = links.account_id and drops.id = links.drop_id
        join accounts on accounts.id = links.account_id
        where links.account_id = ${accountId} and links.drop_id = ${dropId} and links.position >= ${firstShared}
        order by links.position
      `,

    insert: (accountId, dropId, link) => run`
        insert into links (account_id, drop_id, position, kind, email, contact_name, phone, language, groups, token_digest,
          created_at, created_by, expires_at, max_downloads)
        values (${accountId}, ${dropId}, ${link.position}, ${link.kind}, '', '', '', '', '{}', ${link.tokenDigest},
          now(), ${link.createdBy}, ${link.expiresAt}, ${link.maxDownloads})
      `,

    async reserve(link, transferId, leaseSeconds) {
      const session = link.session as Buffer;
      const { rows } = await sql<{ downloads: number }>`
        select downloads from links
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
        for no key update
      `.execute(db);
      const max = link.maxDownloads as number;
      const downloads = rows[0]?.downloads ?? max;
      // A statement of its own, which sees what those before it did under the lock.
      const { rows: found } = await sql<{ counted: boolean; taken: number }>`
        with lapsed as (
          delete from download_places
          where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position} and due_at <= now()
        )
        select exists (select from link_sessions where digest = ${session} and counted_at is not null) as counted, (
          select count(distinct session) from download_places
          where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
            and due_at > now() and session <> ${session}) as taken
      `.execute(db);
      const { counted = false, taken = 0 } = found[0] ?? {};
      if (counted) return 'held';
      if (downloads >= max) return 'used_up';
      if (downloads + taken >= max) return 'taken';
      await sql`
        insert into download_places (account_id, drop_id, position, id, session, due_at)
        select ${link.accountId}, ${link.dropId}, ${link.position}, ${transferId}, digest, ${secondsFromNow(leaseSeconds)}
        from link_sessions where digest = ${session}
      `.execute(db);
      return 'held';
    },

    renew: async (link, transferId, leaseSeconds) => {
      const isRenewed = await changeOne`
        update download_places set due_at = ${secondsFromNow(leaseSeconds)}
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
          and id = ${transferId} and due_at > now()
      `;
      return (
        isRenewed ||
        (await readRow`
        select 1 from link_sessions where digest = ${link.session} and counted_at is not null
      `) !== undefined
      );
    },

    release: (link, transferId) => run`
        delete from download_places
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position} and id = ${transferId}
      `,

    async deliver(link, session, deliveries) {
      await sql`
        select from links
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
        for no key update
      `.execute(db);
      const { rows } = await sql<CompletedVisit>`
        with visit as materialized (
          select digest, counted_at is not null as counted from link_sessions where digest = ${session}
        ), sent as materialized (
          select file_id, size_bytes, int8multirange(int8range(first, beyond)) as part
          from unnest(${deliveries.map(({ file }) => file.id)}::uuid[], ${deliveries.map(({ file }) => file.sizeBytes)}::int8[],
            ${deliveries.map(({ sent }) => sent.start)}::int8[], ${deliveries.map(({ sent }) => sent.end)}::int8[])
            as sent (file_id, size_bytes, first, beyond)
        ), merged as materialized (
          select sent.file_id, coalesce(own.delivered, '{}') + part as own, coalesce(others.delivered, '{}') + part as uncounted,
            coalesce(own.delivered, '{}') + part @> int8range(0, size_bytes) as is_whole,
            coalesce(others.delivered, '{}') + part @> int8range(0, size_bytes) as is_rest,
            others.completed_at
          from sent
          left join visit_deliveries as own on own.session = ${session} and own.file_id = sent.file_id
          left join deliveries as others on others.account_id = ${link.accountId} and others.drop_id = ${link.dropId}
            and others.position = ${link.position} and others.file_id = sent.file_id
        ), recorded as (
          insert into visit_deliveries as visit_file (session, file_id, delivered, completed_at)
          select visit.digest, file_id, ${keepLongestRanges(sql`own`)}, case when is_whole then now() end from merged, visit
          on conflict (session, file_id) do update set
            delivered = excluded.delivered, completed_at = coalesce(visit_file.completed_at, excluded.completed_at)
        ), judged as materialized (
          select coalesce((select counted from visit), false) as was_counted,
            not coalesce((select counted from visit), false) and coalesce(bool_or(is_whole or is_rest), false) as counts
          from merged
        ), gathered as (
          insert into deliveries as earlier (account_id, drop_id, position, file_id, delivered, completed_at)
          select ${link.accountId}, ${link.dropId}, ${link.position}, file_id,
            case when was_counted then '{}' when is_rest then '{}' else ${keepLongestRanges(sql`uncounted`)} end,
            case when is_whole or (is_rest and not was_counted) then now() end
          from merged, judged
          on conflict (account_id, drop_id, position, file_id) do update set
            delivered = case when (select was_counted from judged) then earlier.delivered else excluded.delivered end,
            completed_at = coalesce(earlier.completed_at, excluded.completed_at)
          returning file_id, completed_at
        ), counted as (
          update link_sessions set counted_at = now() from judged where digest = ${session} and judged.counts
        ), left_places as (
          delete from download_places where session = ${session} and (select counts from judged)
        ), total as (
          update links set downloads = downloads + 1, last_download_at = now() from judged
          where links.account_id = ${link.accountId} and links.drop_id = ${link.dropId}
            and links.position = ${link.position} and judged.counts
          returning downloads
        )
        select (select downloads from total) as downloads, (
          select coalesce(json_agg(json_build_object('id', files.id, 'name', files.name, 'evidence', ${evidenceFile}) order by files.created_at, files.id), '[]')
          from gathered join merged on merged.file_id = gathered.file_id
          join files on files.account_id = ${link.accountId} and files.id = gathered.file_id
          where gathered.completed_at is not null and merged.completed_at is null
        ) as files
      `.execute(db);
      const { files, downloads } = rows[0] as Pick<CompletedVisit, 'files' | 'downloads'>;
      return { files, downloads, link: await completeLink(db, link) };
    },

    async setCodeFor(session, position, codeId, lifetimeSeconds) {
      await db
        .updateTable('link_sessions')
        .set({
          for_position: position,
          code_id: codeId,
          code_expires_at: secondsFromNow(lifetimeSeconds),
          code_tries: 0,
        })
        .where('digest', '=', session)
        .execute();
    },

    countWrongCode: (link, max) => changeOne`
        update links set wrong_codes = wrong_codes + 1
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
          and wrong_codes < ${max}
      `,

    uncountWrongCode: (link) => run`
        update links set wrong_codes = wrong_codes - 1
        where account_id = ${link.accountId} and drop_id = ${link.dropId} and position = ${link.position}
      `,

    async findAsked(session) {
      const row = await readRow<{ position: number | null }>`
        select for_position as position from link_sessions where digest = ${session}
      `;
      return row?.position ?? null;
    },

    async become(session, { accountId, dropId, position }, codeId, maxSessions) {
      await sql`
        select from links where account_id = ${accountId} and drop_id = ${dropId} and position = ${position}
        for no key update
      `.execute(db);
      const isMoved = await changeOne`
        update link_sessions set position = ${position}, for_position = null, code_id = null, passed_at = now(),
          passed_channel = 'mail', created_at = clock_timestamp()
        where digest = ${session} and code_id = ${codeId}
      `;
      if (!isMoved) return undefined;
      return readRow<{ isFirst: boolean; hasClosed: boolean }>`
        with surplus as (
          delete from link_sessions where digest in (
            select digest from link_sessions
            where account_id = ${accountId} and drop_id = ${dropId} and position = ${position}
            order by passed_at is not null desc, created_at desc offset ${maxSessions})
          returning 1
        ), before as materialized (
          select opened_at is null as is_first from links
          where account_id = ${accountId} and drop_id = ${dropId} and position = ${position}
        ), opened as (
          update links set opened_at = coalesce(opened_at, now()), passed_at = coalesce(passed_at, now())
          where account_id = ${accountId} and drop_id = ${dropId} and position = ${position}
        )
        select is_first as "isFirst", exists (select from surplus) as "hasClosed" from before
      `;
    },
  };
}

/** Below it are the positions of receivers. */
export const firstShared = sql.lit(1_000_000);

/** Marks the link as complete when every file was sent in full. Returns whether that is new. */
async function completeLink(db: Database, { accountId, dropId, position }: Link): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update links set completed_at = now() from drops
    where links.account_id = ${accountId} and links.drop_id = ${dropId} and links.position = ${position}
      and links.completed_at is null and drops.account_id = links.account_id and drops.id = links.drop_id
      and drops.file_count = (
        select count(completed_at) from deliveries as each
        where each.account_id = ${accountId} and each.drop_id = ${dropId} and each.position = ${position})
  `.execute(db);
  return numAffectedRows === 1n;
}
