-- A receiver may ask the sender once for more time, and once to send it again.
alter type message_kind add value 'more_time';
alter type message_kind add value 'send_again';
alter table links
  add column more_time_asked_at  timestamptz,
  add column send_again_asked_at timestamptz;
