// Made by tools/generate-client-types.ts from the OpenAPI document. Change the schemas of the protocol, not this.

/** The account, its limits and usage, and the API key of this request. */
export interface Account {
  /** The address of the account, which is its user name, too. */
  email: string;
  /** Who sends, as receivers read it; empty: the address. */
  display_name: string;
  /** The telephone number of the account, in digits. */
  phone: string;
  /** The language of mails to the account, such as en or pt-BR. */
  language: string;
  /** The API key of this request, with its rights. */
  key: {
    /** Identifier of the key; not a secret. */
    id: string;
    /** Rights of the key; null: all. */
    scopes: Scope[] | null;
    /** Addresses and networks from which it may be used; null: any address. */
    networks: string[] | null;
    /** Until when it can be used; null: without an end. */
    expires_at: Time | null;
  };
  /** The limits of what the account may send and store. */
  limits: {
    /** How large a file may be, in bytes. */
    file_size: number;
    /** How many files a drop may have. */
    files_per_drop: number;
    /** How many receivers a drop or a request may have. */
    receivers_per_drop: number;
    /** After how many seconds a drop or a request ends at the earliest. */
    min_expires_in: number;
    /** After how many seconds it ends at the latest. */
    max_expires_in: number;
    /** After how many seconds it ends by default. */
    default_expires_in: number;
    /** The only numbers of seconds that may be chosen; null: any from the earliest to the latest. */
    allowed_expires_in: number[] | null;
    /** How many bytes may be stored at a time; null: any number. */
    stored_size: number | null;
    /** How many drops and requests may be sent from midnight to midnight in UTC; null: any number. */
    drops_per_day: number | null;
    /** How many mails to receivers may be sent in that time; null: any number. */
    mails_per_day: number | null;
    /** Receivers must have addresses in these domains; null: in any. */
    receiver_domains: string[] | null;
  };
  /** The part of the limits that is used. */
  usage: {
    /** The size of all stored files in bytes, with what uploads in progress have reserved; null: not added up yet. */
    stored_size: number | null;
    /** How many more bytes may be stored; null: any number. */
    available_size: number | null;
    /** How many drops and requests were sent since midnight in UTC. */
    drops_today: number;
    /** How many mails to receivers were sent since midnight in UTC. */
    mails_today: number;
  };
}

/** An event of the account, as in lists and as sent to webhooks. */
export type AccountEvent =
  | DropCreatedEvent
  | DropNotifiedEvent
  | DropUndeliverableEvent
  | DropOpenedEvent
  | DropFileDeliveredEvent
  | DropCompletedEvent
  | DropReceiverAddedEvent
  | DropReceiverRevokedEvent
  | DropExtendedEvent
  | DropExpiredEvent
  | DropRevokedEvent
  | RequestCreatedEvent
  | RequestNotifiedEvent
  | RequestUndeliverableEvent
  | RequestOpenedEvent
  | RequestReceivedEvent
  | RequestFulfilledEvent
  | RequestReceiverAddedEvent
  | RequestReceiverRevokedEvent
  | RequestExtendedEvent
  | RequestExpiredEvent
  | RequestRevokedEvent
  | InboxReceivedEvent
  | ContactChangedEvent
  | ContactRemovedEvent;

/** The lease of the entry to acknowledge. */
export interface AckInput {
  /** The `lease` with which the entry was claimed. */
  lease: string;
}

/** A receiver of a new drop or request, or one that was added. */
export interface AddedReceiver {
  /** Identifier of the receiver within the drop or request. */
  id: number;
  /** The e-mail address. */
  email: string;
  /** The link, if no mails are sent (`notify: false`). No other response contains it. */
  link?: string;
}

/** An API key, without its secret. Null means without restriction. */
export interface ApiKey {
  /** Identifier of the key; not a secret. */
  id: string;
  /** Purpose of the key. */
  name: string;
  /** First characters of the key, to tell it from others. */
  hint: string;
  /** Rights of the key; null: all. */
  scopes: Scope[] | null;
  /** Addresses and networks from which it may be used; null: any address. */
  networks: string[] | null;
  /** When it was created. */
  created_at: string;
  /** The `id` of the key that created it; null if an administrator did. */
  created_by: string | null;
  /** Until when it can be used; null: without an end. */
  expires_at: Time | null;
  /** When it was last used, accurate to ten minutes. */
  last_used_at: Time | null;
  /** When it was revoked; null if it was not. */
  revoked_at: Time | null;
}

