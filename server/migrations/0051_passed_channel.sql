-- How the code came that was entered in this browser. Null: none was entered, or before this was recorded; then it counts as
-- one by mail.
alter table link_sessions add column passed_channel message_channel;
