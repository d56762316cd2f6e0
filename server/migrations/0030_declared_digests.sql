-- What a caller says that the digest of the file is. The check after the last byte refuses the file if it has another.
alter table uploads
  add column declared_sha256 bytea,
  add column declared_sha512 bytea;
