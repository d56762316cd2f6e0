-- Where a file was in the folder that was sent, with `/` between the folders and its own name last. Null where that is its
-- name. Of files of the same name in several folders, all but the first have a number in `name`, which stays unique.
alter table uploads add column path text;
alter table files add column path text;

-- Of the file's bytes: the headers of a ZIP state it. Null on files that were stored before.
alter table files add column crc32 bigint;
