-- The schema of the first release. Every table of an account has account_id first in its keys, so that the database can be
-- partitioned by account without changing a query.

-- Both are trusted: the owner of the database may create them. They find parts of texts within an account.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

---------------------------------------------------------------------------------------------------------------------
-- Accounts, their limits and their keys
---------------------------------------------------------------------------------------------------------------------

create type account_type as enum ('api', 'user');
create type second_factor as enum ('off', 'sms', 'mail');
-- The links that accounts may share, the strictest first: none, one for the people named, or also one for anybody who has it.
create type shared_links as enum ('never', 'named', 'anybody');

-- Limits set by the operator. An account's own value applies, then that of its group, then the server's setting. Lifetimes
-- are in units of WAYBILL_LIFETIME_UNIT.
create table groups (
  id               uuid primary key,
  name             text not null unique check (length(name) between 1 and 100),
  max_stored_bytes bigint check (max_stored_bytes > 0),
  max_file_bytes   bigint check (max_file_bytes > 0),
  drops_per_day    integer check (drops_per_day > 0),
  mails_per_day    integer check (mails_per_day > 0),
  min_lifetime     integer check (min_lifetime > 0),
  max_lifetime     integer check (max_lifetime > 0),
  -- If set, only these lifetimes are allowed, and the minimum and maximum do not apply.
  lifetimes        integer[] check (cardinality(lifetimes) between 1 and 100),
  second_factor    second_factor,
  shared_links     shared_links,
  receiver_domains text[] check (cardinality(receiver_domains) between 1 and 1000),
  -- True: encrypted files are accepted although a scan is required. Never false: the server's setting cannot be narrowed.
  accepts_encrypted boolean check (accepts_encrypted),
  created_at       timestamptz not null default now()
);

create table accounts (
  id               uuid primary key,
  email            text not null unique,
  -- The name shown to people; empty: its address.
  display_name     text not null default '' check (length(display_name) <= 100),
  phone            text not null,
  type             account_type not null,
  language         text not null default '',
  receipts         boolean not null default true,
  -- Whether the mail about a receiver who has everything carries their receipt.
  attach_receipts  boolean not null default false,
  reminders        boolean not null default true,
  -- Whether its members may see the links of receivers.
  show_links       boolean not null default true,
  -- For how long people are suggested to make files available. Null: as long as the server does.
  default_days     integer check (default_days > 0),
  -- Incremented by every change of the local contacts: half of their ETag.
  contacts_version bigint not null default 0,
  group_id         uuid references groups (id),
  max_stored_bytes bigint check (max_stored_bytes > 0),
  max_file_bytes   bigint check (max_file_bytes > 0),
  drops_per_day    integer check (drops_per_day > 0),
  mails_per_day    integer check (mails_per_day > 0),
  min_lifetime     integer check (min_lifetime > 0),
  max_lifetime     integer check (max_lifetime > 0),
  lifetimes        integer[] check (cardinality(lifetimes) between 1 and 100),
  second_factor    second_factor,
  shared_links     shared_links,
  receiver_domains text[] check (cardinality(receiver_domains) between 1 and 1000),
  -- True: encrypted files are accepted although a scan is required. Never false: the server's setting cannot be narrowed.
  accepts_encrypted boolean check (accepts_encrypted),
  created_at       timestamptz not null default now(),
  -- When it was last told by mail that entries of its inbox are parked, or will be.
  parked_mail_at   timestamptz,
  disabled_at      timestamptz,
  -- When an administrator asked for its deletion. Sweeps remove its rows and objects, and this row last.
  deleted_at       timestamptz,
  -- The account whose test account this is. Never changed: whether a message is sent depends on it.
  test_of          uuid unique references accounts (id) check (test_of <> id)
);
create index accounts_of_group on accounts (group_id) where group_id is not null;
create index accounts_deleted on accounts (deleted_at) where deleted_at is not null;

-- Keys are stored as HMAC-SHA-256 under a pepper that is not in the database.
create table api_keys (
  account_id   uuid not null references accounts (id),
  id           uuid not null,
  name         text not null default '',
  hint         text not null,
  digest       bytea not null,
  -- Null: without restriction.
  scopes       text[],
  networks     text[],
  created_at   timestamptz not null default now(),
  -- The key that created this one. Null: an administrator did.
  created_by   uuid,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  -- Accurate to a few minutes, because a write for every request would cost too much.
  last_used_at timestamptz,
  primary key (account_id, id)
);
-- A bearer key names no account, so it is found by its digest.
create unique index api_keys_by_digest on api_keys (digest);

-- Detects a wrong pepper, under which no API key would be accepted.
create table key_pepper (
  is_only_row boolean primary key default true check (is_only_row),
  -- Keyed by the pepper itself, so that it reveals nothing about it.
  fingerprint text not null
);

-- Drops and mails sent on the last day (UTC) on which the account sent any. Updated in place, hence the fill factor.
create table daily_usage (
  account_id uuid primary key references accounts (id),
  day        date not null,
  drops      integer not null,
  mails      integer not null
) with (fillfactor = 50);

---------------------------------------------------------------------------------------------------------------------
-- People, their memberships in accounts, and how they sign in
---------------------------------------------------------------------------------------------------------------------

-- A person signs in; an account owns drops, contacts and the inbox; a membership joins them.
create table people (
  id               uuid primary key,
  email            text not null unique,
  name             text not null default '' check (length(name) <= 100),
  language         text not null default '',
  -- An IANA name; empty: that of the server.
  time_zone        text not null default '',
  -- Whether single keys are shortcuts; who dictates or has a tremor may not want that.
  has_shortcuts    boolean not null default true,
  -- Identifies the person to authenticators, which may show and synchronise it: random, and worth nothing by itself.
  handle           bytea not null unique check (length(handle) = 32),
  is_administrator boolean not null default false,
  created_at       timestamptz not null default now(),
  disabled_at      timestamptz
);

--   reader  reads what the account has sent and received
--   member  also sends, requests, and changes contacts
--   owner   also manages members, keys and settings
create type member_role as enum ('reader', 'member', 'owner');
create table memberships (
  account_id uuid not null references accounts (id),
  person_id  uuid not null references people (id),
  role       member_role not null,
  -- The news of the account that the person wants by mail. Null: the usual, which depends on whose address the account has.
  news       text[] check (news <@ '{downloaded,undeliverable,asked,received}'),
  created_at timestamptz not null default now(),
  primary key (account_id, person_id)
);
create index memberships_of_person on memberships (person_id);

