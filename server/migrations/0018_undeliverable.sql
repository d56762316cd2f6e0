-- A receiver whom mails do not reach, and what the mail server said. Cleared when the message is sent again.
alter table links
  add column undeliverable_at     timestamptz,
  add column undeliverable_reason text;
alter type message_kind add value 'undeliverable';
