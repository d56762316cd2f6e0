-- Ending a drop is one change of its row. What belongs to it (its files' keys, its entries in inboxes, the desks of its
-- links) goes afterwards, a batch of rows at a time.
alter table drops add column to_empty boolean not null default false;
create index drops_to_empty on drops (ended_at) where to_empty;

-- The desks of a grant's links are found by the start of their names.
create index drafts_by_prefix on drafts (account_id, name text_pattern_ops);
