-- The keys of files, and of the links of drops, may be wrapped by a day key instead of a master key. A day is counted from 1970-01-01 in UTC, and
-- key_version is then the negative number of the day: 2026-11-17 is -20774. The day keys themselves are not here, and
-- so not in a dump: each is an object in the bucket, wrapped by a master key.
create table day_keys (
  day         integer primary key check (day > 0),
  -- The object is day-keys/ID.
  object_id   uuid not null unique,
  object_bytes integer not null check (object_bytes between 1 and 10000),
  -- Of the master key that wraps it.
  key_version integer not null check (key_version > 0)
);

-- Recorded before an object is stored. Those that are not the key of a day, and are not about to be, are deleted.
create table day_key_objects (
  id         uuid primary key,
  created_at timestamptz not null default now()
);

-- Day keys are used once there is a row. Processes of the version before this one cannot read what they wrap, so they
-- are used from the beginning only where no such process can be running: in a new database.
create table day_key_start (
  only_row   boolean primary key default true check (only_row),
  started_at timestamptz not null default now()
);
insert into day_key_start select where not exists (select from accounts);