/** The API keys of the account. */
export interface ApiKeyPage {
  /** The entries of this page. */
  data: ApiKey[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** The result of a dry run. */
export interface CheckedDrop {
  /** Nothing was sent. */
  dry_run: true;
  /** Number of receivers it would have. */
  receiver_count: number;
  /** Seconds for which its links could be used. */
  expires_in: number;
  /** Number of files. */
  file_count: number;
  /** Size of all files in bytes. */
  size: number;
}

/** The result of a dry run. */
export interface CheckedFileRequest {
  /** Nothing was sent. */
  dry_run: true;
  /** Number of receivers it would have. */
  receiver_count: number;
  /** Seconds for which its links could be used. */
  expires_in: number;
}

/** The number of entries to claim, and for how long. */
export interface ClaimInput {
  /** Largest number of entries to claim. */
  max: number;
  /** Duration of the lease from now, in seconds. */
  lease_seconds: number;
}

/** The entries that were claimed. */
export interface ClaimedEntries {
  /** The entries. */
  data: ClaimedEntry[];
}

/** An entry that is leased to the caller. `attempts` is the number of this attempt. */
export interface ClaimedEntry {
  /** Identifier of the entry. */
  id: string;
  /**
   * available: it can be claimed, from `available_at` on. claimed: it is leased. parked: it was claimed as often as
   * allowed, and can be released. acknowledged: it is done.
   */
  state: 'available' | 'claimed' | 'parked' | 'acknowledged';
  /** The address of the contact or account that sent it. */
  sender: string;
  /** Message of the sender; may be empty. */
  message: string;
  /** The request for files to which it belongs; null if another account sent it. */
  request_id: string | null;
  /** Number of files. */
  file_count: number;
  /** When it was received. */
  received_at: string;
  /** When it ends, and its files are deleted. */
  expires_at: string;
  /** Number of times it was claimed since it was received or released. */
  attempts: number;
  /** From when on it can be claimed; null in other states. */
  available_at: Time | null;
  /** When its lease ends; null if it is not claimed. */
  lease_ends_at: Time | null;
  /** When it was parked; null if it is not. */
  parked_at: Time | null;
  /** When it was acknowledged; null if it was not. */
  acknowledged_at: Time | null;
  /** Proof of the lease: renews it, acknowledges the entry or gives it back. */
  lease: string;
}

/** A contact of the account or of all accounts. */
export interface Contact {
  /** The address, which identifies the contact. */
  email: string;
  /** The name that the account uses for the contact; empty if not known. */
  name: string;
  /** For codes by SMS, in digits; empty if not known. */
  phone: string;
  /** Language of mails and pages, such as en or pt-BR; empty if not known. */
  language: string;
  /** The groups it belongs to. */
  groups: string[];
  /** local: the account’s own contact; global: the administrator’s, which every account sees. */
  list: 'local' | 'global';
}

/** The event `contact.changed`. */
export interface ContactChangedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'contact.changed';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** Number of contacts that the account now has. */
    contacts: number;
    /** The contact’s address, if it was only one. */
    email?: string;
  };
}

/** The properties of a contact beside its address. */
export interface ContactDetails {
  /** The name that the account uses for the receiver. */
  name?: string;
  /** For codes by SMS: 7 to 15 digits, the country code first, without + or 00. */
  phone?: string;
  /** Language of mails and pages, such as en or pt-BR. */
  language?: string;
  /** The groups it belongs to. */
  groups?: string[];
}

/** Contacts to add or change. */
export interface ContactImport {
  /** One or more contacts. */
  contacts: ImportedContact[];
}

/** The result of an import. */
export interface ContactImportResult {
  /** True: nothing was changed. */
  dry_run: boolean;
  /** Number of new contacts. */
  created: number;
  /** Number of contacts with changed details. */
  changed: number;
  /** Number of contacts that stay as they were. */
  unchanged: number;
  /** The result for each contact, in the order of the request. */
  contacts: {
    /** The address of the contact. */
    email: string;
    /** The result for this contact. */
    result: 'created' | 'changed' | 'unchanged';
  }[];
}

/** Contacts in the order of their addresses. */
export interface ContactPage {
  /** The entries of this page. */
  data: Contact[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** The event `contact.removed`. */
export interface ContactRemovedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'contact.removed';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** Number of contacts that the account now has. */
    contacts: number;
    /** The contact’s address, if it was only one. */
    email?: string;
  };
}

/** The parameters of the operation `createDrop`. */
export interface CreateDropQuery {
  /** True: everything is checked and nothing is changed. */
  dry_run?: boolean;
}

/** The parameters of the operation `createRequest`. */
export interface CreateRequestQuery {
  /** True: everything is checked and nothing is changed. */
  dry_run?: boolean;
}

/** A new API key with its secret. */
export interface CreatedApiKey {
  /** Identifier of the key; not a secret. */
  id: string;
  /** Purpose of the key. */
  name: string;
  /** First characters of the key, to tell it from others. */
  hint: string;
  /** Rights of the key; null: all. */
  scopes: Scope[] | null;
  /** Addresses and networks from which it may be used; null: any address. */
  networks: string[] | null;
  /** When it was created. */
  created_at: string;
  /** The `id` of the key that created it; null if an administrator did. */
  created_by: string | null;
  /** Until when it can be used; null: without an end. */
  expires_at: Time | null;
  /** When it was last used, accurate to ten minutes. */
  last_used_at: Time | null;
  /** When it was revoked; null if it was not. */
  revoked_at: Time | null;
  /** The secret. Keep it: no other response contains it. */
  api_key: string;
}

/** A new drop. No other response contains the links. */
export interface CreatedDrop {
  /** Identifier. */
  id: string;
  /** The reference that pages and mails show, such as WB-7F3K-29QD. */
  reference: string;
  /** Whether its links can be used, or why not. */
  state: 'live' | 'expired' | 'revoked';
  /** Text for the receivers; may be empty. */
  message: string;
  /** Your own identifier for it, if it has one. */
  external_id: string | null;
  /** Your own values, if there are any. */
  metadata: Record<string, string> | null;
  /** How receivers get a code now: as chosen for it, or as the rule of the account requires if that is stronger. */
  second_factor: 'off' | 'mail' | 'sms';
  /** Whether receivers get mails. */
  notify: boolean;
  /** When it was sent. */
  created_at: string;
  /** When it ends, or ended. */
  expires_at: string;
  /** When it was revoked; null if it was not. */
  revoked_at: Time | null;
  /** Number of receivers. */
  receiver_count: number;
  /** Number of files. */
  file_count: number;
  /** The receivers, with their links if no mails are sent. */
  receivers: AddedReceiver[];
}

