-- What receivers did with the links of an ended drop may be forgotten before the drop is.
alter table drops add column deliveries_forgotten boolean not null default false;
