-- What an operator allows: an account's own value, or else that of its group, or else the server's setting.
create table groups (
  id                uuid primary key,
  name              text not null unique check (length(name) between 1 and 100),
  max_stored_bytes  bigint check (max_stored_bytes > 0),
  max_file_bytes    bigint check (max_file_bytes > 0),
  drops_per_day     integer check (drops_per_day > 0),
  mails_per_day     integer check (mails_per_day > 0),
  min_desttime      integer check (min_desttime > 0),
  max_desttime      integer check (max_desttime > 0),
  -- Only these, if there are any.
  desttimes         integer[] check (cardinality(desttimes) between 1 and 100),
  second_factor     second_factor,
  recipient_domains text[] check (cardinality(recipient_domains) between 1 and 1000),
  created_at        timestamptz not null default now()
);

alter table accounts
  add column group_id          uuid references groups (id),
  add column max_stored_bytes  bigint check (max_stored_bytes > 0),
  add column max_file_bytes    bigint check (max_file_bytes > 0),
  add column drops_per_day     integer check (drops_per_day > 0),
  add column mails_per_day     integer check (mails_per_day > 0),
  add column min_desttime      integer check (min_desttime > 0),
  add column max_desttime      integer check (max_desttime > 0),
  add column desttimes         integer[] check (cardinality(desttimes) between 1 and 100),
  add column recipient_domains text[] check (cardinality(recipient_domains) between 1 and 1000);
create index accounts_of_group on accounts (group_id) where group_id is not null;

-- What an account stores: its ready and held files, and what its uploads in progress have reserved. Triggers keep it, so
-- that no statement of any version can change one without the other.
create table usage (
  account_id   uuid primary key references accounts (id),
  stored_bytes bigint not null default 0
) with (fillfactor = 50);

-- What an account sent on the last day on which it sent anything, in UTC.
create table daily_usage (
  account_id uuid primary key references accounts (id),
  day        date not null,
  drops      integer not null,
  mails      integer not null
) with (fillfactor = 50);

alter table uploads
  add column reserved_bytes   bigint not null default 0,
  -- How much the account might store when this upload began; null: any amount.
  add column max_stored_bytes bigint;

-- Fails with WBFUL if that is more than the account may store. Giving back never fails.
create function change_usage(account uuid, change bigint, most bigint) returns void language plpgsql as $$
begin
  for attempt in 1..2 loop
    update usage set stored_bytes = stored_bytes + change
    where account_id = account and (change <= 0 or most is null or stored_bytes + change <= most);
    if found then
      return;
    end if;
    -- A missing row does not mean that the storage is full.
    insert into usage (account_id) values (account) on conflict do nothing;
  end loop;
  raise exception 'the account % would store more than % bytes', account, most using errcode = 'WBFUL', detail = most;
end $$;

create function begin_usage() returns trigger language plpgsql as $$
begin
  insert into usage (account_id) values (new.id);
  return null;
end $$;
create trigger begin_usage after insert on accounts for each row execute function begin_usage();

create function is_under_way(state upload_state) returns boolean immutable language sql
  return state in ('receiving', 'checking');

create function count_upload() returns trigger language plpgsql as $$
declare
  before bigint := case when tg_op <> 'INSERT' and is_under_way(old.state) then old.reserved_bytes else 0 end;
  after bigint := case when tg_op <> 'DELETE' and is_under_way(new.state) then new.reserved_bytes else 0 end;
begin
  if tg_op = 'DELETE' then
    perform change_usage(old.account_id, after - before, null);
  else
    perform change_usage(new.account_id, after - before, new.max_stored_bytes);
  end if;
  return null;
end $$;
create trigger count_begun after insert on uploads for each row
  when (new.reserved_bytes <> 0) execute function count_upload();
create trigger count_changed after update on uploads for each row
  when (old.reserved_bytes <> new.reserved_bytes
    or old.reserved_bytes <> 0 and is_under_way(old.state) <> is_under_way(new.state))
  execute function count_upload();
