// Made by tools/generate-client-types.ts from the schemas of the protocol. Change those, not this.

/** What a key may do. */
export type Scope = 'send' | 'receive' | 'contacts' | 'history' | 'webhooks' | 'keys';

/** The account, and the key that asks. */
export interface AccountView {
  email: string;
  display_name: string;
  number: string;
  language: string;
  key: {
    id: string;
    scopes: Scope[] | null;
    networks: string[] | null;
    expires_at: string | null;
  };
}

/** A key as it is listed. Null means without restriction. */
export interface Key {
  id: string;
  name: string;
  hint: string;
  scopes: Scope[] | null;
  networks: string[] | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** What a new key may do. */
export interface NewKey {
  name: string;
  scopes: Scope[];
  networks?: string[];
  expires_at?: string;
}

/** A new key. No other answer has the key itself. */
export interface CreatedKey extends Key {
  api_key: string;
}

/** A receiver of a new drop; only the address is needed. */
export interface NewReceiver {
  email: string;
  name?: string;
  phone?: string;
  language?: string;
}

/** What to send, to whom, and until when. */
export interface NewDrop {
  uploads: string[];
  receivers: NewReceiver[];
  message?: string;
  expires_in?: number;
  expires_at?: string;
  second_factor?: 'off' | 'mail' | 'sms';
  notify?: boolean;
  reference?: string;
  metadata?: Record<string, string>;
}

/** A drop as lists have it. */
export interface Drop {
  id: string;
  number: string;
  state: 'live' | 'expired' | 'revoked';
  message: string;
  reference: string | null;
  metadata: Record<string, string> | null;
  second_factor: 'off' | 'mail' | 'sms' | null;
  notify: boolean;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
  receiver_count: number;
  file_count: number;
}

/** A receiver of a drop, and what they did. */
export interface DropReceiver {
  id: number;
  email: string;
  name: string | null;
  phone: string;
  language: string;
  notified_at: string | null;
  undeliverable_at: string | null;
  undeliverable_reason: string | null;
  opened_at: string | null;
  revoked_at: string | null;
  state: 'waiting' | 'notified' | 'undeliverable' | 'opened' | 'completed' | 'revoked';
  completed_at: string | null;
  files_delivered: number;
}

/** A file of a drop. */
export interface DropFile {
  id: string;
  name: string;
  path: string;
  media_type: string;
  size: number;
  sha256: string;
  scan: 'clean' | 'unscanned';
  state: 'available' | 'deleted';
  receivers_delivered: number;
}

/** A drop with its receivers and files. */
export interface DropDetails extends Drop {
  deliveries_forgotten: boolean;
  receivers: DropReceiver[];
  files: DropFile[];
}

/** A new drop. No other answer has links. */
export interface CreatedDrop extends Drop {
  receivers: AddedReceiver[];
}

/** What a dry run found. */
export interface CheckedDrop {
  dry_run: true;
  receiver_count: number;
  expires_in: number;
  file_count: number;
  size: number;
}

/** Whom to ask for files, and until when. */
export interface NewRequest {
  receivers: NewReceiver[];
  message?: string;
  expires_in?: number;
  expires_at?: string;
  second_factor?: 'off' | 'mail' | 'sms';
  notify?: boolean;
  reference?: string;
  metadata?: Record<string, string>;
  reusable?: boolean;
}

/** A request for files as lists have it. */
export interface FileRequest {
  id: string;
  number: string;
  state: 'live' | 'expired' | 'revoked';
  message: string;
  reference: string | null;
  metadata: Record<string, string> | null;
  second_factor: 'off' | 'mail' | 'sms' | null;
  notify: boolean;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
  receiver_count: number;
  reusable: boolean;
}

/** Someone who was asked for files, and what they did. */
export interface FileRequestReceiver {
  id: number;
  email: string;
  name: string | null;
  phone: string;
  language: string;
  notified_at: string | null;
  undeliverable_at: string | null;
  undeliverable_reason: string | null;
  opened_at: string | null;
  revoked_at: string | null;
  state: 'waiting' | 'notified' | 'undeliverable' | 'opened' | 'fulfilled' | 'revoked';
  fulfilled_at: string | null;
  last_received_at: string | null;
  sendings: number;
  files_received: number;
}

/** A request for files with those who were asked. */
export interface FileRequestDetails extends FileRequest {
  deliveries_forgotten: boolean;
  receivers: FileRequestReceiver[];
}

/** A new request for files. No other answer has links. */
export interface CreatedFileRequest extends FileRequest {
  receivers: AddedReceiver[];
}

/** What a dry run found. */
export interface CheckedFileRequest {
  dry_run: true;
  receiver_count: number;
  expires_in: number;
}

/** Which drops or requests to list. */
export interface SentQuery {
  limit?: number;
  cursor?: string;
  state?: 'live' | 'expired' | 'revoked';
  receiver?: string;
  reference?: string;
  created_after?: string;
  created_before?: string;
  search?: string;
}

/** When it ends: one of the two. */
export interface Extension {
  expires_in?: number;
  expires_at?: string;
}

/** How many receivers were reminded. */
export interface Reminded {
  reminded: number;
}

/** A receiver who was added. */
export interface AddedReceiver {
  id: number;
  email: string;
  link?: string;
}

/** A contact as the server answers it. */
export interface ContactView {
  email: string;
  name: string;
  phone: string;
  language: string;
  groups: string[];
  list: 'local' | 'global';
}

/** What a contact may have besides its address. */
export interface ContactDetails {
  name?: string;
  phone?: string;
  language?: string;
  groups?: string[];
}

/** A contact to add or change; only the address is needed. */
export interface ImportedContact extends ContactDetails {
  email: string;
}

/** Which contacts to list. */
export interface ContactQuery {
  limit?: number;
  cursor?: string;
  search?: string;
  list?: 'local' | 'global';
}

/** What was done with each contact. */
export interface ImportResult {
  dry_run: boolean;
  created: number;
  changed: number;
  unchanged: number;
  contacts: {
    email: string;
    result: 'created' | 'changed' | 'unchanged';
  }[];
}

/** What was uploaded and is not sent yet. */
export interface UploadView {
  id: string;
  name: string;
  path: string;
  media_type: string;
  state: 'uploading' | 'checking' | 'ready' | 'refused';
  size: number;
  received: number;
  sha256: string | null;
  scan: 'clean' | 'unscanned' | null;
  refusal: 'infected' | 'too_large_to_scan' | 'encrypted' | 'damaged' | 'unchecked' | 'digest_mismatch' | null;
  created_at: string;
  expires_at: string;
}

/** What a contact or another account sent. */
export interface QueuedEntry {
  id: string;
  state: 'available' | 'claimed' | 'parked' | 'acknowledged';
  sender: string;
  message: string;
  request_id: string | null;
  file_count: number;
  received_at: string;
  expires_at: string;
  attempts: number;
  available_at: string | null;
  lease_ends_at: string | null;
  parked_at: string | null;
  acknowledged_at: string | null;
}

/** An entry that is leased to the caller. `attempts` is the number of this attempt. */
export interface ClaimedEntry extends QueuedEntry {
  lease: string;
}

/** A file of an entry. */
export interface EntryFile {
  id: string;
  name: string;
  path: string;
  size_bytes: number;
  sha256: string;
  scan: 'clean' | 'unscanned';
}

/** An entry and its files. */
export interface EntryDetails extends QueuedEntry {
  files: EntryFile[];
}

/** What can happen to an account. */
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

/** What happened to the account. */
export type AccountEvent =
  | {
      id: string;
      type: 'drop.created';
      created_at: string;
      data: {
        drop_id: string;
        receivers: number;
        files: number;
      };
    }
  | {
      id: string;
      type: 'drop.notified';
      created_at: string;
      data: {
        drop_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'drop.undeliverable';
      created_at: string;
      data: {
        drop_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'drop.opened';
      created_at: string;
      data: {
        drop_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'drop.file_delivered';
      created_at: string;
      data: {
        drop_id: string;
        receiver: string;
        file_id: string;
        file_name: string;
      };
    }
  | {
      id: string;
      type: 'drop.completed';
      created_at: string;
      data: {
        drop_id: string;
      };
    }
  | {
      id: string;
      type: 'drop.receiver_added';
      created_at: string;
      data: {
        drop_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'drop.receiver_revoked';
      created_at: string;
      data: {
        drop_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'drop.extended';
      created_at: string;
      data: {
        drop_id: string;
        expires_at: string;
      };
    }
  | {
      id: string;
      type: 'drop.expired';
      created_at: string;
      data: {
        drop_id: string;
      };
    }
  | {
      id: string;
      type: 'drop.revoked';
      created_at: string;
      data: {
        drop_id: string;
      };
    }
  | {
      id: string;
      type: 'request.created';
      created_at: string;
      data: {
        request_id: string;
        receivers: number;
      };
    }
  | {
      id: string;
      type: 'request.notified';
      created_at: string;
      data: {
        request_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'request.undeliverable';
      created_at: string;
      data: {
        request_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'request.opened';
      created_at: string;
      data: {
        request_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'request.received';
      created_at: string;
      data: {
        request_id: string;
        receiver: string;
        inbox_id: string;
        files: number;
      };
    }
  | {
      id: string;
      type: 'request.fulfilled';
      created_at: string;
      data: {
        request_id: string;
      };
    }
  | {
      id: string;
      type: 'request.receiver_added';
      created_at: string;
      data: {
        request_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'request.receiver_revoked';
      created_at: string;
      data: {
        request_id: string;
        receiver: string;
      };
    }
  | {
      id: string;
      type: 'request.extended';
      created_at: string;
      data: {
        request_id: string;
        expires_at: string;
      };
    }
  | {
      id: string;
      type: 'request.expired';
      created_at: string;
      data: {
        request_id: string;
      };
    }
  | {
      id: string;
      type: 'request.revoked';
      created_at: string;
      data: {
        request_id: string;
      };
    }
  | {
      id: string;
      type: 'inbox.received';
      created_at: string;
      data: {
        inbox_id: string;
        sender: string;
        files: number;
      };
    }
  | {
      id: string;
      type: 'contact.changed';
      created_at: string;
      data: {
        contacts: number;
        email?: string;
      };
    }
  | {
      id: string;
      type: 'contact.removed';
      created_at: string;
      data: {
        contacts: number;
        email?: string;
      };
    };

/** Where events are sent. */
export interface WebhookView {
  id: string;
  url: string;
  types: EventType[] | null;
  description: string;
  public_keys: string[];
  created_at: string;
  previous_secret_until: string | null;
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: 'gone' | 'failing' | null;
}

/** A new webhook. */
export interface NewWebhook {
  url: string;
  types?: EventType[] | null;
  description?: string;
}

/** What to change of a webhook. */
export interface WebhookChanges {
  url?: string;
  types?: EventType[] | null;
  description?: string;
}

/** A webhook with its secret, which no other answer has. */
export interface WebhookWithSecret extends WebhookView {
  secret: string;
}

/** A request that was sent to a webhook. */
export interface WebhookAttempt {
  id: string;
  event_id: string;
  type: string;
  attempt: number;
  at: string;
  status: number | null;
  failure: string | null;
  duration_ms: number;
}

/** What to send a webhook again: one of the two. */
export interface Replay {
  event_id?: string;
  since?: string;
}

/** One thing that is wrong with a request. */
export interface Fault {
  pointer: string;
  detail: string;
  code: string;
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
