-- Who may use the service. Every row that belongs to an account carries account_id first in its keys, so that the
-- database can be partitioned or sharded by account without changing a query.
create type account_type as enum ('api', 'user');

create table accounts (
  id               uuid primary key,
  email            text not null unique,
  number           text not null,
  type             account_type not null,
  language         text not null default '',
  -- Bumped by every change of the local contacts: half of their ETag.
  contacts_version bigint not null default 0,
  disabled_at      timestamptz,
  created_at       timestamptz not null default now()
);

-- A key is kept as HMAC-SHA-256 under a pepper that is not in the database.
create table api_keys (
  account_id uuid not null references accounts (id),
  id         uuid not null,
  hint       text not null,
  digest     bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (account_id, id)
);

create table contacts (
  account_id uuid not null references accounts (id),
  email      text not null,
  position   integer not null,
  number     text not null,
  language   text not null,
  groups     text[] not null,
  nick       text not null,
  primary key (account_id, email)
);

-- The administrator's list, shown to every account.
create table global_contacts (
  email    text primary key,
  position integer not null,
  number   text not null,
  language text not null,
  groups   text[] not null,
  nick     text not null
);

create table global_contacts_version (
  only_row boolean primary key default true check (only_row),
  version  bigint not null default 0
);
insert into global_contacts_version default values;
