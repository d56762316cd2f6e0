-- The pass over all stored files that re-reads their objects. There is one, shared by all processes: whoever continues
-- it starts where the last one stopped.
create table scrub (
  only_row     boolean primary key default true check (only_row),
  started_at   timestamptz not null default now(),
  -- Null while the pass is in progress.
  completed_at timestamptz,
  -- Everything before this file is done, and so are this many objects of it.
  account_id   uuid not null default '00000000-0000-0000-0000-000000000000',
  file_id      uuid not null default '00000000-0000-0000-0000-000000000000',
  objects      integer not null default 0,
  -- What this pass has read so far.
  files        bigint not null default 0,
  bytes        bigint not null default 0
);

-- Files whose stored bytes are not what was uploaded. A row goes away when the file reads well again or is removed.
create table damaged_files (
  account_id uuid not null,
  file_id    uuid not null,
  -- The first object that is wrong.
  object     text not null,
  problem    text not null check (problem in ('missing', 'damaged', 'digest', 'key')),
  found_at   timestamptz not null default now(),
  primary key (account_id, file_id),
  foreign key (account_id, file_id) references files (account_id, id) on delete cascade
);
