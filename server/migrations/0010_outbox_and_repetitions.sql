-- Codes are limited per number and per address, whichever link and account they are for.
create index messages_codes_by_recipient on messages (recipient, created_at) where kind = 'code';

-- The last few dispatches of a draft, newest first, each with its digest (hex) and its time: a repetition is recognised
-- although something else was dispatched in between.
alter table drafts
  drop column dispatched_digest,
  drop column dispatched_at,
  add column dispatches jsonb not null default '[]';
