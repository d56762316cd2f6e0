-- concurrently
-- The lists of an account's drops, by each of their filters. Ids begin with the time, so their order is that of creation.
drop index concurrently if exists drops_by_type;
create index concurrently drops_by_type on drops (account_id, type, id);
drop index concurrently if exists drops_by_state;
create index concurrently drops_by_state on drops (account_id, type, (
  case when revoked_at is not null then 'revoked' when ended_at is not null then 'expired' else 'live' end), id);
drop index concurrently if exists drops_by_own_reference;
create index concurrently drops_by_own_reference on drops (account_id, reference, id) where reference is not null;
drop index concurrently if exists links_by_receiver;
create index concurrently links_by_receiver on links (account_id, email, drop_id);
