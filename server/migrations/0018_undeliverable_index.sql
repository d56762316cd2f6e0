-- concurrently
-- A mail that comes back names its message, and not its account.
drop index concurrently if exists messages_by_id;
create index concurrently messages_by_id on messages (id);
