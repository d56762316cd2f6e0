-- What is being prepared: receivers, staged files, and whether the file list was opened. The default draft is ''.
create table drafts (
  account_id          uuid not null references accounts (id),
  name                text not null,
  receivers           jsonb not null default '[]',
  list_opened_at      timestamptz,
  touched_at          timestamptz not null default now(),
  -- The last dispatch, so that its repetition is recognised.
  dispatched_digest   bytea,
  dispatched_at       timestamptz,
  primary key (account_id, name)
);
create index drafts_by_touch on drafts (touched_at);

-- A file is one attempt to upload it: its id is the prefix of its objects and is never used again.
--   uploading  an intent: objects may exist; swept when its lease has passed
--   ready      complete; in a draft, or in a drop
--   deleting   its key is destroyed; its objects are being deleted
--   gone       its objects are deleted; kept as a line of its drop's history
create type file_state as enum ('uploading', 'ready', 'deleting', 'gone');
create type scan_result as enum ('clean', 'unscanned');

create table files (
  account_id   uuid not null references accounts (id),
  id           uuid not null,
  state        file_state not null,
  draft        text not null,
  drop_id      uuid,
  name         text not null,
  media_type   text not null,
  size_bytes   bigint,
  sha256       bytea,
  scan         scan_result,
  -- Chunk numbers below this may exist as objects. Reserved in runs while uploading, exact once ready.
  chunk_count  integer not null default 0,
  wrapped_key  bytea,
  key_version  integer not null,
  -- An intent's lease, or when a deletion may next be tried.
  lease_until  timestamptz,
  created_at   timestamptz not null default now(),
  primary key (account_id, id),
  check (state <> 'ready' or (size_bytes is not null and sha256 is not null and scan is not null and wrapped_key is not null)),
  check (state not in ('deleting', 'gone') or wrapped_key is null)
);
-- One staged file a name: the winner of two uploads is decided here, not by whoever looks last.
create unique index files_staged on files (account_id, draft, name) where state = 'ready' and drop_id is null;
create index files_of_drop on files (account_id, drop_id) where drop_id is not null;
create index files_to_sweep on files (lease_until) where state in ('uploading', 'deleting');
