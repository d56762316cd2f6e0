-- Where an account wants its events sent.
create table webhooks (
  account_id      uuid not null references accounts (id),
  id              uuid not null,
  url             text not null,
  -- Null: all.
  types           text[] check (cardinality(types) between 1 and 100),
  description     text not null default '',
  -- Secrets are derived from these and from the pepper, which is not in the database.
  salt            bytea not null,
  previous_salt   bytea,
  previous_until  timestamptz,
  version         integer not null default 1,
  created_at      timestamptz not null default now(),
  disabled_at     timestamptz,
  disabled_reason text,
  -- The first of the failures since the last success.
  failing_since   timestamptz,
  -- Nothing is sent before, because the receiver asked for a pause.
  paused_until    timestamptz,
  -- Held by the process that sends to it: never two at once.
  lease_until     timestamptz,
  -- What is to be sent again, from here on.
  replay_from     timestamptz,
  replay_from_id  uuid,
  replay_until    timestamptz,
  primary key (account_id, id)
);
create index webhooks_replaying on webhooks (lease_until) where replay_until is not null;

-- Deliveries go on while their webhook is changed, and outlive it until their age removes them: no foreign key.
create type webhook_delivery_state as enum ('waiting', 'delivered', 'given_up');
create table webhook_deliveries (
  account_id  uuid not null,
  webhook_id  uuid not null,
  event_id    uuid not null,
  type        text not null,
  occurred_at timestamptz not null,
  data        jsonb not null,
  state       webhook_delivery_state not null default 'waiting',
  attempts    integer not null default 0,
  -- While it is being sent, the end of the sender's lease.
  due_at      timestamptz not null default now(),
  created_at  timestamptz not null default now(),
  primary key (account_id, webhook_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (account_id, webhook_id, due_at) where state = 'waiting';
create index webhook_deliveries_overdue on webhook_deliveries (due_at) where state = 'waiting';
create index webhook_deliveries_in_order on webhook_deliveries (account_id, webhook_id, occurred_at, event_id);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

create table webhook_attempts (
  account_id  uuid not null,
  webhook_id  uuid not null,
  -- Ordered by time.
  id          uuid not null,
  event_id    uuid not null,
  type        text not null,
  attempt     integer not null,
  at          timestamptz not null default now(),
  -- The answer's status, or why there was no answer.
  status      integer,
  failure     text,
  duration_ms integer not null,
  primary key (account_id, webhook_id, id)
);
create index webhook_attempts_by_age on webhook_attempts (at);

-- In a trigger, so that an event reaches the account's webhooks whichever statement writes it. A disabled webhook is sent
-- nothing, but its events can be sent again later. The jobs have no key: transactions of one account would wait for
-- each other.
create function deliver_events() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (account_id, webhook_id, event_id, type, occurred_at, data, state)
  select event.account_id, webhook.id, event.id, event.type, event.created_at, event.data,
    case when webhook.disabled_at is null then 'waiting' else 'given_up' end::webhook_delivery_state
  from appended as event join webhooks as webhook on webhook.account_id = event.account_id
  where webhook.types is null or event.type = any (webhook.types);
  if found then
    perform graphile_worker.add_job(
      'deliver-events', json_build_object('accountId', due.account_id, 'webhookId', due.id), max_attempts := 1,
      priority := case when due.failing_since is null then 0 else 10 end)
    from (
      select distinct webhook.account_id, webhook.id, webhook.failing_since
      from appended as event join webhooks as webhook on webhook.account_id = event.account_id
      where webhook.disabled_at is null and (webhook.types is null or event.type = any (webhook.types))
    ) as due;
  end if;
  return null;
end
$$;
create trigger deliver_events after insert on events
  referencing new table as appended for each statement execute function deliver_events();