/** A new request for files. No other response contains the links. */
export interface CreatedFileRequest {
  /** Identifier. */
  id: string;
  /** The reference that pages and mails show, such as WB-7F3K-29QD. */
  reference: string;
  /** Whether its links can be used, or why not. */
  state: 'live' | 'expired' | 'revoked';
  /** Text for the receivers; may be empty. */
  message: string;
  /** Your own identifier for it, if it has one. */
  external_id: string | null;
  /** Your own values, if there are any. */
  metadata: Record<string, string> | null;
  /** How receivers get a code now: as chosen for it, or as the rule of the account requires if that is stronger. */
  second_factor: 'off' | 'mail' | 'sms';
  /** Whether receivers get mails. */
  notify: boolean;
  /** When it was sent. */
  created_at: string;
  /** When it ends, or ended. */
  expires_at: string;
  /** When it was revoked; null if it was not. */
  revoked_at: Time | null;
  /** Number of receivers. */
  receiver_count: number;
  /** Whether each contact may send files any number of times. */
  reusable: boolean;
  /** The receivers, with their links if no mails are sent. */
  receivers: AddedReceiver[];
}

/** A drop, as in lists. */
export interface Drop {
  /** Identifier. */
  id: string;
  /** The reference that pages and mails show, such as WB-7F3K-29QD. */
  reference: string;
  /** Whether its links can be used, or why not. */
  state: 'live' | 'expired' | 'revoked';
  /** Text for the receivers; may be empty. */
  message: string;
  /** Your own identifier for it, if it has one. */
  external_id: string | null;
  /** Your own values, if there are any. */
  metadata: Record<string, string> | null;
  /** How receivers get a code now: as chosen for it, or as the rule of the account requires if that is stronger. */
  second_factor: 'off' | 'mail' | 'sms';
  /** Whether receivers get mails. */
  notify: boolean;
  /** When it was sent. */
  created_at: string;
  /** When it ends, or ended. */
  expires_at: string;
  /** When it was revoked; null if it was not. */
  revoked_at: Time | null;
  /** Number of receivers. */
  receiver_count: number;
  /** Number of files. */
  file_count: number;
}

/** The event `drop.completed`. */
export interface DropCompletedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.completed';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
  };
}

/** The event `drop.created`. */
export interface DropCreatedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.created';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
    /** Number of receivers. */
    receivers: number;
    /** Number of files. */
    files: number;
  };
}

/** A drop with its receivers and files. */
export interface DropDetails {
  /** Identifier. */
  id: string;
  /** The reference that pages and mails show, such as WB-7F3K-29QD. */
  reference: string;
  /** Whether its links can be used, or why not. */
  state: 'live' | 'expired' | 'revoked';
  /** Text for the receivers; may be empty. */
  message: string;
  /** Your own identifier for it, if it has one. */
  external_id: string | null;
  /** Your own values, if there are any. */
  metadata: Record<string, string> | null;
  /** How receivers get a code now: as chosen for it, or as the rule of the account requires if that is stronger. */
  second_factor: 'off' | 'mail' | 'sms';
  /** Whether receivers get mails. */
  notify: boolean;
  /** When it was sent. */
  created_at: string;
  /** When it ends, or ended. */
  expires_at: string;
  /** When it was revoked; null if it was not. */
  revoked_at: Time | null;
  /** Number of receivers. */
  receiver_count: number;
  /** Number of files. */
  file_count: number;
  /**
   * True: the deliveries were removed because of their age (WAYBILL_DELIVERY_DAYS); their times and counts are unknown.
   */
  deliveries_forgotten: boolean;
  /** The receivers and the progress of each delivery. */
  receivers: DropReceiver[];
  /** The files of the drop. */
  files: DropFile[];
}

/** The event `drop.expired`. */
export interface DropExpiredEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.expired';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
  };
}

/** The event `drop.extended`. */
export interface DropExtendedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.extended';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
    /** When it ends now. */
    expires_at: string;
  };
}

/** A file of a drop. */
export interface DropFile {
  /** Identifier of the file. */
  id: string;
  /** Name of the file, without folders. */
  name: string;
  /** Path of the file in the folder that was sent, including its name. */
  path: string;
  /** Media type as declared by the sender, such as application/pdf. */
  media_type: string;
  /** Size in bytes. */
  size: number;
  /** SHA-256 of the file, in hexadecimal digits. */
  sha256: string;
  /** Result of the virus scan. */
  scan: 'clean' | 'unscanned';
  /** deleted: it cannot be downloaded any more. */
  state: 'available' | 'deleted';
  /** Number of receivers to whom it was sent in full. */
  receivers_delivered: number;
}

/** The event `drop.file_delivered`. */
export interface DropFileDeliveredEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.file_delivered';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
    /** The receiver’s address. */
    receiver: string;
    /** The file. */
    file_id: string;
    /** The file’s name. */
    file_name: string;
  };
}

