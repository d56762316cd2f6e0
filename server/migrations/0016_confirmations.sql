-- A contact is told by mail what they sent, to whom and when.
alter type message_kind add value 'confirmation';
