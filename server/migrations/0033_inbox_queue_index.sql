-- concurrently
-- Claims read an index that has no acknowledged entries in it, however many there are.
drop index concurrently if exists inbox_queue;
create index concurrently inbox_queue on inbox_entries (account_id, due_at, id) where state = 'queued';
drop index concurrently if exists inbox_settled;
create index concurrently inbox_settled on inbox_entries (account_id, state, due_at, id)
  where state in ('last_attempt', 'acknowledged');