/** The event `drop.notified`. */
export interface DropNotifiedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.notified';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The event `drop.opened`. */
export interface DropOpenedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.opened';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** Drops, the newest first. */
export interface DropPage {
  /** The entries of this page. */
  data: Drop[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** A receiver of a drop, and the progress of the delivery. */
export interface DropReceiver {
  /** Identifier of the receiver within the drop or request. */
  id: number;
  /** The e-mail address. */
  email: string;
  /** Name of the receiver; null if not known. */
  name: string | null;
  /** For codes by SMS, in digits; empty if not known. */
  phone: string;
  /** Language of mails and pages; empty if not known. */
  language: string;
  /** When the mail server accepted the invitation. */
  notified_at: Time | null;
  /** When the mail server refused or returned the invitation. */
  undeliverable_at: Time | null;
  /** The reply of the mail server. */
  undeliverable_reason: string | null;
  /** When the receiver opened their link. */
  opened_at: Time | null;
  /** When their link was revoked. */
  revoked_at: Time | null;
  /** Progress of the delivery. completed: every file was sent in full. */
  state: 'waiting' | 'notified' | 'undeliverable' | 'opened' | 'completed' | 'revoked';
  /** When every file had been sent in full. */
  completed_at: Time | null;
  /** Number of files that were sent in full. */
  files_delivered: number;
}

/** The event `drop.receiver_added`. */
export interface DropReceiverAddedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.receiver_added';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The event `drop.receiver_revoked`. */
export interface DropReceiverRevokedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.receiver_revoked';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The event `drop.revoked`. */
export interface DropRevokedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.revoked';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
  };
}

/** The event `drop.undeliverable`. */
export interface DropUndeliverableEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'drop.undeliverable';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The drop. */
    drop_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The reason of a problem, for programs. */
export type ErrorCode =
  | 'malformed_request'
  | 'unauthorized'
  | 'network_not_allowed'
  | 'request_timeout'
  | 'wrong_host'
  | 'too_many_requests'
  | 'headers_too_large'
  | 'internal'
  | 'unavailable'
  | 'scope_missing'
  | 'invalid_input'
  | 'unsupported_media_type'
  | 'too_large'
  | 'idempotency_key_reused'
  | 'request_in_flight'
  | 'too_many_keys'
  | 'not_found'
  | 'precondition_failed'
  | 'files_not_ready'
  | 'infected'
  | 'encrypted'
  | 'damaged'
  | 'too_large_to_scan'
  | 'digest_mismatch'
  | 'recipient_not_allowed'
  | 'daily_limit'
  | 'too_many_messages'
  | 'link_ended'
  | 'link_revoked'
  | 'invalid_name'
  | 'storage_full'
  | 'upload_superseded'
  | 'upload_worn_out'
  | 'lease_not_held'
  | 'not_parked'
  | 'range_not_satisfiable'
  | 'cursor_expired'
  | 'too_many_webhooks';

/** Events, the oldest first. */
export interface EventPage {
  /** The events of this page. */
  data: AccountEvent[];
  /** The cursor to send as `after` in the next request, also when there were no events. */
  next_cursor: string;
}

/** A type of event. */
export type EventType =
  | 'drop.created'
  | 'drop.notified'
  | 'drop.undeliverable'
  | 'drop.opened'
  | 'drop.file_delivered'
  | 'drop.completed'
  | 'drop.receiver_added'
  | 'drop.receiver_revoked'
  | 'drop.extended'
  | 'drop.expired'
  | 'drop.revoked'
  | 'request.created'
  | 'request.notified'
  | 'request.undeliverable'
  | 'request.opened'
  | 'request.received'
  | 'request.fulfilled'
  | 'request.receiver_added'
  | 'request.receiver_revoked'
  | 'request.extended'
  | 'request.expired'
  | 'request.revoked'
  | 'inbox.received'
  | 'contact.changed'
  | 'contact.removed';

/** The new end: one of the two properties. */
export interface Extension {
  /** Seconds until it ends. */
  expires_in?: number;
  /** When it ends, as a time such as 2030-01-31T12:00:00Z. */
  expires_at?: string;
}

/** One thing that is wrong with a request. */
export interface Fault {
  /** The part of the request that is wrong: a JSON pointer (RFC 6901). */
  pointer: string;
  /** The reason, for people to read. */
  detail: string;
  /** The kind of fault. */
  code: string;
}

/** A request for files, as in lists. */
export interface FileRequest {
  /** Identifier. */
  id: string;
  /** The reference that pages and mails show, such as WB-7F3K-29QD. */
  reference: string;
  /** Whether its links can be used, or why not. */
  state: 'live' | 'expired' | 'revoked';
  /** Text for the receivers; may be empty. */
  message: string;
  /** Your own identifier for it, if it has one. */
  external_id: string | null;
  /** Your own values, if there are any. */
  metadata: Record<string, string> | null;
  /** How receivers get a code now: as chosen for it, or as the rule of the account requires if that is stronger. */
  second_factor: 'off' | 'mail' | 'sms';
  /** Whether receivers get mails. */
  notify: boolean;
  /** When it was sent. */
  created_at: string;
  /** When it ends, or ended. */
  expires_at: string;
  /** When it was revoked; null if it was not. */
  revoked_at: Time | null;
  /** Number of receivers. */
  receiver_count: number;
  /** Whether each contact may send files any number of times. */
  reusable: boolean;
}

