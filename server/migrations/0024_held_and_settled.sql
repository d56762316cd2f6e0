-- concurrently
-- Held files are found when their hold is released, and settled messages by their age when they are forgotten.
drop index concurrently if exists files_held;
create index concurrently files_held on files (account_id, drop_id) where state = 'held';
drop index concurrently if exists messages_settled;
create index concurrently messages_settled on messages (settled_at) where state <> 'waiting';
