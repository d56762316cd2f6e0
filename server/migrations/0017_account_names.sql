-- The name that people know an account by; empty: its address.
alter table accounts add column display_name text not null default '' check (length(display_name) <= 100);
