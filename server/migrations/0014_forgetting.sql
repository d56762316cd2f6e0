-- concurrently
-- Old drops and audit entries are found by their age when they are forgotten.
drop index concurrently if exists drops_to_forget;
create index concurrently drops_to_forget on drops (ended_at) where ended_at is not null and not to_empty;
drop index concurrently if exists audit_entries_by_age;
create index concurrently audit_entries_by_age on audit_entries (at);
