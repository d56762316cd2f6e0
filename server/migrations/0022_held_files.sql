-- New values of a type cannot be used in the transaction that adds them; hence a migration of their own.
-- A file that would have been deleted, and is kept with its key because of a legal hold.
alter type file_state add value 'held';
