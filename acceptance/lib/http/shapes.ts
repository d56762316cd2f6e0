/**
 * The shapes on the wire (docs/api.md#operations), restated here: a suite that imported the server's types could not
 * contradict them.
 */
export interface Contact {
  email: string;
  number: string;
  language: string;
  groups: string[];
  nick: string;
}

export interface ContactInput {
  email: string;
  number?: string | number;
  language?: string;
  groups?: string[];
  nick?: string;
  name?: string;
}

export interface Receiver extends Contact {
  name?: string;
}

export interface ContactList {
  local: Contact[];
  global: Contact[];
}

export interface DispatchParameters {
  desttime?: number;
  ddmessage?: string;
}

export interface UploadedFile {
  name: string;
  type: string;
  size: string;
}

export interface FileReference {
  name: string;
  settings: string;
}

export interface Sender {
  email: string;
  number: string;
  lang: string;
  first_run: string;
  accountType: string;
  change_passwd: string;
  settings: { show_number: string; show_email: string; show_lang: string; show_nick: string };
}

export interface HistoryEntry {
  drop_type: string;
  create_time: string;
  ttl: string;
  receivers: Receiver[];
  ddmessage: string;
  sender: Sender;
  files: FileReference[];
}

export interface InboxEntry {
  ttl: string;
  createtime: string;
  sender: string;
  files: FileReference[];
  url: string;
}

export interface History {
  history: HistoryEntry[];
  live_drops: string;
  inbox: InboxEntry[];
}