/** A request for files with the contacts who were asked. */
export interface FileRequestDetails {
  /** Identifier. */
  id: string;
  /** The reference that pages and mails show, such as WB-7F3K-29QD. */
  reference: string;
  /** Whether its links can be used, or why not. */
  state: 'live' | 'expired' | 'revoked';
  /** Text for the receivers; may be empty. */
  message: string;
  /** Your own identifier for it, if it has one. */
  external_id: string | null;
  /** Your own values, if there are any. */
  metadata: Record<string, string> | null;
  /** How receivers get a code now: as chosen for it, or as the rule of the account requires if that is stronger. */
  second_factor: 'off' | 'mail' | 'sms';
  /** Whether receivers get mails. */
  notify: boolean;
  /** When it was sent. */
  created_at: string;
  /** When it ends, or ended. */
  expires_at: string;
  /** When it was revoked; null if it was not. */
  revoked_at: Time | null;
  /** Number of receivers. */
  receiver_count: number;
  /** Whether each contact may send files any number of times. */
  reusable: boolean;
  /** True: the times at which links were opened were removed because of their age (WAYBILL_DELIVERY_DAYS). */
  deliveries_forgotten: boolean;
  /** The contacts who were asked, and the progress of each request. */
  receivers: FileRequestReceiver[];
}

