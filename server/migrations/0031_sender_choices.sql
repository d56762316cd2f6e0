-- What a sender on /api/v1 says about a drop. Null and true are what applied to every drop so far.
alter table drops
  add column reference     text,
  add column metadata      jsonb,
  add column second_factor second_factor,
  add column notify        boolean not null default true;

-- A receiver whose link was withdrawn, while the drop lives on for the others.
alter table links add column withdrawn_at timestamptz;
