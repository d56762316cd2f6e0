-- Addresses that want no more mail from an account. They stay until the person or an administrator removes them.
create table stopped_mail (
  account_id uuid not null references accounts (id),
  email      text not null,
  stopped_at timestamptz not null default now(),
  primary key (account_id, email)
);
-- A receiver may report the sender of a link once, to the operator.
alter type message_kind add value 'report';
alter table links add column reported_at timestamptz;
