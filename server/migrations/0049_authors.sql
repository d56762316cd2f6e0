-- The key that announced the upload, which the audit names when its check is done. Null: a contact did, or the previous
-- version. The order is that of requests, which write to uploads before the audit: the other one would be a deadlock.
alter table uploads add column key_id uuid;

-- Who made a change: a key, a person with a link, an administrator's command or the server itself. Unknown: an earlier
-- version wrote the entry. No version has written this column so far, so it is replaced, which does not rewrite the table
-- as filling it would.
alter table audit_entries drop column actor_kind, add column actor_kind text not null default 'unknown';