/** Requests for files, the newest first. */
export interface FileRequestPage {
  /** The entries of this page. */
  data: FileRequest[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** A contact who was asked for files, and the progress of the request. */
export interface FileRequestReceiver {
  /** Identifier of the receiver within the drop or request. */
  id: number;
  /** The e-mail address. */
  email: string;
  /** Name of the receiver; null if not known. */
  name: string | null;
  /** For codes by SMS, in digits; empty if not known. */
  phone: string;
  /** Language of mails and pages; empty if not known. */
  language: string;
  /** When the mail server accepted the invitation. */
  notified_at: Time | null;
  /** When the mail server refused or returned the invitation. */
  undeliverable_at: Time | null;
  /** The reply of the mail server. */
  undeliverable_reason: string | null;
  /** When the receiver opened their link. */
  opened_at: Time | null;
  /** When their link was revoked. */
  revoked_at: Time | null;
  /** Progress of the request. fulfilled: files were received. */
  state: 'waiting' | 'notified' | 'undeliverable' | 'opened' | 'fulfilled' | 'revoked';
  /** When files were first received. */
  fulfilled_at: Time | null;
  /** When files were last received. */
  last_received_at: Time | null;
  /** Number of times that files were received. Each is an entry in the inbox. */
  sendings: number;
  /** Number of files that were received. */
  files_received: number;
}

/** The parameters of the operation `importContacts`. */
export interface ImportContactsQuery {
  /** True: everything is checked and nothing is changed. */
  dry_run?: boolean;
}

/** A contact to add or change. Only the address is required. */
export interface ImportedContact {
  /** The e-mail address. */
  email: string;
  /** The name that the account uses for the receiver. */
  name?: string;
  /** For codes by SMS: 7 to 15 digits, the country code first, without + or 00. */
  phone?: string;
  /** Language of mails and pages, such as en or pt-BR. */
  language?: string;
  /** The groups it belongs to. */
  groups?: string[];
}

/** Files that a contact or another account sent to this account. */
export interface InboxEntry {
  /** Identifier of the entry. */
  id: string;
  /**
   * available: it can be claimed, from `available_at` on. claimed: it is leased. parked: it was claimed as often as
   * allowed, and can be released. acknowledged: it is done.
   */
  state: 'available' | 'claimed' | 'parked' | 'acknowledged';
  /** The address of the contact or account that sent it. */
  sender: string;
  /** Message of the sender; may be empty. */
  message: string;
  /** The request for files to which it belongs; null if another account sent it. */
  request_id: string | null;
  /** Number of files. */
  file_count: number;
  /** When it was received. */
  received_at: string;
  /** When it ends, and its files are deleted. */
  expires_at: string;
  /** Number of times it was claimed since it was received or released. */
  attempts: number;
  /** From when on it can be claimed; null in other states. */
  available_at: Time | null;
  /** When its lease ends; null if it is not claimed. */
  lease_ends_at: Time | null;
  /** When it was parked; null if it is not. */
  parked_at: Time | null;
  /** When it was acknowledged; null if it was not. */
  acknowledged_at: Time | null;
}

/** An entry of the inbox with its files. */
export interface InboxEntryDetails {
  /** Identifier of the entry. */
  id: string;
  /**
   * available: it can be claimed, from `available_at` on. claimed: it is leased. parked: it was claimed as often as
   * allowed, and can be released. acknowledged: it is done.
   */
  state: 'available' | 'claimed' | 'parked' | 'acknowledged';
  /** The address of the contact or account that sent it. */
  sender: string;
  /** Message of the sender; may be empty. */
  message: string;
  /** The request for files to which it belongs; null if another account sent it. */
  request_id: string | null;
  /** Number of files. */
  file_count: number;
  /** When it was received. */
  received_at: string;
  /** When it ends, and its files are deleted. */
  expires_at: string;
  /** Number of times it was claimed since it was received or released. */
  attempts: number;
  /** From when on it can be claimed; null in other states. */
  available_at: Time | null;
  /** When its lease ends; null if it is not claimed. */
  lease_ends_at: Time | null;
  /** When it was parked; null if it is not. */
  parked_at: Time | null;
  /** When it was acknowledged; null if it was not. */
  acknowledged_at: Time | null;
  /** The files of the entry. */
  files: InboxFile[];
}

/** Entries of the inbox. */
export interface InboxEntryPage {
  /** The entries of this page. */
  data: InboxEntry[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** A file of an entry in the inbox. */
export interface InboxFile {
  /** Identifier of the file. */
  id: string;
  /** Name of the file as it was sent. Make it safe before you use it as a path. */
  name: string;
  /** Path of the file in the folder that was sent, including its name. */
  path: string;
  /** Size in bytes. */
  size: number;
  /** SHA-256 of the file, in hexadecimal digits. */
  sha256: string;
  /** Result of the virus scan. */
  scan: 'clean' | 'unscanned';
}

/** The event `inbox.received`. */
export interface InboxReceivedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'inbox.received';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The entry in the inbox. */
    inbox_id: string;
    /** The address of the account or contact that sent the files. */
    sender: string;
    /** Number of files. */
    files: number;
  };
}

/** The parameters of the operation `listContacts`. */
export interface ListContactsQuery {
  /** How many entries to return; 100 if not given. */
  limit?: number;
  /** The `next_cursor` of the page before. It is valid only with the same filter. */
  cursor?: string;
  /** Contacts whose address begins with this text, or a word of whose name does. */
  search?: string;
  /** local: the account’s own contact; global: the administrator’s, which every account sees. */
  list?: 'local' | 'global';
}

/** The parameters of the operation `listDrops`. */
export interface ListDropsQuery {
  /** How many entries to return; 100 if not given. */
  limit?: number;
  /** The `next_cursor` of the page before. It is valid only with the same filter. */
  cursor?: string;
  /** After its deadline, it is listed as expired within a minute. */
  state?: 'live' | 'expired' | 'revoked';
  /** The address of one of the receivers. */
  receiver?: string;
  /** Your own identifier for it, by which you can find it. It need not be unique. */
  external_id?: string;
  /** Created at this time or later. */
  created_after?: string;
  /** Created before this time. */
  created_before?: string;
  /**
   * The reference, the external id or the address of a receiver, each in full. Cannot be combined with receiver or
   * external_id.
   */
  search?: string;
}

/** The parameters of the operation `listEvents`. */
export interface ListEventsQuery {
  /**
   * The `next_cursor` of the previous response, or `end` for events from now on. Without it, the response begins with
   * the oldest event that is kept.
   */
  after?: string;
  /** How many entries to return; 100 if not given. */
  limit?: number;
  /** Seconds to wait for an event if there is none; 0 if not given. */
  wait?: number;
}

/** The parameters of the operation `listInbox`. */
export interface ListInboxQuery {
  /** How many entries to return; 100 if not given. */
  limit?: number;
  /** The `next_cursor` of the page before. It is valid only with the same filter. */
  cursor?: string;
  /**
   * available: it can be claimed, from `available_at` on. claimed: it is leased. parked: it was claimed as often as
   * allowed, and can be released. acknowledged: it is done.
   */
  state?: 'available' | 'claimed' | 'parked' | 'acknowledged';
}

/** The parameters of the operation `listRequests`. */
export interface ListRequestsQuery {
  /** How many entries to return; 100 if not given. */
  limit?: number;
  /** The `next_cursor` of the page before. It is valid only with the same filter. */
  cursor?: string;
  /** After its deadline, it is listed as expired within a minute. */
  state?: 'live' | 'expired' | 'revoked';
  /** The address of one of the receivers. */
  receiver?: string;
  /** Your own identifier for it, by which you can find it. It need not be unique. */
  external_id?: string;
  /** Created at this time or later. */
  created_after?: string;
  /** Created before this time. */
  created_before?: string;
  /**
   * The reference, the external id or the address of a receiver, each in full. Cannot be combined with receiver or
   * external_id.
   */
  search?: string;
}

/** The parameters of the operation `listWebhookAttempts`. */
export interface ListWebhookAttemptsQuery {
  /** How many entries to return; 100 if not given. */
  limit?: number;
  /** The `next_cursor` of the page before. It is valid only with the same filter. */
  cursor?: string;
}

/** The lease of the entry to give back. */
export interface NackInput {
  /** The `lease` with which the entry was claimed. */
  lease: string;
  /** Seconds from now during which it cannot be claimed; 0 if not given. */
  delay_seconds?: number;
}

/** The rights of a new API key. */
export interface NewApiKey {
  /** Purpose of the key. */
  name: string;
  /** One or more scopes. */
  scopes: Scope[];
  /** One or more addresses or networks from which the key may be used. */
  networks?: string[];
  /** A time such as 2030-01-31T12:00:00Z, until which it can be used. */
  expires_at?: string;
}

/** The files, receivers and end of a new drop. */
export interface NewDrop {
  /** The ids of uploads that are ready. They become the files of the drop. */
  uploads: string[];
  /** One or more receivers; they need not be contacts. */
  receivers: NewReceiver[];
  /** Text for the receivers, in the mail and on their page. */
  message?: string;
  /** Seconds until it ends. */
  expires_in?: number;
  /** When it ends, as a time such as 2030-01-31T12:00:00Z. */
  expires_at?: string;
  /** How receivers get a code; the rule of the account if not given. It cannot be weaker than that rule. */
  second_factor?: 'off' | 'mail' | 'sms';
  /** False: receivers get no mails, and the response contains their links. True if not given. */
  notify?: boolean;
  /** Your own identifier for it, by which you can find it. It need not be unique. */
  external_id?: string;
  /** Your own values to keep with it: texts by name. Receivers do not see them. */
  metadata?: Record<string, string>;
}

/** The receivers and end of a new request for files. */
export interface NewFileRequest {
  /** One or more receivers; they need not be contacts. */
  receivers: NewReceiver[];
  /** Text for the receivers, in the mail and on their page. */
  message?: string;
  /** Seconds until it ends. */
  expires_in?: number;
  /** When it ends, as a time such as 2030-01-31T12:00:00Z. */
  expires_at?: string;
  /** How receivers get a code; the rule of the account if not given. It cannot be weaker than that rule. */
  second_factor?: 'off' | 'mail' | 'sms';
  /** False: receivers get no mails, and the response contains their links. True if not given. */
  notify?: boolean;
  /** Your own identifier for it, by which you can find it. It need not be unique. */
  external_id?: string;
  /** Your own values to keep with it: texts by name. Receivers do not see them. */
  metadata?: Record<string, string>;
  /** True: each contact may send files any number of times until the end. False, or not given: each may once. */
  reusable?: boolean;
}

/** A receiver of a new drop or request. Only the address is required. */
export interface NewReceiver {
  /** The e-mail address. */
  email: string;
  /** The name that the account uses for the receiver. */
  name?: string;
  /** For codes by SMS: 7 to 15 digits, the country code first, without + or 00. */
  phone?: string;
  /** Language of mails and pages, such as en or pt-BR. */
  language?: string;
}

/** A new webhook. */
export interface NewWebhook {
  /** Where events are sent: an https URL without a user name, a password or a fragment. */
  url: string;
  /** The types of events that are sent; null: all. */
  types?: EventType[] | null;
  /** Purpose of the webhook. */
  description?: string;
}

/** The reason why a request was refused or failed (RFC 9457). */
export interface Problem {
  /** The kind of problem: a page that explains it. */
  type: string;
  /** The kind of problem, for people to read. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** The reason and what to do next, for people to read. */
  detail: string;
  /** The reason of a problem, for programs. */
  code: ErrorCode;
  /** The HTTP request, to quote to the administrator. It ends with the value of the header `X-Request-Id`. */
  instance: string;
  /** Each thing that is wrong with the request. */
  errors?: Fault[];
}

/** The result of a reminder. */
export interface ReminderResult {
  /** Number of receivers who get a reminder: those who can be reached and have something left to do. */
  reminded: number;
}

/** The lease to renew, and for how long. */
export interface RenewInput {
  /** The `lease` with which the entry was claimed. */
  lease: string;
  /** Duration of the lease from now, in seconds. */
  lease_seconds: number;
}

/** The events to send again: one of the two properties. */
export interface Replay {
  /** The event to send again. */
  event_id?: string;
  /** A time such as 2030-01-31T12:00:00Z, since which all events are sent again. */
  since?: string;
}

/** The event `request.created`. */
export interface RequestCreatedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.created';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
    /** Number of receivers. */
    receivers: number;
  };
}

