-- An upload is a row of its own until its file is complete. Uploads in progress used to be rows of `files`.
--   receiving  bytes are arriving, or the upload is waiting to be resumed; given up when `due_at` has passed
--   checking   all bytes are stored; a job reads them back and scans them. Due for a check at `due_at`
--   refused    the check failed; kept so that the contact is told. Its objects are deleted from `due_at` on
--   given_up   abandoned, superseded or expired. Its objects are deleted from `due_at` on, then the row is
create type upload_state as enum ('receiving', 'checking', 'refused', 'given_up');

create table uploads (
  account_id     uuid not null references accounts (id),
  -- Becomes the file's id, and is the prefix of its objects.
  id             uuid not null,
  -- The owner: a draft of the account, or a contact's desk.
  draft          text not null,
  state          upload_state not null default 'receiving',
  name           text not null,
  media_type     text not null,
  -- Null while the length is not known: a form does not declare it.
  size_bytes     bigint,
  -- Stored for good; a writer that resumes starts here.
  received_bytes bigint not null default 0,
  -- Only this writer may store bytes. Whoever takes over replaces it.
  writer         uuid not null,
  -- The object prefixes and chunk sizes used so far: [{id, firstSegment, segmentsPerChunk, objects}]. Empty: one run.
  runs           jsonb not null default '[]',
  -- Objects of the last run that are numbered below this may exist.
  chunk_count    integer not null default 0,
  wrapped_key    bytea,
  key_version    integer not null,
  checks         integer not null default 0,
  refusal        text,
  -- Null when nothing is left to be done.
  due_at         timestamptz,
  created_at     timestamptz not null default now(),
  primary key (account_id, id),
  check ((state in ('receiving', 'checking')) = (wrapped_key is not null)),
  check ((state = 'refused') = (refusal is not null))
);
create index uploads_of_draft on uploads (account_id, draft);
create index uploads_to_expire on uploads (due_at) where state = 'receiving';
create index uploads_to_check on uploads (due_at) where state = 'checking';
create index uploads_to_delete on uploads (due_at) where state in ('refused', 'given_up');

-- An upload that was in progress is not carried over: its sender sends it again.
insert into uploads (account_id, id, draft, state, name, media_type, writer, chunk_count, key_version, due_at)
select account_id, id, draft, 'given_up', name, media_type, id, chunk_count, key_version, now()
from files where sha256 is null;
delete from files where sha256 is null;

drop index files_staged, files_to_sweep, files_to_check, files_on_desk;
alter table files
  drop constraint files_check,
  drop constraint files_check1,
  drop column writer,
  drop column received_bytes,
  drop column refusal;
alter type file_state rename to file_state_before;
create type file_state as enum ('ready', 'deleting', 'gone');
alter table files alter column state type file_state using state::text::file_state;
drop type file_state_before;
alter table files
  alter column size_bytes set not null,
  alter column sha256 set not null,
  alter column scan set not null,
  alter column chunk_count drop default,
  add check ((state = 'ready') = (wrapped_key is not null));
create unique index files_staged on files (account_id, draft, name) where state = 'ready' and drop_id is null;
create index files_to_delete on files (lease_until) where state = 'deleting';

-- What a contact has sent through one link counts against the link's limit.
create index drops_through_link on drops (account_id, from_drop_id, from_position) where from_drop_id is not null;
