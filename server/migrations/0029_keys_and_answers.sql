-- Keys of narrower use. Null means without restriction, as for every key so far.
alter table api_keys
  add column name         text not null default '',
  add column scopes       text[],
  add column networks     text[],
  add column expires_at   timestamptz,
  -- Accurate to a few minutes: a write for every request would cost more than it tells.
  add column last_used_at timestamptz;
-- A bearer key names no account, so it is found by its digest.
create unique index api_keys_by_digest on api_keys (digest);

-- The first answer to a request with an Idempotency-Key, written in the transaction of what the request did. Answers may
-- contain secrets that are stored nowhere else, so they are sealed under a key that is derived from the Idempotency-Key.
create table answers (
  account_id     uuid not null references accounts (id),
  key_digest     bytea not null,
  request_digest bytea not null,
  answer         bytea not null,
  created_at     timestamptz not null default now(),
  primary key (account_id, key_digest)
);
create index answers_by_age on answers (created_at);
