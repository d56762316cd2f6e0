-- What a receiver did with a link, as far as we know it: each is set once, by what really happened.
alter table links
  add column notified_at  timestamptz,
  add column opened_at    timestamptz,
  add column completed_at timestamptz;

-- A browser in which a person opened a link. It is known by the SHA-256 of its cookie.
create table link_sessions (
  digest     bytea primary key,
  account_id uuid not null,
  drop_id    uuid not null,
  position   integer not null,
  created_at timestamptz not null default now(),
  foreign key (account_id, drop_id, position) references links (account_id, drop_id, position)
);
create index link_sessions_of_drop on link_sessions (account_id, drop_id);

-- How much of a file has reached a receiver, from its first byte on without a gap.
create table deliveries (
  account_id      uuid not null,
  drop_id         uuid not null,
  position        integer not null,
  file_id         uuid not null,
  delivered_bytes bigint not null,
  completed_at    timestamptz,
  primary key (account_id, drop_id, position, file_id),
  foreign key (account_id, drop_id, position) references links (account_id, drop_id, position)
);
