-- Every mail is a row before it is a message: what was sent, what is waiting and what was given up stands here.
create type mail_state as enum ('waiting', 'sent', 'given_up');

create table mails (
  account_id uuid not null,
  id         uuid not null,
  drop_id    uuid not null,
  position   integer not null,
  state      mail_state not null default 'waiting',
  attempts   integer not null default 0,
  outcome    text,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, drop_id, position) references links (account_id, drop_id, position)
);

-- One entry an acknowledged change, written in the change's own transaction.
create table audit_entries (
  account_id uuid not null,
  id         uuid not null,
  at         timestamptz not null default now(),
  actor      text not null,
  action     text not null,
  details    jsonb not null,
  primary key (account_id, id)
);
