import { type RawBuilder, sql } from 'kysely';
import { tellOwnerJob } from '../../../domain/webhooks/tell-owner.ts';
import type { DisabledReason, Webhook, WebhookStore } from '../../../domain/webhooks/webhook-store.ts';
import type { Database } from '../database.ts';
import { jobPayload, type Traceparent } from '../jobs/job-payload.ts';

interface Row extends Omit<Webhook, 'previous' | 'disabled'> {
  readonly previousSalt: Buffer | null;
  readonly previousUntil: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
}

const columns = sql`id, url, types, created_by as "createdBy", scopes, description, salt, version, created_at as "createdAt",
  case when previous_until > now() then previous_salt end as "previousSalt", previous_until as "previousUntil",
  disabled_at as "disabledAt", disabled_reason as "disabledReason", failing_since as "failingSince"`;

export function webhookStore(db: Database, traceparent: Traceparent): WebhookStore {
  const all = async (statement: RawBuilder<Row>) => (await statement.execute(db)).rows.map(toWebhook);
  const first = async (statement: RawBuilder<Row>) => (await all(statement))[0];
  const changed = async (accountId: string, id: string, changes: RawBuilder<unknown>) =>
    (await first(sql`
      update webhooks set version = version + 1, ${changes}
      where account_id = ${accountId} and id = ${id} returning ${columns}`)) as Webhook;

  return {
    list: (accountId, count) =>
      all(sql`
        select ${columns} from webhooks where account_id = ${accountId}
        order by created_at, id limit ${sql.lit(count)}`),

    byId: (accountId, id) => first(sql`select ${columns} from webhooks where account_id = ${accountId} and id = ${id}`),

    lock: (accountId, id) =>
      first(sql`select ${columns} from webhooks where account_id = ${accountId} and id = ${id} for no key update`),

    insert: async (accountId, { id, url, types, createdBy, scopes, description, salt }) =>
      (await first(sql`
        insert into webhooks (account_id, id, url, types, created_by, scopes, description, salt)
        values (${accountId}, ${id}, ${url}, ${types}, ${createdBy}, ${scopes}, ${description}, ${salt}) returning ${columns}`)) as Webhook,

    change: (accountId, id, { url, types, description }) =>
      changed(accountId, id, sql`url = ${url}, types = ${types}, description = ${description}`),

    replaceSalt: (accountId, id, salt, previousSeconds) =>
      changed(
        accountId,
        id,
        sql`salt = ${salt}, previous_salt = salt, previous_until = now() + make_interval(secs => ${previousSeconds})`,
      ),

    enable: (accountId, id) =>
      changed(
        accountId,
        id,
        sql`disabled_at = null, disabled_reason = null, failing_since = null, paused_until = null`,
      ),

    disableByRequest: (accountId, id) =>
      changed(accountId, id, sql`disabled_at = now(), disabled_reason = 'owner', replay_until = null`),

    async disableMadeBy(accountId, keyId) {
      const both = sql`any(array(select id from accounts where id = ${accountId} or test_of = ${accountId}))`;
      // A key that was revoked earlier may have created webhooks that stay active.
      const { rows } = await sql<{ id: string }>`
        with recursive makers as (
          select id from api_keys where account_id = ${both} and id = ${keyId}
          union
          select made.id from api_keys as made join makers on made.created_by = makers.id
          where made.account_id = ${both}
        )
        update webhooks
        set disabled_at = now(), disabled_reason = 'key_revoked', replay_until = null, version = version + 1
        where account_id = ${both} and created_by in (select id from makers) and disabled_at is null
        returning id
      `.execute(db);
      return rows.map(({ id }) => id);
    },

    async disable(accountId, id, reason, messageId) {
      const fields = sql`'accountId', account_id, 'webhookId', id, 'messageId', ${messageId}::text`;
      const { rows } = await sql`
        with disabled as (
          update webhooks
          set disabled_at = now(), disabled_reason = ${reason}, replay_until = null, version = version + 1
          where account_id = ${accountId} and id = ${id} and disabled_at is null
          returning account_id, id
        )
        select graphile_worker.add_job(${tellOwnerJob}, ${jobPayload(fields, traceparent())}) from disabled
      `.execute(db);
      return rows.length === 1;
    },

    async remove(accountId, id) {
      await db.deleteFrom('webhooks').where('account_id', '=', accountId).where('id', '=', id).execute();
    },
  };
}

function toWebhook({ previousSalt, previousUntil, disabledAt, disabledReason, ...webhook }: Row): Webhook {
  return {
    ...webhook,
    previous: previousSalt && previousUntil && { salt: previousSalt, until: previousUntil },
    disabled: disabledAt && disabledReason && { at: disabledAt, reason: disabledReason },
  };
}
