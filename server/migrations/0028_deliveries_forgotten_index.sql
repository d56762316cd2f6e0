-- concurrently
drop index concurrently if exists drops_with_deliveries;
create index concurrently drops_with_deliveries on drops (ended_at)
  where ended_at is not null and not to_empty and not deliveries_forgotten;