-- At the commit: an upload that becomes a file must not lock the account's row while its transaction goes on.
create constraint trigger count_ended after delete on uploads deferrable initially deferred for each row
  when (old.reserved_bytes <> 0 and is_under_way(old.state)) execute function count_upload();

create function count_file() returns trigger language plpgsql as $$
begin
  perform change_usage(new.account_id, new.size_bytes, null);
  return null;
end $$;
create constraint trigger count_added after insert on files deferrable initially deferred for each row
  when (new.state in ('ready', 'held')) execute function count_file();

-- A statement that changes a thousand files changes the account's row once. In the order of the accounts, so that two
-- such statements do not wait for each other.
create function count_files() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform change_usage(account_id, -bytes, null) from (
      select account_id, sum(size_bytes)::bigint as bytes from old_files where state in ('ready', 'held')
      group by account_id order by account_id) as removed;
  else
    perform change_usage(account_id, bytes, null) from (
      select account_id, sum(size)::bigint as bytes from (
        select account_id, size_bytes as size from new_files where state in ('ready', 'held')
        union all
        select account_id, -size_bytes from old_files where state in ('ready', 'held')) as changes
      group by account_id having sum(size) <> 0 order by account_id) as changed;
  end if;
  return null;
end $$;
create trigger count_changed after update on files
  referencing old table as old_files new table as new_files for each statement execute function count_files();
create trigger count_removed after delete on files
  referencing old table as old_files for each statement execute function count_files();

-- What was stored before the triggers existed is added up later, account by account (0027).
insert into usage (account_id) select id from accounts;

-- Legal holds: while one is in force, nothing of its drop, or of its whole account, is deleted.
create table holds (
  account_id  uuid not null references accounts (id),
  id          uuid not null,
  -- Null: everything of the account. Not a reference: a released hold stays on record when its drop is forgotten.
  drop_id     uuid,
  name        text not null check (length(name) between 1 and 100),
  reason      text not null check (length(reason) <= 1000),
  placed_by   text not null,
  placed_at   timestamptz not null default now(),
  released_by text,
  released_at timestamptz,
  -- Released, and the files that it kept are still to be deleted.
  to_empty    boolean not null default false,
  primary key (account_id, id)
);
create index holds_in_force on holds (account_id, drop_id) where released_at is null;
create index holds_to_empty on holds (released_at) where to_empty;
create unique index holds_by_id on holds (id);

alter table files
  drop constraint files_check,
  -- Not validated: the rows that exist satisfy the stricter constraint that it replaces.
  add constraint files_check check ((state in ('ready', 'held')) = (wrapped_key is not null)) not valid;

-- A hold waits for deletions that have begun, and a deletion that begins later sees the hold: being volatile, the
-- function reads what is committed when it is called.
create function is_held(account uuid, dropped uuid) returns boolean volatile language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('hold ' || account, 0));
  return exists (select from holds
    where account_id = account and released_at is null and (drop_id is null or drop_id = dropped));
end $$;

-- Every deletion of a file begins by destroying its key. If the file is held, it keeps its key and its bytes instead.
create function keep_held_file() returns trigger language plpgsql as $$
begin
  if is_held(old.account_id, old.drop_id) then
    new.state := 'held';
    new.wrapped_key := old.wrapped_key;
    new.lease_until := null;
  end if;
  return new;
end $$;
create trigger keep_held before update on files for each row
  when (old.state in ('ready', 'held') and new.state = 'deleting') execute function keep_held_file();

-- Forgetting skips what is held; this refuses it where the hold was placed at the same moment.
create function refuse_held() returns trigger language plpgsql as $$
begin
  if is_held(old.account_id, old.id) then
    raise exception 'drop % is under a legal hold', old.id using errcode = '40001';
  end if;
  return old;
end $$;
create trigger refuse_held before delete on drops for each row execute function refuse_held();
