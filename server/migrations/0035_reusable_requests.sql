-- Whether a contact may send files any number of times through the link of a request, or once. Any number of times is
-- what every request so far allows, and every one that a process of the previous version makes.
alter table drops add column reusable boolean not null default true;