-- A mailed link to a page on which a person chooses how to sign in. Its token is this id and a MAC.
create type person_link_purpose as enum ('invitation', 'recovery');
create table person_links (
  id         uuid primary key,
  person_id  uuid not null references people (id),
  purpose    person_link_purpose not null,
  -- The name of the person or command that invited; empty for a recovery.
  invited_by text not null default '',
  -- The account whose owner invited; null for the operator, and for a recovery.
  account_id uuid references accounts (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index person_links_of_person on person_links (person_id, created_at);
create index person_links_by_expiry on person_links (expires_at);
create index person_links_of_account on person_links (account_id) where account_id is not null;

--   enrolment      came by a mailed link, and has to register a sign-in method
--   second_factor  entered the password, and has to enter a code
--   complete       is signed in
create type session_stage as enum ('enrolment', 'second_factor', 'complete');
create type sign_in_method as enum ('link', 'passkey', 'password', 'provider');
-- A browser in which a person has signed in, identified by the SHA-256 of its cookie, which changes with every stage.
create table sessions (
  digest           bytea primary key,
  -- Names the session in lists and in the audit.
  id               uuid not null unique,
  person_id        uuid not null references people (id),
  stage            session_stage not null,
  method           sign_in_method not null,
  -- Of a provider: who signed the person in, and its own name for the session, by which it signs them out.
  issuer           text,
  sid              text,
  address          text not null,
  user_agent       text not null,
  created_at       timestamptz not null default now(),
  -- When the person last proved who they are; a session that replaces another keeps it.
  authenticated_at timestamptz not null default now(),
  -- Accurate to a few minutes, because a write for every request would cost too much.
  seen_at          timestamptz not null default now(),
  expires_at       timestamptz not null
);
create index sessions_of_person on sessions (person_id, created_at);
create index sessions_by_expiry on sessions (expires_at);
create index sessions_of_provider on sessions (issuer, sid) where issuer is not null;

create table passkeys (
  -- As the authenticator names it.
  credential_id bytea primary key check (length(credential_id) between 1 and 1023),
  person_id     uuid not null references people (id),
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null,
  is_backed_up  boolean not null,
  name          text not null check (length(name) between 1 and 100),
  created_at    timestamptz not null default now(),
  last_used_at  timestamptz
);
create index passkeys_of_person on passkeys (person_id, created_at);

create table passwords (
  person_id  uuid primary key references people (id),
  -- Argon2id, as a PHC string.
  hash       text not null,
  changed_at timestamptz not null default now()
);

-- An authenticator app. Its secret is derived from the pepper and this salt, and not stored.
create table authenticator_apps (
  person_id    uuid primary key references people (id),
  salt         bytea not null,
  -- Null until its first code was entered.
  confirmed_at timestamptz,
  -- The step of the last accepted code, so that no code is accepted twice.
  last_step    bigint not null default 0
);

create table recovery_codes (
  person_id uuid not null references people (id),
  digest    bytea not null,
  used_at   timestamptz,
  primary key (person_id, digest)
);

-- A person at an identity provider. The address alone never identifies anyone.
create table identities (
  issuer       text not null,
  subject      text not null,
  person_id    uuid not null references people (id),
  provider     text not null,
  -- The address or name that the provider last gave, by which a person tells their identities apart.
  label        text not null default '',
  linked_at    timestamptz not null default now(),
  last_used_at timestamptz,
  primary key (issuer, subject)
);
create index identities_of_person on identities (person_id);

-- Challenges, states and logout tokens that were used, until they would not be accepted anyway.
create table used_tokens (
  digest     bytea primary key,
  expires_at timestamptz not null
);
create index used_tokens_by_expiry on used_tokens (expires_at);

---------------------------------------------------------------------------------------------------------------------
-- Contacts
---------------------------------------------------------------------------------------------------------------------

create table contacts (
  account_id uuid not null references accounts (id),
  email      text not null,
  position   integer not null,
  name       text not null,
  phone      text not null,
  language   text not null,
  groups     text[] not null,
  primary key (account_id, email)
);
create index contacts_by_name on contacts (account_id, lower(case when name = '' then email else name end), email);

-- The administrator's list, which every account sees.
create table global_contacts (
  email    text primary key,
  position integer not null,
  name     text not null,
  phone    text not null,
  language text not null,
  groups   text[] not null
);
create index global_contacts_by_name on global_contacts (lower(case when name = '' then email else name end), email);

-- The other half of the ETag of contacts.
create table global_contacts_version (
  is_only_row boolean primary key default true check (is_only_row),
  version     bigint not null default 0
);
insert into global_contacts_version default values;

-- Addresses that want no more mail from an account. They stay until the person or an administrator removes them.
create table stopped_mail (
  account_id uuid not null references accounts (id),
  email      text not null,
  stopped_at timestamptz not null default now(),
  primary key (account_id, email)
);

-- The page on which anyone can send files to an account, under a name that its owner chose.
create table public_pages (
  account_id uuid primary key references accounts (id),
  name       text not null unique check (name ~ '^[a-z0-9-]{3,40}$'),
  -- Shown on the page; empty: nothing.
  message    text not null default '' check (length(message) <= 1000),
  -- A page that is closed keeps its name, and looks as if it did not exist.
  is_open    boolean not null
);

-- Addresses whose files an account does not want through its public page.
create table blocked_senders (
  account_id uuid not null references accounts (id),
  email      text not null,
  blocked_at timestamptz not null default now(),
  primary key (account_id, email)
);

---------------------------------------------------------------------------------------------------------------------
-- Drops, requests for files, and their links
---------------------------------------------------------------------------------------------------------------------

--   downloadfiles  a drop: files sent to receivers
--   uploadfiles    a request: contacts are asked for files
--   receivedfiles  files that a contact sent through the link of a request; in the account's own inbox at once
create type drop_type as enum ('downloadfiles', 'uploadfiles', 'receivedfiles');

create table drops (
  account_id        uuid not null references accounts (id),
  -- UUID of version 7, so that the order of ids is that of creation. Its end is the reference that people see.
  id                uuid not null,
  type              drop_type not null,
  message           text not null,
  -- One line by which people know it. Null: none.
  title             text check (length(title) between 1 and 200),
  -- The caller's own identifier.
  external_id       text,
  metadata          jsonb,
  -- Null: as set for the account.
  second_factor     second_factor,
  -- The argon2id hash of the passphrase that receivers have to enter in addition. Null: there is none.
  passphrase        text,
  notify            boolean not null default true,
  -- Whether a contact may send files through the link of a request any number of times, or once.
  reusable          boolean not null default true,
  -- The files that a request wants, each with a name and a note. Null: none in particular.
  wanted            jsonb,
  -- Nobody in the account asked for the files: a visitor of its public page asked for the link of this request, or sent
  -- these files through it.
  unsolicited       boolean not null default false,
  -- In units of WAYBILL_LIFETIME_UNIT.
  lifetime          integer not null,
  created_at        timestamptz not null default now(),
  expires_at        timestamptz not null,
  -- The person who sent it. Null: a program did.
  sent_by           uuid,
  -- The API key that sent it, which may read it without the right to read everything. Null: a person or a contact did.
  key_id            uuid,
  -- Set when the drop expires or is revoked: a clock that jumps back cannot bring a drop to life again. Only a person who
  -- undoes a revocation in time does.
  ended_at          timestamptz,
  revoked_at        timestamptz,
  -- Until when a revocation can be undone; the keys and files are kept until then. Null: it cannot.
  restorable_until  timestamptz,
  -- When receivers who have not fetched everything are reminded. Null: never, or already done.
  remind_at         timestamptz,
  receiver_count    integer not null,
  file_count        integer not null,
  -- The tokens of the links are derived from this key, so that a mail can be written again and no token is stored.
  link_key          bytea,
  -- The day whose key wraps link_key (see day_keys). Null if there never was a link_key.
  key_day           integer,
  -- The link of a request through which a contact sent these files.
  request_id        uuid,
  request_position  integer,
  -- Ended, and its files, inbox entries and contact drafts are still to be removed, a batch of rows at a time.
  to_empty          boolean not null default false,
  -- The activity of the receivers of an ended drop may be purged before the drop.
  activity_purged   boolean not null default false,
  primary key (account_id, id)
);
create index drops_sent_by_time on drops (account_id, created_at desc, id desc) where type <> 'receivedfiles';
create index drops_live on drops (account_id, expires_at, id) where ended_at is null and type = 'downloadfiles';
-- The lists of an account's drops, by each of their filters.
create index drops_by_type on drops (account_id, type, id);
create index drops_by_state on drops (account_id, type, (
  case when revoked_at is not null then 'revoked' when ended_at is not null then 'expired' else 'live' end), id);
create index drops_by_sender on drops (account_id, type, sent_by, id);
create index drops_by_external_id on drops (account_id, external_id, id) where external_id is not null;
create index drops_by_reference on drops (right(id::text, 10));
create index drops_by_text on drops using gin (
  account_id, (coalesce(title || ' ', '') || message || ' ' || coalesce(external_id, '') || ' ' || right(id::text, 10)) gin_trgm_ops);
create index drops_unsolicited on drops (account_id, expires_at) where unsolicited and type = 'uploadfiles' and ended_at is null;
create index drops_through_link on drops (account_id, request_id, request_position) where request_id is not null;
create index drops_by_day_key on drops (key_day) where link_key is not null;
create index drops_to_end on drops (expires_at) where ended_at is null;
create index drops_to_empty on drops (ended_at) where to_empty;
create index drops_to_remind on drops (remind_at) where remind_at is not null;
create index drops_to_purge on drops (ended_at) where ended_at is not null and not to_empty;
create index drops_with_activity on drops (ended_at) where ended_at is not null and not to_empty and not activity_purged;

--   receiver  a receiver of a drop or request, with a link of their own
--   named     one link for all receivers of a drop: whoever opens it enters the code that is sent to their address
--   anybody   for whoever has it, without an address
create type link_kind as enum ('receiver', 'named', 'anybody');
-- A link of a drop or request, which is found by the SHA-256 of its token. Shared links have positions of their own, so that
-- those of receivers stay without gaps.
create table links (
  account_id           uuid not null,
  drop_id              uuid not null,
  position             integer not null,
  email                text not null,
  -- As the sender named the receiver for this drop; null if they did not.
  name                 text,
  -- The name in the sender's contacts at that time.
  contact_name         text not null,
  phone                text not null,
  language             text not null,
  groups               text[] not null,
  token_digest         bytea not null unique,
  -- When each of these first happened.
  notified_at          timestamptz,
  opened_at            timestamptz,
  passed_at            timestamptz,
  completed_at         timestamptz,
  -- Mails do not reach the receiver, and the mail server's reason. Cleared when the message is sent again.
  undeliverable_at     timestamptz,
  undeliverable_reason text,
  -- The addresses of the account's people who saw the link, and could have acted as its receiver.
  shown_to             text[] not null default '{}',
  -- A receiver may ask for more time once, ask once to have it sent again, and report the sender once.
  more_time_asked_at   timestamptz,
  send_again_asked_at  timestamptz,
  reported_at          timestamptz,
  -- This link alone; the drop lives on for the others.
  revoked_at           timestamptz,
  kind                 link_kind not null default 'receiver',
  -- Of a shared link: when and by whom it was made, and its own end, if that is before the drop's.
  created_at           timestamptz,
  created_by           text,
  expires_at           timestamptz,
  -- How many visits may download through it, and did. A visit is a browser or program in which it was opened. Null: any number.
  max_downloads        integer check (max_downloads > 0),
  downloads            integer not null default 0,
  last_download_at     timestamptz,
  visits               integer not null default 0,
  -- Codes that were entered through a link for all receivers and were wrong.
  wrong_codes          integer not null default 0,
  primary key (account_id, drop_id, position),
  foreign key (account_id, drop_id) references drops (account_id, id),
  check ((kind = 'receiver') = (position < 1000000)),
  check ((kind = 'receiver') = (email <> ''))
);
create index links_by_receiver on links (account_id, email, drop_id);
create index links_undeliverable on links (account_id, drop_id) where undeliverable_at is not null;
create index links_by_text on links using gin (account_id, (email || ' ' || coalesce(name, contact_name)) gin_trgm_ops);
-- Whether an account has sent to a domain before.
create index links_by_domain on links (account_id, split_part(email, '@', 2));

alter table drops
  add foreign key (account_id, request_id, request_position) references links (account_id, drop_id, position);

-- Which bytes of a file were sent to a receiver. Download managers fetch ranges in any order, several at a time, so the
-- union of all ranges counts and not only how far the bytes reach from the start.
create table deliveries (
  account_id   uuid not null,
  drop_id      uuid not null,
  position     integer not null,
  file_id      uuid not null,
  delivered    int8multirange not null default '{}',
  completed_at timestamptz,
  primary key (account_id, drop_id, position, file_id),
  foreign key (account_id, drop_id, position) references links (account_id, drop_id, position)
);

create type message_channel as enum ('mail', 'sms');

-- A browser in which a link was opened, identified by the SHA-256 of its cookie.
create table link_sessions (
  digest          bytea primary key,
  account_id      uuid not null,
  drop_id         uuid not null,
  position        integer not null,
  created_at      timestamptz not null default now(),
  -- A code belongs to the browser that asked for it. It is derived from the drop's link key and this id, and not stored.
  code_id         uuid,
  code_expires_at timestamptz,
  code_tries      integer not null default 0,
  -- When a code was entered, and how it was sent.
  passed_at       timestamptz,
  passed_channel  message_channel,
  -- When the passphrase of the drop was entered.
  passphrase_at   timestamptz,
  -- Until when a program may use it; null for a browser, which may as long as the link works.
  expires_at      timestamptz,
  -- Through a link for all receivers: the one whose code was sent. Null: the address is nobody's.
  for_position    integer,
  -- When it was counted as one of the downloads of a shared link.
  counted_at      timestamptz,
  -- Some time after the link ends, so that a browser that comes late is told why.
  purge_at        timestamptz not null default now() + interval '60 days',
  foreign key (account_id, drop_id, position) references links (account_id, drop_id, position)
);
create index link_sessions_of_link on link_sessions (account_id, drop_id, position, created_at);
create index link_sessions_to_purge on link_sessions (purge_at);

-- Which bytes of a file were sent to a visit of a shared link: deliveries has those of all its visits together that were
-- not counted.
create table visit_deliveries (
  session      bytea not null references link_sessions (digest) on delete cascade,
  file_id      uuid not null,
  delivered    int8multirange not null,
  completed_at timestamptz,
  primary key (session, file_id)
);

-- A transfer through a link with a maximum of downloads holds a place for its visit. The lease of one whose process died
-- ends by itself.
create table download_places (
  account_id uuid not null,
  drop_id    uuid not null,
  position   integer not null,
  id         uuid not null,
  session    bytea not null references link_sessions (digest) on delete cascade,
  due_at     timestamptz not null,
  primary key (account_id, drop_id, position, id)
);
create index download_places_of_session on download_places (session);

-- The inbox of an account, which is also a queue.
--   queued        can be claimed from due_at on
--   last_attempt  claimed for the last time; when its lease ends, the entry is parked
--   acknowledged  processed
create type inbox_state as enum ('queued', 'last_attempt', 'acknowledged');
create table inbox_entries (
  account_id        uuid not null references accounts (id),
  id                uuid not null,
  sender_account_id uuid not null,
  drop_id           uuid not null,
  -- The account's own request through which a contact sent it. Null: another account sent it, or nobody asked for it.
  request_id        uuid,
  -- The identifier that the sender gave its drop, or the account its request. Copied, so that entries are found by it.
  external_id       text,
  created_at        timestamptz not null default now(),
  state             inbox_state not null default 'queued',
  -- Claims since it was received or released.
  attempts          integer not null default 0,
  -- The last lease, held or ended. Null if the entry was released.
  lease_id          uuid,
  -- The end of the lease of a claimed entry. For a parked or acknowledged entry, since when it has been so.
  due_at            timestamptz not null default now(),
  -- When a member first opened it, and who. Null: it is unread.
  seen_at           timestamptz,
  seen_by           uuid,
  -- Whether the account was told that the entry was parked. False again once it is released.
  parking_reported  boolean not null default false,
  primary key (account_id, id),
  unique (account_id, sender_account_id, drop_id),
  foreign key (sender_account_id, drop_id) references drops (account_id, id)
);
create index inbox_by_time on inbox_entries (account_id, created_at desc, id desc);
-- People see what is not done yet, and how much of it is unread, however much is done.
create index inbox_open on inbox_entries (account_id, created_at desc, id desc) where state <> 'acknowledged';
create index inbox_unread on inbox_entries (account_id) where seen_at is null and state <> 'acknowledged';
create index inbox_of_drop on inbox_entries (sender_account_id, drop_id);
create index inbox_of_request on inbox_entries (account_id, request_id, created_at, id) where request_id is not null;
create index inbox_by_external_id on inbox_entries (account_id, external_id, created_at, id) where external_id is not null;
-- Claims read an index without acknowledged entries, however many there are.
create index inbox_queue on inbox_entries (account_id, due_at, id) where state = 'queued';
create index inbox_settled on inbox_entries (account_id, state, due_at, id) where state in ('last_attempt', 'acknowledged');
create index inbox_to_report on inbox_entries (due_at) where state = 'last_attempt' and not parking_reported;

---------------------------------------------------------------------------------------------------------------------
-- Drafts, uploads and files
---------------------------------------------------------------------------------------------------------------------

-- A drop in preparation: its receivers and staged files. The default draft is ''. A contact draft, with the files that a
-- contact is preparing to send, is a draft as well.
create table drafts (
  account_id     uuid not null references accounts (id),
  name           text not null,
  receivers      jsonb not null default '[]',
  list_opened_at timestamptz,
  touched_at     timestamptz not null default now(),
  -- The last few dispatches, newest first, each with its digest (hex) and its time: a repetition is recognised although
  -- something else was dispatched in between.
  dispatches     jsonb not null default '[]',
  primary key (account_id, name)
);
create index drafts_by_touch on drafts (touched_at);
-- The contact drafts of a request's links are found by the start of their names.
create index drafts_by_prefix on drafts (account_id, name text_pattern_ops);

--   receiving  bytes are arriving, or the upload is waiting to be resumed; abandoned when due_at has passed
--   checking   all bytes are stored; a job reads them back and scans them. Due for a check at due_at
--   refused    the check failed; kept so that the contact is told. Its objects are deleted from due_at on
--   abandoned  removed, superseded or expired. Its objects are deleted from due_at on, then the row
create type upload_state as enum ('receiving', 'checking', 'refused', 'abandoned');

create table uploads (
  account_id       uuid not null references accounts (id),
  -- Becomes the file's id, and is the prefix of its objects.
  id               uuid not null,
  draft            text not null,
  -- The API key or the person that announced it, for the audit. Both null: a contact did.
  key_id           uuid,
  person_id        uuid,
  state            upload_state not null default 'receiving',
  name             text not null,
  -- See files.path.
  path             text,
  media_type       text not null,
  -- Null while it is unknown: a form does not declare it.
  size_bytes       bigint,
  -- Stored permanently; a writer that resumes starts here.
  received_bytes   bigint not null default 0,
  -- The part of the account's storage that this upload occupies until it is a file.
  reserved_bytes   bigint not null default 0,
  -- How much the account was allowed to store when this upload began. Null: any amount.
  max_stored_bytes bigint,
  -- Digests declared by the caller; the check refuses a file that differs.
  declared_sha256  bytea,
  declared_sha512  bytea,
  -- The only writer that may store bytes. Another request takes over by replacing it.
  writer           uuid not null,
  -- The object prefixes and chunk sizes used so far: [{id, firstSegment, segmentsPerChunk, objects}]. Empty: one run.
  runs             jsonb not null default '[]',
  -- Objects of the last run with numbers below this may exist.
  chunk_count      integer not null default 0,
  wrapped_key      bytea,
  -- The day whose key wraps wrapped_key (see day_keys).
  key_day          integer not null,
  checks           integer not null default 0,
  refusal          text,
  -- Null when nothing is left to be done.
  due_at           timestamptz,
  created_at       timestamptz not null default now(),
  primary key (account_id, id),
  check ((state in ('receiving', 'checking')) = (wrapped_key is not null)),
  check ((state = 'refused') = (refusal is not null)),
  check (key_id is null or person_id is null)
);
create index uploads_of_draft on uploads (account_id, draft);
create index uploads_by_day_key on uploads (key_day) where wrapped_key is not null;
create index uploads_to_expire on uploads (due_at) where state = 'receiving';
create index uploads_to_check on uploads (due_at) where state = 'checking';
create index uploads_to_delete on uploads (due_at) where state in ('refused', 'abandoned');

--   ready     stored, in a draft or a drop
--   held      would have been deleted, and is kept with its key because of a legal hold
--   deleting  its key is destroyed; its objects are being deleted
--   gone      its objects are deleted; kept as a line of its drop's history
create type file_state as enum ('ready', 'deleting', 'gone', 'held');
create type scan_result as enum ('clean', 'unscanned');

create table files (
  account_id  uuid not null references accounts (id),
  -- The prefix of the objects that it stored; never used again.
  id          uuid not null,
  state       file_state not null,
  draft       text not null,
  drop_id     uuid,
  -- Unique in its drop: of files of the same name in several folders, all but the first have a number in it.
  name        text not null,
  -- Its place in the folder that was sent, with / between the folders and its own name last. Null if that is its name.
  path        text,
  media_type  text not null,
  size_bytes  bigint not null,
  sha256      bytea not null,
  -- Stated in the headers of a ZIP.
  crc32       bigint not null,
  scan        scan_result not null,
  -- Why it was not scanned: too_large, encrypted, unavailable or off. Null if it was.
  unscanned_reason text,
  runs        jsonb not null default '[]',
  -- The file that stored the objects, if this one was sent again without them: its runs are then listed, and the first has
  -- this id. Null: it stored them itself.
  content_id  uuid generated always as (nullif((runs -> 0 ->> 'id')::uuid, id)) stored,
  chunk_count integer not null,
  wrapped_key bytea,
  -- The day whose key wraps wrapped_key (see day_keys).
  key_day     integer not null,
  -- When a deletion may next be tried.
  lease_until timestamptz,
  created_at  timestamptz not null default now(),
  -- Of a file that a contact sent: which bytes the account has downloaded (see deliveries for those of a drop).
  downloaded  int8multirange not null default '{}',
  -- Which of the files that the request wants it is, by its place in their list.
  wanted      smallint,
  primary key (account_id, id),
  check ((state in ('ready', 'held')) = (wrapped_key is not null))
);
-- One staged file for each name: decides which of two concurrent uploads wins.
create unique index files_staged on files (account_id, draft, name) where state = 'ready' and drop_id is null;
-- Those that were not sent yet, however many were.
create index files_unsent on files (account_id, id) where state = 'ready' and drop_id is null;
-- Objects are deleted when no stored file has them any more.
create index files_by_content on files (account_id, content_id) where content_id is not null;
create index files_of_drop on files (account_id, drop_id) where drop_id is not null;
create index files_by_name on files using gin (account_id, coalesce(path, name) gin_trgm_ops) where drop_id is not null;
-- Held files keep the key of their day, so that only ready ones are looked through for keys to replace.
create index files_by_day_key on files (key_day) where state = 'ready';
create index files_held_by_day_key on files (key_day) where state = 'held';
create index files_held on files (account_id, coalesce(drop_id, '00000000-0000-0000-0000-000000000000'), id)
  where state = 'held';
create index files_to_delete on files (lease_until) where state = 'deleting';

-- Objects that the store failed to delete although it responds. No other row refers to them.
create table undeleted_objects (
  key             text primary key,
  attempts        integer not null default 1,
  first_failed_at timestamptz not null default now(),
  due_at          timestamptz not null
);
create index undeleted_objects_due on undeleted_objects (due_at);

-- The current or last pass that re-reads the objects of all stored files. All processes share it and continue where the
-- last one stopped.
create table scrub (
  is_only_row  boolean primary key default true check (is_only_row),
  started_at   timestamptz not null default now(),
  -- Null while the pass is in progress.
  completed_at timestamptz,
  -- Everything before this file is done, and so are this many objects of it.
  account_id   uuid not null default '00000000-0000-0000-0000-000000000000',
  file_id      uuid not null default '00000000-0000-0000-0000-000000000000',
  objects      integer not null default 0,
  -- Read in this pass.
  files        bigint not null default 0,
  bytes        bigint not null default 0
);

-- Files whose stored bytes differ from what was uploaded. A row is removed when the file reads well again or is removed.
create table damaged_files (
  account_id uuid not null,
  file_id    uuid not null,
  -- The first object that is wrong.
  object     text not null,
  problem    text not null check (problem in ('missing', 'unreadable', 'damaged', 'digest', 'key')),
  found_at   timestamptz not null default now(),
  primary key (account_id, file_id),
  foreign key (account_id, file_id) references files (account_id, id) on delete cascade
);

---------------------------------------------------------------------------------------------------------------------
-- Stored bytes of each account, counted by triggers so that no statement changes files without changing the count
---------------------------------------------------------------------------------------------------------------------

-- The account's ready and held files, and what its uploads in progress have reserved.
create table usage (
  account_id   uuid primary key references accounts (id),
  stored_bytes bigint not null default 0
) with (fillfactor = 50);

create function begin_usage() returns trigger language plpgsql as $$
begin
  insert into usage (account_id) values (new.id);
  return null;
end $$;
create trigger begin_usage after insert on accounts for each row execute function begin_usage();

-- Fails with WBFUL if the account would store more than it may. A decrease never fails.
create function change_usage(account uuid, change bigint, most bigint) returns void language plpgsql as $$
begin
  for attempt in 1..2 loop
    update usage set stored_bytes = stored_bytes + change
    where account_id = account and (change <= 0 or most is null or stored_bytes + change <= most);
    if found then
      return;
    end if;
    -- A missing row does not mean that the storage is full.
    insert into usage (account_id) values (account) on conflict do nothing;
  end loop;
  raise exception 'the account % would store more than % bytes', account, most using errcode = 'WBFUL', detail = most;
end $$;

create function is_under_way(state upload_state) returns boolean language sql immutable
  return state in ('receiving', 'checking');

create function count_upload() returns trigger language plpgsql as $$
declare
  before bigint := case when tg_op <> 'INSERT' and is_under_way(old.state) then old.reserved_bytes else 0 end;
  after bigint := case when tg_op <> 'DELETE' and is_under_way(new.state) then new.reserved_bytes else 0 end;
begin
  if tg_op = 'DELETE' then
    perform change_usage(old.account_id, after - before, null);
  else
    perform change_usage(new.account_id, after - before, new.max_stored_bytes);
  end if;
  return null;
end $$;
create trigger count_begun after insert on uploads for each row
  when (new.reserved_bytes <> 0) execute function count_upload();
create trigger count_changed after update on uploads for each row
  when (old.reserved_bytes <> new.reserved_bytes
    or old.reserved_bytes <> 0 and is_under_way(old.state) <> is_under_way(new.state))
  execute function count_upload();
-- At the commit: an upload that becomes a file must not lock the account's row while its transaction goes on.
create constraint trigger count_ended after delete on uploads deferrable initially deferred for each row
  when (old.reserved_bytes <> 0 and is_under_way(old.state)) execute function count_upload();

create function count_file() returns trigger language plpgsql as $$
begin
  perform change_usage(new.account_id, new.size_bytes, null);
  return null;
end $$;
create constraint trigger count_added after insert on files deferrable initially deferred for each row
  when (new.state in ('ready', 'held')) execute function count_file();

-- A statement that changes a thousand files changes the account's row once. In the order of accounts, so that two such
-- statements do not wait for each other.
create function count_files() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform change_usage(account_id, -bytes, null) from (
      select account_id, sum(size_bytes)::bigint as bytes from old_files where state in ('ready', 'held')
      group by account_id order by account_id) as removed;
  else
    perform change_usage(account_id, bytes, null) from (
      select account_id, sum(size)::bigint as bytes from (
        select account_id, size_bytes as size from new_files where state in ('ready', 'held')
        union all
        select account_id, -size_bytes from old_files where state in ('ready', 'held')) as changes
      group by account_id having sum(size) <> 0 order by account_id) as changed;
  end if;
  return null;
end $$;
create trigger count_changed after update on files
  referencing old table as old_files new table as new_files for each statement execute function count_files();
create trigger count_removed after delete on files
  referencing old table as old_files for each statement execute function count_files();

---------------------------------------------------------------------------------------------------------------------
-- Legal holds: while one is in force, nothing of its drop, or of its whole account, is deleted
---------------------------------------------------------------------------------------------------------------------

create table holds (
  account_id  uuid not null references accounts (id),
  id          uuid not null,
  -- Null: everything of the account. Not a foreign key: a released hold stays on record when its drop is purged.
  drop_id     uuid,
  name        text not null check (length(name) between 1 and 100),
  reason      text not null check (length(reason) <= 1000),
  placed_by   text not null,
  placed_at   timestamptz not null default now(),
  released_by text,
  released_at timestamptz,
  -- Released, and the files that it kept are still to be deleted.
  to_empty    boolean not null default false,
  primary key (account_id, id)
);
create unique index holds_by_id on holds (id);
create index holds_in_force on holds (account_id, drop_id) where released_at is null;
create index holds_to_empty on holds (released_at) where to_empty;

-- Placing a hold waits for deletions that have begun, and a deletion that begins later sees the hold: being volatile, the
-- function reads what is committed when it is called.
create function is_held(account uuid, dropped uuid) returns boolean volatile language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('hold ' || account, 0));
  return exists (select from holds
    where account_id = account and released_at is null and (drop_id is null or drop_id = dropped));
end $$;

-- Every deletion of a file begins by destroying its key. A held file keeps its key and its bytes instead.
create function keep_held_file() returns trigger language plpgsql as $$
begin
  if is_held(old.account_id, old.drop_id) then
    new.state := 'held';
    new.wrapped_key := old.wrapped_key;
    new.lease_until := null;
  end if;
  return new;
end $$;
create trigger keep_held before update on files for each row
  when (old.state in ('ready', 'held') and new.state = 'deleting') execute function keep_held_file();

-- Purging skips drops that are held; this covers a hold that is placed at the same moment.
create function refuse_held() returns trigger language plpgsql as $$
begin
  if is_held(old.account_id, old.id) then
    raise exception 'drop % is under a legal hold', old.id using errcode = '40001';
  end if;
  return old;
end $$;
create trigger refuse_held before delete on drops for each row execute function refuse_held();

---------------------------------------------------------------------------------------------------------------------
-- Keys and backups
---------------------------------------------------------------------------------------------------------------------

-- The keys of files, and of the links of drops, are wrapped by the key of the day on which they end. Days are counted from
-- 1970-01-01 in UTC: 2026-11-17 is 20774. The day keys themselves are not in the database, and so not in a dump: each is an
-- object in the bucket, wrapped by a master key.
create table day_keys (
  day          integer primary key check (day > 0),
  -- The object is day-keys/ID.
  object_id    uuid not null unique,
  object_bytes integer not null check (object_bytes between 1 and 10000),
  -- Of the master key that wraps it.
  key_version  integer not null check (key_version > 0)
);

-- Recorded before an object is stored. Objects that do not become the key of a day are deleted.
create table day_key_objects (
  id         uuid primary key,
  created_at timestamptz not null default now(),
  -- The day whose key it was. Its destruction is evidence once the object is deleted.
  was_key_of integer
);

-- The last complete backup, for the metric of its age.
create table last_backup (
  is_only_row  boolean primary key default true check (is_only_row),
  id           text not null,
  -- The moment of the database in it.
  taken_at     timestamptz not null,
  completed_at timestamptz not null default now(),
  -- Stored files that are not in it, because their objects are lost or cannot be read.
  left_out     bigint not null
);

-- The last backup that failed, for the metric of it.
create table last_backup_failure (
  is_only_row boolean primary key default true check (is_only_row),
  failed_at   timestamptz not null default now()
);

---------------------------------------------------------------------------------------------------------------------
-- Idempotency, outbox and audit
---------------------------------------------------------------------------------------------------------------------

-- The first request with an Idempotency-Key, and its response, written in the transaction of the change. Responses may contain
-- secrets that are stored nowhere else, so they are sealed under a key derived from the Idempotency-Key.
create table responses (
  account_id     uuid not null references accounts (id),
  key_digest     bytea not null,
  request_digest bytea not null,
  -- The API key that sent the request; only this one gets the response again.
  key_id         uuid not null,
  -- Null: that of a dispatch through the machine API, which is always the same.
  response       bytea,
  created_at     timestamptz not null default now(),
  primary key (account_id, key_digest)
);
create index responses_by_age on responses (created_at);
create index responses_of_account on responses (account_id, created_at);

create type message_kind as enum ('invitation', 'code', 'reminder', 'receipt', 'received', 'confirmation', 'undeliverable',
  'more_time', 'send_again', 'report');
create type message_state as enum ('waiting', 'sent', 'abandoned');

-- The outbox: every mail and SMS is a row before it is sent. A waiting message is due at due_at; its job only wakes the
-- sender. While it is being sent, due_at is the end of the sender's lease, so that the crash of a process delays a message
-- by moments and does not lose it.
create table messages (
  account_id      uuid not null,
  id              uuid not null,
  drop_id         uuid not null,
  -- Null if the message is about a drop as a whole.
  position        integer,
  kind            message_kind not null,
  channel         message_channel not null,
  -- An address or a phone number.
  receiver        text not null,
  -- The member who is told, and of which account. Null: the account's address, a receiver or a contact.
  told_person_id  uuid references people (id),
  told_account_id uuid,
  -- How much more news of this kind the mail stands for, so that much news at once is few mails.
  more            integer not null default 0,
  state           message_state not null default 'waiting',
  attempts        integer not null default 0,
  due_at          timestamptz not null default now(),
  outcome         text,
  created_at      timestamptz not null default now(),
  settled_at      timestamptz,
  -- When a report said that the receiving server has a mail.
  accepted_at     timestamptz,
  primary key (account_id, id),
  foreign key (account_id, drop_id, position) references links (account_id, drop_id, position)
);
-- A mail that comes back names its message, but not its account.
create index messages_by_id on messages (id);
create index messages_of_drop on messages (account_id, drop_id, position);
-- Codes are limited for each phone number and address, whichever link and account they are for.
create index messages_codes_by_receiver on messages (receiver, created_at) where kind = 'code';
create index messages_of_told_person on messages (told_person_id) where told_person_id is not null;
create index messages_by_told_person on messages (told_account_id, told_person_id, kind)
  where told_account_id is not null;
create index messages_due on messages (due_at) where state = 'waiting';
create index messages_abandoned on messages (settled_at) where state = 'abandoned';
create index messages_settled on messages (settled_at, id) where state <> 'waiting';

-- The mails and SMS of test accounts, which are kept instead of sent.
create table test_messages (
  account_id uuid not null references accounts (id),
  -- That of the message or of the job that composed it, so that a second attempt keeps nothing twice.
  id         uuid not null,
  -- The order in which they were kept.
  sequence   bigint not null generated always as identity,
  -- The drop or the request that it is about; both null: neither.
  drop_id    uuid,
  request_id uuid,
  kind       text not null,
  channel    message_channel not null,
  receiver   text not null,
  -- Null for an SMS.
  subject    text,
  text       text not null,
  -- The personal link and the code that it carries, if any.
  link       text,
  code       text,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create index test_messages_in_order on test_messages (account_id, sequence);
create index test_messages_by_age on test_messages (created_at);

-- One entry for each acknowledged change, written in the transaction of the change. Those who follow it see the order (epoch,
-- transaction_id, sequence) below the oldest running transaction, as with events.
create table audit_entries (
  epoch          bigint not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  sequence       bigint not null generated always as identity,
  account_id     uuid not null,
  -- By which a system that entries are sent to recognises one that it gets twice.
  id             uuid not null,
  -- Not the time of the transaction, so that its entries are in the order in which they were made.
  at             timestamptz not null default clock_timestamp(),
  -- An API key, a person who signed in, a person with a link, an administrator's command or the server itself.
  author_kind    text not null,
  author_id      text not null,
  author_name    text not null,
  -- The network address that the request came from; empty for commands and for work of the server itself.
  author_address text not null default '',
  action         text not null,
  -- The mail addresses that the change is about.
  addresses      text[],
  details        jsonb not null,
  -- The values that the change replaced, and those that it left. Null: what was created, removed or happened is in the details.
  before         jsonb,
  after          jsonb,
  primary key (epoch, transaction_id, sequence)
);
-- Each way to search leads to the newest entries first, however many there are.
create index audit_entries_by_age on audit_entries (at);
create index audit_entries_of_account on audit_entries (account_id, at);
create index audit_entries_of_author on audit_entries (author_id, at);
create index audit_entries_of_action on audit_entries (action, at);
create index audit_entries_from_address on audit_entries (author_address, at) where author_address <> '';
create index audit_entries_about_address on audit_entries using gin (addresses) where addresses is not null;
-- By the end of the drop's id, which is its reference.
create index audit_entries_of_drop on audit_entries (right(details ->> 'dropId', 10), at)
  where (details ->> 'dropId') is not null;

-- The systems outside to which the audit is sent. A row begins with the first attempt.
create table audit_targets (
  name           text primary key check (name in ('syslog', 'https')),
  -- The last entry of which it is certain that the target has stored it and all before it. Null: none.
  epoch          bigint,
  transaction_id xid8,
  sequence       bigint,
  delivered_at   timestamptz,
  -- The first of the failures since the last success, the reason of the last one, and what an operator can do about it.
  failing_since  timestamptz,
  failure        text,
  remedy         text,
  -- The entry after the position, if the target refuses this one entry whenever it is sent.
  refused_id     uuid,
  -- Held by the process that sends to it: never two at once. Each holder has a larger fence than the one before it.
  lease_until    timestamptz,
  fence          bigint not null default 0
);

---------------------------------------------------------------------------------------------------------------------
-- Evidence
---------------------------------------------------------------------------------------------------------------------

-- One entry for each event that a receipt proves, written in the transaction of the event. The sequencer gives it a number
-- within its story and a leaf of the log. The leaf is a commitment to the salt and the event: an entry without them stays as
-- a leaf that says nothing. Entries outlive their drop and their account: no foreign keys.
create table evidence_entries (
  -- The sender's account; that of the server for events of the log itself.
  account_id uuid not null,
  id         uuid not null default gen_random_uuid(),
  -- The order in which entries get their leaves, whatever the clock says.
  sequence   bigint not null generated always as identity,
  at         timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  kind       text not null,
  -- The story: of the log (neither), of a drop (no position), or of a receiver of a drop.
  drop_id    uuid,
  position   integer check (position >= 0),
  -- Both null: erased.
  data       jsonb,
  salt       bytea default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) check (length(salt) = 32),
  -- All null while the entry waits for the sequencer.
  number     integer check (number >= 0),
  epoch      integer,
  leaf_index bigint check (leaf_index >= 0),
  -- The leaf itself: SHA-256 of the salt and the canonical event.
  commitment bytea check (length(commitment) = 32),
  primary key (account_id, id),
  check (drop_id is not null or position is null),
  check ((data is null) = (salt is null)),
  check (num_nulls(number, epoch, leaf_index, commitment) in (0, 4)),
  -- The leaf of an entry is computed from its salt, so it cannot be erased before it has one.
  check (leaf_index is not null or salt is not null)
);
create index evidence_entries_waiting on evidence_entries (sequence) where leaf_index is null;
create index evidence_entries_of_story on evidence_entries (account_id, drop_id, position, number);
create unique index evidence_entries_by_leaf on evidence_entries (epoch, leaf_index) where leaf_index is not null;
create index evidence_entries_by_age on evidence_entries (at) where salt is not null;
-- By the end of its id a drop is found whose own row is purged: see `reference.ts`.
create index evidence_entries_by_reference on evidence_entries (right(drop_id::text, 10)) where kind = 'submission.accepted';
create index evidence_entries_of_account on evidence_entries (account_id) where salt is not null;

-- The one address or phone number that an event names, if any.
create function named_in_evidence(data jsonb) returns text language sql immutable parallel safe
  return lower(coalesce(data ->> 'address', data #>> '{sender,address}', data ->> 'by', data ->> 'to'));
create index evidence_entries_by_name on evidence_entries (named_in_evidence(data))
  where named_in_evidence(data) is not null;

-- An epoch of the log. A restored database begins another, because it may know less than what was published.
create table evidence_logs (
  epoch               integer primary key check (epoch >= 0),
  -- Names the log in its checkpoints; fixed when the epoch starts.
  origin              text not null unique,
  -- Leaves that entries have.
  size                bigint not null default 0 check (size >= 0),
  -- Leaves that the published checkpoint covers.
  published_size      bigint not null default 0,
  published_at        timestamptz,
  -- Signed, and perhaps published; then published; then with the signatures of witnesses.
  signed_checkpoint   text,
  checkpoint          text,
  cosigned_checkpoint text,
  cosigned_at         timestamptz,
  -- Leaves that a time stamp covers, and when the next one may be requested; null before the first request.
  stamped_size        bigint not null default 0,
  stamp_due_at        timestamptz,
  -- Requests that failed since the last time stamp, and why the last of them did, for an administrator.
  stamp_failures      integer not null default 0,
  stamp_failure       text,
  started_at          timestamptz not null default now(),
  ended_at            timestamptz,
  -- Why nothing is signed at the moment, for an administrator.
  refusal             text,
  -- Held by the one process that writes the log; whoever takes it over increments the fence, which every write checks.
  lease_until         timestamptz,
  fence               bigint not null default 0,
  check (published_size between 0 and size)
);

-- A time stamp (RFC 3161) of a checkpoint that was published. Receipts contain those that cover their events.
create table evidence_time_stamps (
  epoch      integer not null references evidence_logs (epoch),
  size       bigint not null check (size > 0),
  root       bytea not null check (length(root) = 32),
  token      bytea not null,
  created_at timestamptz not null default now(),
  primary key (epoch, size)
);

create table evidence_keys (
  epoch       integer not null references evidence_logs (epoch),
  -- As signed notes name it.
  key_id      bigint not null check (key_id between 0 and 4294967295),
  algorithm   text not null check (algorithm in ('ed25519', 'ml-dsa-44')),
  public_key  bytea not null,
  -- The private key, and the version of the master key that wraps it. Both null: destroyed, because it never signs again.
  wrapped_key bytea,
  key_version integer check (key_version > 0),
  created_at  timestamptz not null default now(),
  retired_at  timestamptz,
  primary key (epoch, key_id, algorithm),
  check ((wrapped_key is null) = (key_version is null))
);

---------------------------------------------------------------------------------------------------------------------
-- Events and webhooks
---------------------------------------------------------------------------------------------------------------------

-- Events for integrations, written in the transaction of the change. Readers follow the order (epoch, transaction_id,
-- sequence) and see only events below the oldest running transaction, so that no event appears behind a position that a
-- reader has passed.
create table events (
  account_id     uuid not null,
  -- Transaction ids begin again in a restored database; the epoch does not.
  epoch          bigint not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  sequence       bigint not null generated always as identity,
  -- By which a consumer recognises an event that it gets twice.
  id             uuid not null default gen_random_uuid(),
  type           text not null,
  data           jsonb not null,
  created_at     timestamptz not null default now(),
  primary key (account_id, epoch, transaction_id, sequence)
);
create index events_in_order on events (epoch, transaction_id, sequence);
-- Events about one drop or request, and about those with one external id, in their order.
create index events_of_drop on events (
  account_id, (coalesce(data ->> 'drop_id', data ->> 'request_id')), epoch, transaction_id, sequence)
  where coalesce(data ->> 'drop_id', data ->> 'request_id') is not null;
create index events_by_external_id on events (account_id, (data ->> 'external_id'), epoch, transaction_id, sequence)
  where data ->> 'external_id' is not null;

create table event_log (
  is_only_row        boolean primary key default true check (is_only_row),
  epoch              bigint not null default 0,
  -- The last event that was purged because of its age. A reader that is behind it has missed events.
  purged_epoch       bigint not null default 0,
  purged_transaction xid8 not null default '0',
  purged_sequence    bigint not null default 0
);
insert into event_log default values;

create table webhooks (
  account_id      uuid not null references accounts (id),
  id              uuid not null,
  url             text not null,
  -- Null: all.
  types           text[] check (cardinality(types) between 1 and 100),
  description     text not null default '',
  -- The API key that created it, and the scopes of that key, which limit the events that are sent. Null: an owner of the
  -- account created it; no limit.
  created_by      uuid,
  scopes          text[],
  -- Secrets are derived from these and from the pepper, which is not in the database.
  salt            bytea not null,
  previous_salt   bytea,
  previous_until  timestamptz,
  version         integer not null default 1,
  created_at      timestamptz not null default now(),
  disabled_at     timestamptz,
  disabled_reason text,
  -- The first of the failures since the last success.
  failing_since   timestamptz,
  -- Nothing is sent before, because the receiving server asked for a pause.
  paused_until    timestamptz,
  -- Held by the process that sends to it: never two at once.
  lease_until     timestamptz,
  -- The events that are still to be sent again.
  replay_from     timestamptz,
  replay_from_id  uuid,
  replay_until    timestamptz,
  primary key (account_id, id)
);
create index webhooks_replaying on webhooks (lease_until) where replay_until is not null;

-- Deliveries go on while their webhook is changed, and outlive it until they are purged by age: no foreign key.
create type webhook_delivery_state as enum ('waiting', 'delivered', 'abandoned');
create table webhook_deliveries (
  account_id  uuid not null,
  webhook_id  uuid not null,
  event_id    uuid not null,
  type        text not null,
  occurred_at timestamptz not null,
  data        jsonb not null,
  state       webhook_delivery_state not null default 'waiting',
  attempts    integer not null default 0,
  -- While it is being sent, the end of the sender's lease.
  due_at      timestamptz not null default now(),
  created_at  timestamptz not null default now(),
  primary key (account_id, webhook_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (account_id, webhook_id, due_at) where state = 'waiting';
create index webhook_deliveries_overdue on webhook_deliveries (due_at) where state = 'waiting';
create index webhook_deliveries_in_order on webhook_deliveries (account_id, webhook_id, occurred_at, event_id);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

create table webhook_attempts (
  account_id  uuid not null,
  webhook_id  uuid not null,
  -- Ordered by time.
  id          uuid not null,
  event_id    uuid not null,
  type        text not null,
  attempt     integer not null,
  at          timestamptz not null default now(),
  -- The status of the response, or why there was none.
  status      integer,
  failure     text,
  duration_ms integer not null,
  primary key (account_id, webhook_id, id)
);
create index webhook_attempts_by_age on webhook_attempts (at);

-- Whether the scopes of a webhook cover an event. The scope history reads every event.
create function may_be_sent(scopes text[], type text) returns boolean language sql immutable parallel safe as $$
  select scopes is null or 'history' = any (scopes)
    or ('receive' = any (scopes) and starts_with(type, 'inbox.'))
    or ('contacts' = any (scopes) and starts_with(type, 'contact.'))
$$;

-- A trigger, so that an event reaches the account's webhooks whichever statement writes it. Nothing is sent to a disabled
-- webhook, but its events can be sent again later. The jobs have no key: transactions of one account would wait for each
-- other.
create function deliver_events() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (account_id, webhook_id, event_id, type, occurred_at, data, state)
  select event.account_id, webhook.id, event.id, event.type, event.created_at, event.data,
    case when webhook.disabled_at is null then 'waiting' else 'abandoned' end::webhook_delivery_state
  from appended as event join webhooks as webhook on webhook.account_id = event.account_id
  where (webhook.types is null or event.type = any (webhook.types)) and may_be_sent(webhook.scopes, event.type);
  if found then
    perform graphile_worker.add_job(
      'deliver-events', json_build_object('accountId', due.account_id, 'webhookId', due.id), max_attempts := 4,
      priority := case when due.failing_since is null then 0 else 10 end)
    from (
      select distinct webhook.account_id, webhook.id, webhook.failing_since
      from appended as event join webhooks as webhook on webhook.account_id = event.account_id
      where webhook.disabled_at is null and (webhook.types is null or event.type = any (webhook.types))
        and may_be_sent(webhook.scopes, event.type)
    ) as due;
  end if;
  return null;
end
$$;
create trigger deliver_events after insert on events
  referencing new table as appended for each statement execute function deliver_events();
