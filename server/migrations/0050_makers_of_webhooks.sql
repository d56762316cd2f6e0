-- The key that created the webhook. Null: the previous version did, which did not record it.
alter table webhooks add column created_by uuid;
