import type { Receiver } from '@waybill/protocol';
import { sql } from 'kysely';
import type { DraftStore } from '../../domain/ports.ts';
import type { Database } from './database.ts';

export function draftStore(db: Database): DraftStore {
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

    async dropStale(untouchedSeconds, count) {
      const { rows } = await sql<{ dropped: number }>`
        with stale as (
          select account_id, name from drafts
          where touched_at < now() - make_interval(secs => ${untouchedSeconds})
            -- A contact's large file may take longer than that.
            and not exists (
              select from uploads where uploads.account_id = drafts.account_id and uploads.draft = drafts.name
                and uploads.state = 'receiving' and uploads.due_at > now())
          order by touched_at limit ${count} for update skip locked
        ), emptied as (
          update files set state = 'deleting', wrapped_key = null, lease_until = now()
          from stale
          where files.account_id = stale.account_id and files.draft = stale.name
            and files.state = 'ready' and files.drop_id is null
        ), given_up as (
          update uploads set state = 'given_up', wrapped_key = null, refusal = null, due_at = now() + interval '10 minutes'
          from stale
          where uploads.account_id = stale.account_id and uploads.draft = stale.name and uploads.state <> 'given_up'
        ), dropped as (
          delete from drafts using stale
          where drafts.account_id = stale.account_id and drafts.name = stale.name
          returning 1
        )
        select count(*) as dropped from dropped
      `.execute(db);
      return rows[0]?.dropped ?? 0;
    },
  };
}
