create type drop_type as enum ('downloadfiles', 'uploadfiles');

create table drops (
  account_id     uuid not null references accounts (id),
  id             uuid not null,
  type           drop_type not null,
  message        text not null,
  ttl            integer not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz not null,
  -- Set once, by the expiry job or a revocation: a clock that jumps back cannot bring a drop to life again.
  ended_at       timestamptz,
  receiver_count integer not null,
  file_count     integer not null,
  -- The links' tokens are derived from this key, so that a mail can be written again and no token is stored.
  link_key       bytea,
  key_version    integer not null,
  primary key (account_id, id)
);
create index drops_by_time on drops (account_id, created_at desc, id desc);
create index drops_live on drops (account_id, expires_at) where ended_at is null and type = 'downloadfiles';
create index drops_to_end on drops (expires_at) where ended_at is null;

-- A receiver of a drop, with a link of its own, found by the SHA-256 of its token.
create table links (
  account_id   uuid not null,
  drop_id      uuid not null,
  position     integer not null,
  email        text not null,
  number       text not null,
  language     text not null,
  groups       text[] not null,
  nick         text not null,
  name         text,
  token_digest bytea not null unique,
  primary key (account_id, drop_id, position),
  foreign key (account_id, drop_id) references drops (account_id, id)
);

-- What others sent to this account.
create table inbox_entries (
  account_id        uuid not null references accounts (id),
  id                uuid not null,
  sender_account_id uuid not null,
  drop_id           uuid not null,
  created_at        timestamptz not null default now(),
  primary key (account_id, id),
  unique (account_id, sender_account_id, drop_id),
  foreign key (sender_account_id, drop_id) references drops (account_id, id)
);
create index inbox_by_time on inbox_entries (account_id, created_at desc, id desc);
create index inbox_of_drop on inbox_entries (sender_account_id, drop_id);

-- An Idempotency-Key decides alone whether a dispatch is a repetition.
create table idempotency_keys (
  account_id     uuid not null references accounts (id),
  key            text not null,
  request_digest bytea not null,
  created_at     timestamptz not null default now(),
  primary key (account_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
