-- Every mail and SMS is a row before it is a message.
create type message_kind as enum ('invitation', 'code', 'reminder', 'receipt', 'received');
create type message_channel as enum ('mail', 'sms');
alter table mails rename to messages;
alter index mails_due rename to messages_due;
alter type mail_state rename to message_state;
alter table messages
  add column kind      message_kind not null default 'invitation',
  add column channel   message_channel not null default 'mail',
  -- Null in rows from before, which are not touched: there it is the link's address.
  add column recipient text,
  -- None where the message is about a drop as a whole.
  alter column position drop not null;
create index messages_of_drop on messages (account_id, drop_id, position);
create index messages_given_up on messages (settled_at) where state = 'given_up';

create type second_factor as enum ('off', 'sms', 'mail');
alter table accounts
  -- Null: as the server's setting says.
  add column second_factor second_factor,
  add column receipts      boolean not null default true,
  add column reminders     boolean not null default true;

alter table drops
  add column revoked_at    timestamptz,
  -- When to remind those who have not fetched everything; none, or done, where null.
  add column remind_at     timestamptz,
  -- The grant's link through which a contact sent these files.
  add column from_drop_id  uuid,
  add column from_position integer,
  add foreign key (account_id, from_drop_id, from_position) references links (account_id, drop_id, position);
-- What contacts sent is not in the history of what was sent, and must not be walked over to read it.
create index drops_sent_by_time on drops (account_id, created_at desc, id desc) where type <> 'receivedfiles';
drop index drops_by_time;
create index drops_to_remind on drops (remind_at) where remind_at is not null;

-- A code belongs to the browser that asked for it. The code itself is derived from the drop's link key and this id, and
-- stored nowhere.
alter table link_sessions
  add column code_id         uuid,
  add column code_expires_at timestamptz,
  add column code_tries      integer not null default 0,
  add column passed_at       timestamptz,
  -- Kept a while beyond the link, so that a browser that comes late is told why.
  add column forget_at       timestamptz not null default now() + interval '60 days';
create index link_sessions_to_forget on link_sessions (forget_at);
alter table links add column passed_at timestamptz;

-- A resumable upload may have many writers, one after the other, in any process. Only the one named here goes on; its
-- chunks count from `received_bytes` on.
alter table files
  add column writer         uuid,
  add column received_bytes bigint not null default 0,
  -- Which writer's objects hold which chunks, where there was more than one: [{id, first, end}].
  add column runs           jsonb not null default '[]',
  -- Why a checked upload was not taken.
  add column refusal        text;
create index files_on_desk on files (account_id, draft) where drop_id is null;
create index files_to_check on files (lease_until) where state = 'received';
