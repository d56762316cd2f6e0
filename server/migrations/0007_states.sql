-- New values of a type cannot be used in the transaction that adds them; hence a migration of their own.
-- A set of files that a contact sent through a grant's link is a drop of the account's own, in its inbox at once.
alter type drop_type add value 'receivedfiles';
-- All bytes of a resumable upload are stored; they are being read back and checked.
alter type file_state add value 'received';
