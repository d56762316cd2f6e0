-- Whether what an account stored before its usage was kept has been added up. The migration itself adds nothing up:
-- uploads would wait for it. Until an account is counted, its usage is what has changed since the triggers exist.
alter table usage add column counted boolean not null default false;
create index usage_to_count on usage (account_id) where not counted;

create or replace function begin_usage() returns trigger language plpgsql as $$
begin
  insert into usage (account_id, counted) values (new.id, true);
  return null;
end $$;
