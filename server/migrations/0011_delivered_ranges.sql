-- Which bytes of a file were sent to a receiver. Download managers fetch ranges in any order, several at a time, so what
-- counts is the union of all ranges and not only how far the bytes reach from the start.
alter table deliveries add column delivered int8multirange not null default '{}';
update deliveries set delivered = int8multirange(int8range(0, delivered_bytes));
alter table deliveries drop column delivered_bytes;

-- To find the sessions of one link, oldest first.
create index link_sessions_of_link on link_sessions (account_id, drop_id, position, created_at);
drop index link_sessions_of_drop;
