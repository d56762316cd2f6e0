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
        .returning(['receivers', 'dispatched_digest as dispatchedDigest'])
        .returning(({ eb }) => [
          eb('list_opened_at', 'is not', null).$castTo<boolean>().as('listOpened'),
          sql<boolean>`dispatched_at > now() - interval '10 minutes'`.as('dispatchedRecently'),
        ])
        .executeTakeFirstOrThrow();
      return {
        receivers: row.receivers as unknown as Receiver[],
        listOpened: row.listOpened,
        recentDispatch: (row.dispatchedRecently && row.dispatchedDigest) || undefined,
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

    async consume(accountId, name, digest, type) {
      await draft(accountId, name)
        .set({ receivers: '[]', dispatched_digest: digest, dispatched_at: sql`now()` })
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
