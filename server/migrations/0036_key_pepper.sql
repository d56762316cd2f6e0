-- Recognise a wrong pepper, under which no API key would be accepted.
create table key_pepper (
  only_row    boolean primary key default true check (only_row),
  -- Keyed by the pepper itself: it reveals nothing about it.
  fingerprint text not null
);
