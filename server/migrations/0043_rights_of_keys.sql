-- A response is given again only to the key that asked first. Null: the previous version did not record it.
alter table answers add column key_id uuid;
alter table idempotency_keys add column key_id uuid;

-- The key that made this one. Null: an administrator did, or the previous version, which did not record it.
alter table api_keys add column created_by uuid;

-- What the webhook may be sent: what the key that made it may read. Null: everything.
alter table webhooks add column scopes text[];

-- Who acted, apart from the name by which the log has called them so far: a key, an operating system's user, a person with
-- a link, or the server itself. Null: the previous version wrote the entry.
alter table audit_entries
  add column actor_kind text,
  add column actor_id   text;

-- As before, and only what the webhook's scopes cover. The scope history reads every event.
create function may_be_sent(scopes text[], type text) returns boolean language sql immutable parallel safe as $$
  select scopes is null or 'history' = any (scopes)
    or ('receive' = any (scopes) and starts_with(type, 'inbox.'))
    or ('contacts' = any (scopes) and starts_with(type, 'contact.'))
$$;
create or replace function deliver_events() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (account_id, webhook_id, event_id, type, occurred_at, data, state)
  select event.account_id, webhook.id, event.id, event.type, event.created_at, event.data,
    case when webhook.disabled_at is null then 'waiting' else 'given_up' end::webhook_delivery_state
  from appended as event join webhooks as webhook on webhook.account_id = event.account_id
  where (webhook.types is null or event.type = any (webhook.types)) and may_be_sent(webhook.scopes, event.type);
  if found then
    perform graphile_worker.add_job(
      'deliver-events', json_build_object('accountId', due.account_id, 'webhookId', due.id), max_attempts := 1,
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
