-- concurrently
-- The newest responses of an account, of which a number is kept.
drop index concurrently if exists answers_of_account;
create index concurrently answers_of_account on answers (account_id, created_at);