/** The event `request.expired`. */
export interface RequestExpiredEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.expired';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
  };
}

/** The event `request.extended`. */
export interface RequestExtendedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.extended';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
    /** When it ends now. */
    expires_at: string;
  };
}

/** The event `request.fulfilled`. */
export interface RequestFulfilledEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.fulfilled';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
  };
}

/** The event `request.notified`. */
export interface RequestNotifiedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.notified';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The event `request.opened`. */
export interface RequestOpenedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.opened';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The event `request.received`. */
export interface RequestReceivedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.received';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
    /** The receiver’s address. */
    receiver: string;
    /** The entry in the inbox. */
    inbox_id: string;
    /** Number of files. */
    files: number;
  };
}

/** The event `request.receiver_added`. */
export interface RequestReceiverAddedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.receiver_added';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The event `request.receiver_revoked`. */
export interface RequestReceiverRevokedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.receiver_revoked';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The event `request.revoked`. */
export interface RequestRevokedEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.revoked';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
  };
}

/** The event `request.undeliverable`. */
export interface RequestUndeliverableEvent {
  /** Identifier: the same whenever the event is repeated. */
  id: string;
  /** The type of the event. */
  type: 'request.undeliverable';
  /** When it happened. */
  created_at: string;
  /** The objects that it concerns. */
  data: {
    /** The request for files. */
    request_id: string;
    /** The receiver’s address. */
    receiver: string;
  };
}

/** The scope of a revocation: everything, or one receiver. */
export interface Revocation {
  /** The `id` of a receiver: only their link ends. */
  receiver?: number;
}

/** The parameters of the operation `revokeApiKey`. */
export interface RevokeApiKeyQuery {
  /**
   * Revoke also the keys that it created, those that they created, and so on, and disable the webhooks that any of them
   * created; false if not given.
   */
  descendants?: boolean;
}

