-- The inbox is also a queue. Defaults put every entry into it: those that exist, which are not rewritten for that, and
-- those that a process of the previous version writes.
create type inbox_state as enum ('queued', 'last_attempt', 'acknowledged');
alter table inbox_entries
  -- The last attempt is never followed by another: when its lease ends, the entry is parked.
  add column state    inbox_state not null default 'queued',
  -- How many times it was claimed, since it was received or released.
  add column attempts integer not null default 0,
  -- The last lease, whether it is still held or not. None if the entry was given back.
  add column lease_id uuid,
  -- A lease is held until then, and a queued entry can be claimed from then on. For an entry that is parked or
  -- acknowledged, since when it is.
  add column due_at   timestamptz not null default now();
