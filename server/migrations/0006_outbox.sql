-- A waiting mail says itself when it is due; its job is only the alarm clock. While it is being sent it is due again
-- when the sender's lease has passed, so that a process that dies with it costs moments, not the mail.
alter table mails add column due_at timestamptz not null default now();
create index mails_due on mails (due_at) where state = 'waiting';
