import { sql } from 'kysely';
import type { Receiver } from '../../../domain/contacts/contact-store.ts';
import type { DraftStore } from '../../../domain/drafts/draft-store.ts';
import { uploadDraftPrefix } from '../../../domain/uploads/account-upload.ts';
import { bindStatements, type Database } from '../database.ts';
import { longestPutSeconds } from '../files/uploads.ts';
import { secondsFromNow } from '../time.ts';

export function draftStore(db: Database): DraftStore {
  const { run } = bindStatements(db);
  const draft = (accountId: string, name: string) =>
    db.updateTable('drafts').where('account_id', '=', accountId).where('name', '=', name);

  return {
    async lock(accountId, name) {
      const row = await db
        .insertInto('drafts')
        .values({ account_id: accountId, name })
        .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet({ touched_at: sql`now()` }))
        .returning('receivers')
        .returning(({ eb }) => [
          eb('list_opened_at', 'is not', null).$castTo<boolean>().as('listOpened'),
          sql<{ digest: string; ageSeconds: number }[]>`(
            select coalesce(json_agg(json_build_object(
              'digest', digest, 'ageSeconds', extract(epoch from now() - at)) order by at desc), '[]')
            from jsonb_to_recordset(dispatches) as dispatch (digest text, at timestamptz))`.as('dispatches'),
        ])
        .executeTakeFirstOrThrow();
      return {
        receivers: row.receivers as unknown as Receiver[],
        listOpened: row.listOpened,
        dispatches: row.dispatches.map(({ digest, ageSeconds }) => ({
          digest: Buffer.from(digest, 'hex'),
          ageSeconds,
        })),
      };
    },

    lockExisting: (accountId, names) => run`
        select from drafts where account_id = ${accountId} and name = any(${names}::text[]) order by name for update
      `,

    async setReceivers(accountId, name, receivers) {
      await draft(accountId, name)
        .set({ receivers: JSON.stringify(receivers) })
        .execute();
    },

    async openList(accountId, name) {
      const opened = { list_opened_at: sql<Date>`now()`, touched_at: sql<Date>`now()` };
      await db
        .insertInto('drafts')
        .values({ account_id: accountId, name, ...opened })
        .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet(opened))
        .execute();
    },

    async consume(accountId, name, { digest, type, remembered }) {
      const newest = sql`jsonb_build_array(jsonb_build_object('digest', ${digest.toString('hex')}::text, 'at', now()))`;
      const path = `$[0 to ${remembered - 1}]`;
      await draft(accountId, name)
        .set({ receivers: '[]', dispatches: sql`jsonb_path_query_array(${newest} || dispatches, ${path}::jsonpath)` })
        .$if(type === 'downloadfiles', (query) => query.set({ list_opened_at: null }))
        .execute();
    },

    async dropStale(untouchedSeconds, { owners, rows: limit }) {
      const { rows } = await sql<{ dropped: number; more: boolean }>`
        with stale as materialized (
          select account_id, name from drafts
          where touched_at < now() - make_interval(secs => ${untouchedSeconds})
            -- A large file may take longer than that to arrive, unless the request has ended; and then it is checked.
            and (touched_at = '-infinity' or not exists (
              select from uploads where uploads.account_id = drafts.account_id and uploads.draft = drafts.name
                and (uploads.state = 'receiving' and uploads.due_at > now()
                  or uploads.state = 'checking' and starts_with(drafts.name, ${uploadDraftPrefix}))))
          order by touched_at limit ${sql.lit(owners)} for update skip locked
        ), due_files as materialized (
          select files.account_id, files.id
          from stale join files on files.account_id = stale.account_id and files.draft = stale.name
          where files.drop_id is null and files.state = 'ready'
          limit ${sql.lit(limit)}
        ), emptied as (
          update files set state = 'deleting', wrapped_key = null, lease_until = now()
          from due_files where files.account_id = due_files.account_id and files.id = due_files.id
        ), due_uploads as materialized (
          select uploads.account_id, uploads.id
          from stale join uploads on uploads.account_id = stale.account_id and uploads.draft = stale.name
          where uploads.state <> 'abandoned'
          limit ${sql.lit(limit)}
        ), abandoned as (
          update uploads set state = 'abandoned', wrapped_key = null, refusal = null,
            due_at = ${secondsFromNow(longestPutSeconds)}
          from due_uploads where uploads.account_id = due_uploads.account_id and uploads.id = due_uploads.id
        ), found as (
          select (select count(*) from stale) as drafts,
            ${limit} in ((select count(*) from due_files), (select count(*) from due_uploads)) as more
        ), dropped as (
          delete from drafts using stale, found
          where drafts.account_id = stale.account_id and drafts.name = stale.name and not found.more
          returning 1
        )
        select (select count(*) from dropped) as dropped, more or drafts = ${owners} as more from found
      `.execute(db);
      return { rows: rows[0]?.dropped ?? 0, more: rows[0]?.more ?? false };
    },
  };
}
