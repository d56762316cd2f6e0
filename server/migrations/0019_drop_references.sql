-- concurrently
-- A drop is found by its reference, which is the end of its id.
drop index concurrently if exists drops_by_reference;
create index concurrently drops_by_reference on drops (right(id::text, 10));
