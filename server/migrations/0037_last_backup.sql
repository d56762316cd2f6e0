-- When the last backup was completed. The commands that make backups write it, and the age is a metric.
create table last_backup (
  only_row     boolean primary key default true check (only_row),
  id           text not null,
  -- The moment of the database in it.
  taken_at     timestamptz not null,
  completed_at timestamptz not null default now(),
  -- Files that are stored and not in it: their objects are lost or cannot be read.
  left_out     bigint not null
);
