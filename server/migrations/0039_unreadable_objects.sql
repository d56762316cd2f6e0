alter table damaged_files drop constraint damaged_files_problem_check;
alter table damaged_files add constraint damaged_files_problem_check
  check (problem in ('missing', 'unreadable', 'damaged', 'digest', 'key'));

-- Objects that are to be deleted, and that the store did not delete although it responds. No other row names them.
create table undeleted_objects (
  key             text primary key,
  attempts        integer not null default 1,
  first_failed_at timestamptz not null default now(),
  due_at          timestamptz not null
);
create index undeleted_objects_due on undeleted_objects (due_at);
