import { type RawBuilder, sql } from 'kysely';
import { deliverEventsJob } from '../../../domain/webhooks/deliver-events.ts';
import type { ClaimedDelivery, WebhookAttempt, WebhookDeliveryStore } from '../../../domain/webhooks/webhook-store.ts';
import { bindStatements, type Database } from '../database.ts';
import { jobAttempts, jobPayload, type Schedule, type Traceparent } from '../jobs/job-payload.ts';
import { purgeOldest } from '../purge.ts';
import { maxPageRows } from '../search.ts';
import { secondsFromNow } from '../time.ts';
import { webhookStore } from './webhooks.ts';

export function webhookDeliveryStore(db: Database, traceparent: Traceparent): WebhookDeliveryStore {
  const { countChanges, readRows, run } = bindStatements(db);
  const alarm = (...schedule: Schedule) => alarmJob(traceparent(), ...schedule);
  const wake = (accountId: string, webhookId: string) =>
    sql`select ${alarm()} from webhooks where account_id = ${accountId} and id = ${webhookId}`.execute(db);

  return {
    async take(accountId, webhookId, leaseSeconds) {
      const { rows } = await sql<{ lease: string }>`
        update webhooks set lease_until = ${secondsFromNow(leaseSeconds)}
        where account_id = ${accountId} and id = ${webhookId} and coalesce(lease_until <= now(), true)
          and coalesce(paused_until <= now(), true) and ${isEnabled(sql`account_id`)}
        returning lease_until::text as lease
      `.execute(db);
      const webhook = rows[0] && (await webhookStore(db, traceparent).byId(accountId, webhookId));
      return webhook && { ...webhook, lease: rows[0]?.lease as string };
    },

    // A later time than that of a transaction which waits for this row would look to it like a lease: hence null.
    release: (accountId, webhookId, lease) => run`
        with released as (
          update webhooks set lease_until = null
          where account_id = ${accountId} and id = ${webhookId} and lease_until = ${lease}::timestamptz
          returning account_id, id, failing_since, paused_until, replay_until
        ), next as (
          select released.*, case when replay_until is not null then now() else (
            select due_at from webhook_deliveries
            where account_id = ${accountId} and webhook_id = ${webhookId} and state = 'waiting'
            order by due_at limit 1) end as due_at
          from released
        )
        select ${alarm(sql`greatest(due_at, paused_until)`)} from next where due_at is not null
      `,

    claim: (accountId, webhookId, count, leaseSeconds) => readRows<ClaimedDelivery>`
        update webhook_deliveries as delivery set attempts = attempts + 1, due_at = ${secondsFromNow(leaseSeconds)}
        from (
          select account_id, webhook_id, event_id from webhook_deliveries
          where account_id = ${accountId} and webhook_id = ${webhookId} and state = 'waiting' and due_at <= now()
            and ${isEnabled(sql`account_id`)} and exists (
              select from webhooks where account_id = ${accountId} and id = ${webhookId} and disabled_at is null)
          order by due_at limit ${sql.lit(count)} for no key update skip locked
        ) as due
        where delivery.account_id = due.account_id and delivery.webhook_id = due.webhook_id
          and delivery.event_id = due.event_id
        returning delivery.event_id as "eventId", type, occurred_at as "occurredAt", data, attempts,
          now() as "claimedAt"
      `,

    async record(accountId, webhookId, { id, eventId, type, attempt, status, failure, durationMs }, result) {
      const [state, retrySeconds, pauseSeconds] =
        typeof result === 'string' ? [result, 0, null] : ['waiting', result.retrySeconds, result.pauseSeconds];
      const { rows } = await sql<{ failingSeconds: number }>`
        with attempted as (
          insert into webhook_attempts (account_id, webhook_id, id, event_id, type, attempt, status, failure, duration_ms)
          values (${accountId}, ${webhookId}, ${id}, ${eventId}, ${type}, ${attempt}, ${status}, ${failure}, ${durationMs})
        ), settled as (
          update webhook_deliveries
          set state = ${state}::webhook_delivery_state, due_at = ${secondsFromNow(retrySeconds)}
          where account_id = ${accountId} and webhook_id = ${webhookId} and event_id = ${eventId}
            and state = 'waiting' and attempts = ${attempt}
        )
        update webhooks set
          failing_since = case when ${state} <> 'delivered' then coalesce(failing_since, now()) end,
          paused_until = coalesce(now() + make_interval(secs => ${pauseSeconds}::float8), paused_until)
        where account_id = ${accountId} and id = ${webhookId}
          and (${state} <> 'delivered' or failing_since is not null)
        returning coalesce(extract(epoch from now() - failing_since)::float8, 0) as "failingSeconds"
      `.execute(db);
      return rows[0]?.failingSeconds ?? 0;
    },

    abandonWaiting: (accountId, webhookId, count) => countChanges`
        update webhook_deliveries as delivery set state = 'abandoned'
        from (
          select account_id, webhook_id, event_id from webhook_deliveries
          where account_id = ${accountId} and webhook_id = ${webhookId} and state = 'waiting'
            and not exists (
              select from webhooks where account_id = ${accountId} and id = ${webhookId} and disabled_at is null)
          order by due_at limit ${sql.lit(count)}
        ) as due
        where delivery.account_id = due.account_id and delivery.webhook_id = due.webhook_id
          and delivery.event_id = due.event_id
      `,

    async enqueue(accountId, webhookId, { eventId, type, data }) {
      await sql`
        insert into webhook_deliveries (account_id, webhook_id, event_id, type, occurred_at, data)
        values (${accountId}, ${webhookId}, ${eventId}, ${type}, now(), ${JSON.stringify(data)}::jsonb)
      `.execute(db);
      await wake(accountId, webhookId);
    },

    async replay(accountId, webhookId, eventId) {
      const { numAffectedRows } = await sql`
        update webhook_deliveries set ${again}
        where account_id = ${accountId} and webhook_id = ${webhookId} and event_id = ${eventId}
      `.execute(db);
      if (numAffectedRows !== 1n) return false;
      await wake(accountId, webhookId);
      return true;
    },

    async replaySince(accountId, webhookId, since, maxCounted) {
      const { rows } = await sql<{ count: number }>`
        select count(*) from (
          select from webhook_deliveries
          where account_id = ${accountId} and webhook_id = ${webhookId} and occurred_at >= ${since} and occurred_at <= now()
            and state <> 'waiting'
          order by occurred_at limit ${sql.lit(maxCounted)}) as counted
      `.execute(db);
      await sql`
        update webhooks set replay_from = ${since}, replay_from_id = '00000000-0000-0000-0000-000000000000',
          replay_until = now()
        where account_id = ${accountId} and id = ${webhookId}
      `.execute(db);
      await wake(accountId, webhookId);
      return rows[0]?.count ?? 0;
    },

    replayNext: (accountId, webhookId, count) => run`
        with page as materialized (
          select delivery.account_id, delivery.webhook_id, delivery.event_id, delivery.occurred_at
          from webhooks join lateral (
            select * from webhook_deliveries
            where account_id = ${accountId} and webhook_id = ${webhookId}
              and (occurred_at, event_id) > (webhooks.replay_from, webhooks.replay_from_id)
              and occurred_at <= webhooks.replay_until
            order by occurred_at, event_id limit ${sql.lit(count)}
          ) as delivery on true
          where webhooks.account_id = ${accountId} and webhooks.id = ${webhookId}
        ), last as (
          select occurred_at, event_id from page order by occurred_at desc, event_id desc limit 1
        ), replayed as (
          update webhook_deliveries as delivery set ${again}
          from page where delivery.account_id = page.account_id and delivery.webhook_id = page.webhook_id
            and delivery.event_id = page.event_id and delivery.state <> 'waiting'
        )
        update webhooks set
          replay_from = (select occurred_at from last), replay_from_id = (select event_id from last),
          replay_until = case when (select count(*) from page) = ${count} then replay_until end
        where account_id = ${accountId} and id = ${webhookId} and replay_until is not null
      `,

    async attempts(accountId, webhookId, before, count) {
      const { rows } = await sql<WebhookAttempt>`
        select id, event_id as "eventId", type, attempt, at, status, failure, duration_ms as "durationMs"
        from webhook_attempts
        where account_id = ${accountId} and webhook_id = ${webhookId} and ${before ? sql`id < ${before.id}` : sql`true`}
        order by id desc limit ${sql.lit(maxPageRows)}
      `.execute(db);
      return rows.slice(0, count);
    },

    resume: (accountId) => run`
        with resumed as (
          update webhooks set failing_since = null where account_id = ${accountId} and disabled_at is null
          returning account_id, id, failing_since
        )
        select ${alarm()} from resumed
      `,

    async wakeOverdue(overdueSeconds, count) {
      // One look per webhook, not per delivery: the backlog of a slow receiver must not hide those of others. A webhook that
      // is being sent to, or is paused, is not overdue.
      const { rows } = await sql`
        with overdue as (
          select account_id, id from (
            select webhook.account_id, webhook.id
            from webhooks as webhook cross join lateral (
              select due_at from webhook_deliveries as delivery
              where delivery.account_id = webhook.account_id and delivery.webhook_id = webhook.id and state = 'waiting'
              order by due_at limit 1) as first
            where webhook.disabled_at is null and first.due_at < now() - make_interval(secs => ${overdueSeconds})
              and coalesce(webhook.lease_until <= now(), true) and coalesce(webhook.paused_until <= now(), true)
              and ${isEnabled(sql`webhook.account_id`)}
            order by first.due_at limit ${sql.lit(count)}) as late
          union
          select account_id, id from (
            select account_id, id from webhooks
            where replay_until is not null and lease_until < now() - make_interval(secs => ${overdueSeconds})
              and ${isEnabled(sql`account_id`)}
            order by lease_until limit ${sql.lit(count)}) as stuck
        )
        select ${alarm(sql`now()`, 'preserve_run_at')}
        from (select overdue.*, null::timestamptz as failing_since from overdue) as woken
      `.execute(db);
      return rows.length;
    },

    purgeDeliveries: (olderThanSeconds, count) => countChanges`
        delete from webhook_deliveries as delivery
        using (
          select account_id, webhook_id, event_id from webhook_deliveries
          where created_at < now() - make_interval(secs => ${olderThanSeconds})
          order by created_at limit ${sql.lit(count)}
        ) as old
        where delivery.account_id = old.account_id and delivery.webhook_id = old.webhook_id
          and delivery.event_id = old.event_id
      `,

    purgeAttempts: (olderThanSeconds, count) =>
      purgeOldest(db, { table: 'webhook_attempts', id: 'id', at: 'at' }, olderThanSeconds, count),
  };
}

/** Deliveries to the webhooks of a disabled account keep waiting. */
function isEnabled(accountId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (select from accounts where accounts.id = ${accountId} and accounts.disabled_at is null)`;
}

/** As if it had not been tried; it is kept for as long as a new one. */
const again = sql`state = 'waiting', attempts = 0, due_at = now(), created_at = now()`;

/**
 * The job that sends what is due at a webhook. One per webhook; those that the database sets for new events have no
 * key. Webhooks that fail come last, because each of their requests may take its whole time.
 */
function alarmJob(
  traceparent: string | undefined,
  ...[at = sql`now()`, keyMode = 'replace']: Schedule
): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(
    ${deliverEventsJob},
    ${jobPayload(sql`'accountId', account_id, 'webhookId', id`, traceparent)},
    run_at := ${at}, max_attempts := ${jobAttempts}, job_key := 'webhook:' || id::text, job_key_mode := ${keyMode},
    priority := case when failing_since is null then 0 else 10 end)`;
}
