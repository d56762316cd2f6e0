-- concurrently
-- To know whether anything is still wrapped by a day key.
drop index concurrently if exists files_by_day_key;
create index concurrently files_by_day_key on files (key_version) where key_version < 0 and wrapped_key is not null;
drop index concurrently if exists uploads_by_day_key;
create index concurrently uploads_by_day_key on uploads (key_version) where key_version < 0 and wrapped_key is not null;
drop index concurrently if exists drops_by_day_key;
create index concurrently drops_by_day_key on drops (key_version) where key_version < 0 and link_key is not null;