/** The result of a revocation of an API key. */
export interface RevokedApiKeys {
  /** The `id` of each key that was revoked. */
  ids: string[];
  /** Number of webhooks that were disabled. */
  webhooks_disabled: number;
  /** Number of live webhooks that the key created: their `created_by` is the `id` of the key. */
  webhooks_live: number;
}

/** A right of an API key. */
export type Scope = 'send' | 'receive' | 'contacts' | 'history' | 'webhooks' | 'keys';

/** How the secret is replaced. */
export interface SecretReplacement {
  /** Seconds for which requests are also signed with the previous secret; a day if not given. */
  previous_seconds?: number;
}

/** The test event that was sent. */
export interface SentTestEvent {
  /** The test event. */
  event_id: string;
}

/** A time such as 2030-01-31T12:00:00Z. */
export type Time = string;

/** A file that was uploaded and is not sent yet. */
export interface Upload {
  /** Identifier, by which a new drop names the upload. */
  id: string;
  /** Name of the file, without folders. */
  name: string;
  /** Path of the file in the folder that is sent; its name if it is sent alone. */
  path: string;
  /** Media type as you declared it, such as application/pdf. */
  media_type: string;
  /**
   * uploading: bytes are missing; checking: all bytes have arrived; ready: it can be sent; refused: it cannot be sent,
   * see refusal.
   */
  state: 'uploading' | 'checking' | 'ready' | 'refused';
  /** Size in bytes. */
  size: number;
  /** Number of bytes that are stored. */
  received: number;
  /** SHA-256 of the file, in hexadecimal digits; null before it is ready. */
  sha256: string | null;
  /** Result of the virus scan; null before it is ready. */
  scan: 'clean' | 'unscanned' | null;
  /** Why it was refused; null if it was not. */
  refusal: 'infected' | 'too_large_to_scan' | 'encrypted' | 'damaged' | 'unchecked' | 'digest_mismatch' | null;
  /** When the upload began. */
  created_at: string;
  /** When it is removed unless it is sent before. */
  expires_at: string;
}

/** A URL to which events are sent. */
export interface Webhook {
  /** Identifier of the webhook. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** The types of events that are sent; null: all. */
  types: EventType[] | null;
  /** The scopes of the key that created it: only events that they allow to read are sent; null: all. */
  scopes: Scope[] | null;
  /** Purpose of the webhook; may be empty. */
  description: string;
  /** The public keys (whpk_…) of `v1a` signatures: two while the secret is being replaced. */
  public_keys: string[];
  /** When it was created. */
  created_at: string;
  /** The `id` of the key that created it; null if it was not recorded. */
  created_by: string | null;
  /** Until when requests are also signed with the previous secret. */
  previous_secret_until: Time | null;
  /** When the first request since the last success failed. */
  failing_since: Time | null;
  /** Since when no event is sent. */
  disabled_at: Time | null;
  /**
   * gone: the response to a request was 410; failing: all requests failed for 5 days; key_revoked: the key that created
   * it was revoked.
   */
  disabled_reason: 'gone' | 'failing' | 'key_revoked' | null;
}

/** A request that was sent to a webhook. */
export interface WebhookAttempt {
  /** Identifier of the attempt. */
  id: string;
  /** The event, sent as `webhook-id`. */
  event_id: string;
  /** The type of the event. */
  type: string;
  /** Number of the attempt to send this event. */
  attempt: number;
  /** When the request was sent. */
  at: string;
  /** Status of the response; null: there was none. */
  status: number | null;
  /** Why there was no response. */
  failure: string | null;
  /** Duration in milliseconds. */
  duration_ms: number;
}

/** Attempts, the newest first. */
export interface WebhookAttemptPage {
  /** The entries of this page. */
  data: WebhookAttempt[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** The properties of a webhook to change. */
export interface WebhookChanges {
  /** Where events are sent: an https URL without a user name, a password or a fragment. */
  url?: string;
  /** The types of events that are sent; null: all. */
  types?: EventType[] | null;
  /** Purpose of the webhook. */
  description?: string;
}

/** The webhooks of the account. */
export interface WebhookPage {
  /** The entries of this page. */
  data: Webhook[];
  /** The `cursor` of the next page; null on the last one. */
  next_cursor: string | null;
}

/** A webhook with its secret, which no other response contains. */
export interface WebhookWithSecret {
  /** Identifier of the webhook. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** The types of events that are sent; null: all. */
  types: EventType[] | null;
  /** The scopes of the key that created it: only events that they allow to read are sent; null: all. */
  scopes: Scope[] | null;
  /** Purpose of the webhook; may be empty. */
  description: string;
  /** The public keys (whpk_…) of `v1a` signatures: two while the secret is being replaced. */
  public_keys: string[];
  /** When it was created. */
  created_at: string;
  /** The `id` of the key that created it; null if it was not recorded. */
  created_by: string | null;
  /** Until when requests are also signed with the previous secret. */
  previous_secret_until: Time | null;
  /** When the first request since the last success failed. */
  failing_since: Time | null;
  /** Since when no event is sent. */
  disabled_at: Time | null;
  /**
   * gone: the response to a request was 410; failing: all requests failed for 5 days; key_revoked: the key that created
   * it was revoked.
   */
  disabled_reason: 'gone' | 'failing' | 'key_revoked' | null;
  /** The secret (whsec_…) of `v1` signatures. */
  secret: string;
}
