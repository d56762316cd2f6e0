-- When an administrator asked for an account's deletion. Sweeps remove what belongs to it, and the row itself at last.
alter table accounts add column deleted_at timestamptz;
create index accounts_deleted on accounts (deleted_at) where deleted_at is not null;
