// Made by tools/generate-client-types.ts from the schemas of the protocol. Change those, not this.

/** A contact as the server answers it. */
export interface Contact {
  email: string;
  number: string;
  language: string;
  groups: string[];
  nick: string;
}

/** A receiver as the history shows it. */
export interface Receiver {
  email: string;
  number: string;
  language: string;
  groups: string[];
  nick: string;
  name?: string;
}

/** What may be sent for a contact or a receiver; only the address is needed. */
export interface ContactInput {
  email: string;
  number?: string | number;
  language?: string;
  groups?: string[];
  nick?: string;
  name?: string;
}

/** The account’s own contacts, and the administrator’s. */
export interface ContactList {
  local: Contact[];
  global: Contact[];
}

/** The body of a dispatch or a grant. */
export interface DispatchParameters {
  desttime?: number;
  ddmessage?: string;
}

/** A file that is staged in a draft. */
export interface UploadedFile {
  name: string;
  type: string;
  size: string;
  bytes?: number;
  sha256?: string;
}

/** A file of a drop. `settings` is a JSON array as text. */
export interface FileReference {
  name: string;
  settings: string;
}

/** The account that made a drop. */
export interface Sender {
  email: string;
  number: string;
  lang: string;
  first_run: 'true' | 'false';
  accountType: 'api' | 'user';
  change_passwd: 'true' | 'false';
  settings: {
    show_number: 'true' | 'false';
    show_email: 'true' | 'false';
    show_lang: 'true' | 'false';
    show_nick: 'true' | 'false';
  };
}

/** A drop or grant of this account. */
export interface HistoryEntry {
  drop_type: 'downloadfiles' | 'uploadfiles';
  create_time: string;
  ttl: string;
  receivers: Receiver[];
  ddmessage: string;
  sender: Sender;
  files: FileReference[];
}

/** A drop of another account to this one. */
export interface InboxEntry {
  ttl: string;
  createtime: string;
  sender: string;
  files: FileReference[];
  url: string;
}

/** Every way the server can refuse a request. */
export type ErrorCode =
  | 'malformed_request'
  | 'invalid_input'
  | 'invalid_name'
  | 'unauthorized'
  | 'scope_missing'
  | 'network_not_allowed'
  | 'csrf_rejected'
  | 'wrong_account'
  | 'cross_site'
  | 'code_required'
  | 'not_found'
  | 'link_not_opened'
  | 'link_ended'
  | 'link_revoked'
  | 'method_not_allowed'
  | 'contact_exists'
  | 'unknown_contact'
  | 'recipient_not_allowed'
  | 'no_receivers'
  | 'no_files'
  | 'file_list_not_initialized'
  | 'too_many_files'
  | 'files_not_ready'
  | 'upload_superseded'
  | 'upload_worn_out'
  | 'idempotency_key_reused'
  | 'request_in_flight'
  | 'cursor_expired'
  | 'precondition_failed'
  | 'too_large'
  | 'too_large_to_scan'
  | 'too_many_keys'
  | 'lease_not_held'
  | 'not_parked'
  | 'too_many_webhooks'
  | 'storage_full'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'wrong_host'
  | 'infected'
  | 'digest_mismatch'
  | 'encrypted'
  | 'headers_too_large'
  | 'request_timeout'
  | 'too_many_requests'
  | 'too_many_messages'
  | 'daily_limit'
  | 'too_many_transfers'
  | 'unavailable'
  | 'damaged'
  | 'internal';
