-- What happened, for integrations. An event is written in the transaction that makes it true. Readers follow the order
-- (epoch, transaction_id, sequence) and see only what is below the oldest transaction that is still running, so that
-- no event appears behind a position that a reader has passed.
create table events (
  account_id     uuid not null,
  -- Transaction ids begin again in a restored database; the epoch does not.
  epoch          bigint not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  sequence       bigint not null generated always as identity,
  -- By which a consumer recognises an event that it gets twice.
  id             uuid not null default gen_random_uuid(),
  type           text not null,
  data           jsonb not null,
  created_at     timestamptz not null default now(),
  primary key (account_id, epoch, transaction_id, sequence)
);
create index events_in_order on events (epoch, transaction_id, sequence);

create table event_log (
  is_only_row           boolean primary key default true check (is_only_row),
  epoch                 bigint not null default 0,
  -- The last event that was deleted because of its age. A reader that is behind it has missed events.
  forgotten_epoch       bigint not null default 0,
  forgotten_transaction xid8 not null default '0',
  forgotten_sequence    bigint not null default 0
);
insert into event_log default values;
