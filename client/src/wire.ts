// Made by tools/generate-client-types.ts from the schemas of the protocol. Change those, not this.

/** What a key may do. */
export type Scope = 'send' | 'receive' | 'contacts' | 'history' | 'webhooks' | 'keys';

/** The account, the key that asks, and what they may do. */
export interface AccountView {
  /** The address of the account, which is its user name, too. */
  email: string;
  /** Who sends, as receivers read it; empty: the address. */
  display_name: string;
  /** The telephone number of the account, in digits. */
  number: string;
  /** The language of mails to the account, such as en or pt-BR. */
  language: string;
  /** The key of this request, and what it may do. */
  key: {
    /** Which key it is; not a secret. */
    id: string;
    /** What the key may do; null: everything. */
    scopes: Scope[] | null;
    /** From which addresses and networks it may be used; null: from any. */
    networks: string[] | null;
    /** Until when it can be used; null: without an end. */
    expires_at: string | null;
  };
  /** What the account may send and store. */
  limits: {
    /** How large a file may be. */
    file_bytes: number;
    /** How many files a drop may have. */
    files_per_drop: number;
    /** How many receivers a drop or a request may have. */
    receivers_per_drop: number;
    /** After how many seconds a drop or a request ends at the earliest. */
    min_expires_in: number;
    /** After how many seconds it ends at the latest. */
    max_expires_in: number;
    /** After how many seconds it ends if nothing is said. */
    default_expires_in: number;
    /** The only numbers of seconds that may be chosen; null: any from the earliest to the latest. */
    allowed_expires_in: number[] | null;
    /** How much may be stored at a time; null: any amount. */
    stored_bytes: number | null;
    /** How many drops and requests may be sent from midnight to midnight in UTC; null: any number. */
    drops_per_day: number | null;
    /** How many mails to receivers may be sent in that time; null: any number. */
    mails_per_day: number | null;
    /** Receivers must have addresses in these domains; null: in any. */
    receiver_domains: string[] | null;
  };
  /** What the account has used of that. */
  usage: {
    /** The size of all files that are stored, with what uploads in progress have reserved; null: not added up yet. */
    stored_bytes: number | null;
    /** How much more may be stored; null: any amount. */
    available_bytes: number | null;
    /** How many drops and requests were sent since midnight in UTC. */
    drops_today: number;
    /** How many mails to receivers were sent since midnight in UTC. */
    mails_today: number;
  };
}

/** A key as it is listed. Null means without restriction. */
export interface Key {
  /** Which key it is; not a secret. */
  id: string;
  /** What the key is for. */
  name: string;
  /** How the key begins, to tell it from others. */
  hint: string;
  /** What the key may do; null: everything. */
  scopes: Scope[] | null;
  /** From which addresses and networks it may be used; null: from any. */
  networks: string[] | null;
  /** When it was created. */
  created_at: string;
  /** The `id` of the key that created it; null if an administrator did. */
  created_by: string | null;
  /** Until when it can be used; null: without an end. */
  expires_at: string | null;
  /** Accurate to ten minutes. */
  last_used_at: string | null;
  /** When it was revoked; null if it was not. */
  revoked_at: string | null;
}

/** What a new key may do. */
export interface NewKey {
  /** What the key is for. */
  name: string;
  /** One or more scopes: what the key may do. */
  scopes: Scope[];
  /** One or more addresses or networks from which the key may be used. */
  networks?: string[];
  /** A time such as 2030-01-31T12:00:00Z, until which it can be used. */
  expires_at?: string;
}

/** A new key. No other answer has the key itself. */
export interface CreatedKey extends Key {
  /** The key itself. Keep it: no other answer has it. */
  api_key: string;
}

/** What was revoked with a key, and what goes on. */
export interface RevokedKeys {
  /** The `id` of each key that was revoked. */
  ids: string[];
  /** How many webhooks were disabled. */
  webhooks_disabled: number;
  /** How many webhooks that the key created go on: `created_by` of a webhook is the `id` of the key. */
  webhooks_live: number;
}

/** A receiver of a new drop; only the address is needed. */
export interface NewReceiver {
  /** The e-mail address. */
  email: string;
  /** Who it is, for the account. */
  name?: string;
  /** For codes by SMS: 7 to 15 digits, the country code first, without + or 00. */
  phone?: string;
  /** Of mails and pages, such as en or pt-BR. */
  language?: string;
}

/** What to send, to whom, and until when. */
export interface NewDrop {
  /** The ids of uploads that are ready. They become the files of the drop. */
  uploads: string[];
  /** One or more receivers; they need not be contacts. */
  receivers: NewReceiver[];
  /** What receivers read in the mail and on their page. */
  message?: string;
  /** In how many seconds it ends. */
  expires_in?: number;
  /** When it ends, as a time such as 2030-01-31T12:00:00Z. */
  expires_at?: string;
  /** Where receivers get a code; what applies to the account if not given. It may not be less than that. */
  second_factor?: 'off' | 'mail' | 'sms';
  /** False: receivers get no mails, and the answer has their links. True if not given. */
  notify?: boolean;
  /** Your own name for it, by which you can find it. It need not be unique. */
  reference?: string;
  /** What you want to keep with it: texts by name. Receivers do not see it. */
  metadata?: Record<string, string>;
}

/** A drop as lists have it. */
export interface Drop {
  /** Which one it is. */
  id: string;
  /** The short number that pages and mails show, such as WB-7F3K-29QD. */
  number: string;
  /** Whether its links can be used, or why not. */
  state: 'live' | 'expired' | 'revoked';
  /** What receivers read; may be empty. */
  message: string;
  /** Your own name for it, if it has one. */
  reference: string | null;
  /** What you wanted to keep with it, if anything. */
  metadata: Record<string, string> | null;
  /** Where receivers get a code now: what was chosen for it, or what applies to the account if that is more. */
  second_factor: 'off' | 'mail' | 'sms';
  /** Whether receivers get mails. */
  notify: boolean;
  /** When it was sent. */
  created_at: string;
  /** When it ends, or ended. */
  expires_at: string;
  /** When it was revoked; null if it was not. */
  revoked_at: string | null;
  /** How many receivers it has. */
  receiver_count: number;
  /** How many files it has. */
  file_count: number;
}

/** A receiver of a drop, and what they did. */
export interface DropReceiver {
  /** Which of the receivers it is. */
  id: number;
  /** The e-mail address. */
  email: string;
  /** Who it is; null if not known. */
  name: string | null;
  /** For codes by SMS, in digits; empty if not known. */
  phone: string;
  /** Of mails and pages; empty if not known. */
  language: string;
  /** When the mail server accepted the invitation. */
  notified_at: string | null;
  /** When the mail server refused or returned the invitation. */
  undeliverable_at: string | null;
  /** What the mail server said. */
  undeliverable_reason: string | null;
  /** When they opened their link. */
  opened_at: string | null;
  /** When their link was withdrawn. */
  revoked_at: string | null;
  /** How far the delivery to them is. completed: they have every file. */
  state: 'waiting' | 'notified' | 'undeliverable' | 'opened' | 'completed' | 'revoked';
  /** When every file had been sent to them in full. */
  completed_at: string | null;
  /** How many files were sent to them in full. */
  files_delivered: number;
}

/** A file of a drop. */
export interface DropFile {
  /** Which file it is. */
  id: string;
  /** Its name, without folders. */
  name: string;
  /** Where it is in the folder that was sent, with its name. */
  path: string;
  /** Its type as the sender stated it, such as application/pdf. */
  media_type: string;
  /** In bytes. */
  size: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** What the virus scanner said. */
  scan: 'clean' | 'unscanned';
  /** deleted: it cannot be downloaded any more. */
  state: 'available' | 'deleted';
  /** To how many receivers it was sent in full. */
  receivers_delivered: number;
}

/** A drop with its receivers and files. */
export interface DropDetails extends Drop {
  /** What receivers did was removed for its age (WAYBILL_DELIVERY_DAYS): its times and counts are unknown. */
  deliveries_forgotten: boolean;
  /** Who gets the files, and what they did. */
  receivers: DropReceiver[];
  /** The files of the drop. */
  files: DropFile[];
}

/** A new drop. No other answer has links. */
export interface CreatedDrop extends Drop {
  /** The receivers, with their links if no mails are sent. */
  receivers: AddedReceiver[];
}

/** What a dry run found. */
export interface CheckedDrop {
  /** Nothing was sent. */
  dry_run: true;
  /** How many receivers it would have. */
  receiver_count: number;
  /** For how many seconds its links could be used. */
  expires_in: number;
  /** How many files it has. */
  file_count: number;
  /** Of all files, in bytes. */
  size: number;
}

/** Whom to ask for files, and until when. */
export interface NewRequest {
  /** One or more receivers; they need not be contacts. */
  receivers: NewReceiver[];
  /** What receivers read in the mail and on their page. */
  message?: string;
  /** In how many seconds it ends. */
  expires_in?: number;
  /** When it ends, as a time such as 2030-01-31T12:00:00Z. */
  expires_at?: string;
  /** Where receivers get a code; what applies to the account if not given. It may not be less than that. */
  second_factor?: 'off' | 'mail' | 'sms';
  /** False: receivers get no mails, and the answer has their links. True if not given. */
  notify?: boolean;
  /** Your own name for it, by which you can find it. It need not be unique. */
  reference?: string;
  /** What you want to keep with it: texts by name. Receivers do not see it. */
  metadata?: Record<string, string>;
  /** True: each contact may send files any number of times until the end. False, or not given: each may once. */
  reusable?: boolean;
}

/** A request for files as lists have it. */
export interface FileRequest {
  /** Which one it is. */
  id: string;
  /** The short number that pages and mails show, such as WB-7F3K-29QD. */
  number: string;
  /** Whether its links can be used, or why not. */
  state: 'live' | 'expired' | 'revoked';
  /** What receivers read; may be empty. */
  message: string;
  /** Your own name for it, if it has one. */
  reference: string | null;
  /** What you wanted to keep with it, if anything. */
  metadata: Record<string, string> | null;
  /** Where receivers get a code now: what was chosen for it, or what applies to the account if that is more. */
  second_factor: 'off' | 'mail' | 'sms';
  /** Whether receivers get mails. */
  notify: boolean;
  /** When it was sent. */
  created_at: string;
  /** When it ends, or ended. */
  expires_at: string;
  /** When it was revoked; null if it was not. */
  revoked_at: string | null;
  /** How many receivers it has. */
  receiver_count: number;
  /** Whether each contact may send files any number of times. */
  reusable: boolean;
}

/** Someone who was asked for files, and what they did. */
export interface FileRequestReceiver {
  /** Which of the receivers it is. */
  id: number;
  /** The e-mail address. */
  email: string;
  /** Who it is; null if not known. */
  name: string | null;
  /** For codes by SMS, in digits; empty if not known. */
  phone: string;
  /** Of mails and pages; empty if not known. */
  language: string;
  /** When the mail server accepted the invitation. */
  notified_at: string | null;
  /** When the mail server refused or returned the invitation. */
  undeliverable_at: string | null;
  /** What the mail server said. */
  undeliverable_reason: string | null;
  /** When they opened their link. */
  opened_at: string | null;
  /** When their link was withdrawn. */
  revoked_at: string | null;
  /** How far the request to them is. fulfilled: they have sent files. */
  state: 'waiting' | 'notified' | 'undeliverable' | 'opened' | 'fulfilled' | 'revoked';
  /** When they first sent files. */
  fulfilled_at: string | null;
  /** When they last sent files. */
  last_received_at: string | null;
  /** How often they sent files. Each is an entry in the inbox. */
  sendings: number;
  /** How many files they sent. */
  files_received: number;
}

/** A request for files with those who were asked. */
export interface FileRequestDetails extends FileRequest {
  /** When contacts opened their links was removed for its age (WAYBILL_DELIVERY_DAYS). */
  deliveries_forgotten: boolean;
  /** Who was asked, and what they did. */
  receivers: FileRequestReceiver[];
}

/** A new request for files. No other answer has links. */
export interface CreatedFileRequest extends FileRequest {
  /** The receivers, with their links if no mails are sent. */
  receivers: AddedReceiver[];
}

/** What a dry run found. */
export interface CheckedFileRequest {
  /** Nothing was sent. */
  dry_run: true;
  /** How many receivers it would have. */
  receiver_count: number;
  /** For how many seconds its links could be used. */
  expires_in: number;
}

/** Which drops or requests to list. */
export interface SentQuery {
  /** How many entries to answer; 20 if not given. */
  limit?: number;
  /** The `next_cursor` of the page before. It is valid only with the same filter. */
  cursor?: string;
  /** What ends is listed as expired within a minute of its deadline. */
  state?: 'live' | 'expired' | 'revoked';
  /** The address of one of the receivers. */
  receiver?: string;
  /** Your own name for it, by which you can find it. It need not be unique. */
  reference?: string;
  /** Made at this time or later. */
  created_after?: string;
  /** Made before this time. */
  created_before?: string;
  /**
   * Finds them by what is known of them: the number, the reference or a receiver’s address, each in full. Not together
   * with receiver or reference.
   */
  search?: string;
}

/** When it ends: one of the two. */
export interface Extension {
  /** In how many seconds it ends. */
  expires_in?: number;
  /** When it ends, as a time such as 2030-01-31T12:00:00Z. */
  expires_at?: string;
}

/** How many receivers were reminded. */
export interface Reminded {
  /** How many receivers get a reminder: those who can be reached and for whom something is left to do. */
  reminded: number;
}

/** A receiver who was added. */
export interface AddedReceiver {
  /** Which of the receivers it is. */
  id: number;
  /** The e-mail address. */
  email: string;
  /** The link, if no mails are sent (`notify: false`). It is shown only once. */
  link?: string;
}

/** A contact as the server answers it. */
export interface ContactView {
  /** The address, which identifies the contact. */
  email: string;
  /** Who it is, for the account; empty if not known. */
  name: string;
  /** For codes by SMS, in digits; empty if not known. */
  phone: string;
  /** Of mails and pages, such as en or pt-BR; empty if not known. */
  language: string;
  /** The groups it belongs to. */
  groups: string[];
  /** local: the account’s own contact; global: the administrator’s, which every account sees. */
  list: 'local' | 'global';
}

/** What a contact may have besides its address. */
export interface ContactDetails {
  /** Who it is, for the account. */
  name?: string;
  /** For codes by SMS: 7 to 15 digits, the country code first, without + or 00. */
  phone?: string;
  /** Of mails and pages, such as en or pt-BR. */
  language?: string;
  /** The groups it belongs to. */
  groups?: string[];
}

/** A contact to add or change; only the address is needed. */
export interface ImportedContact extends ContactDetails {
  /** The e-mail address. */
  email: string;
}

/** Which contacts to list. */
export interface ContactQuery {
  /** How many entries to answer; 20 if not given. */
  limit?: number;
  /** The `next_cursor` of the page before. It is valid only with the same filter. */
  cursor?: string;
  /** Contacts whose address begins with this text, or a word of whose name does. */
  search?: string;
  /** local: the account’s own contact; global: the administrator’s, which every account sees. */
  list?: 'local' | 'global';
}

/** What was done with each contact. */
export interface ImportResult {
  /** True: this is what would be done. */
  dry_run: boolean;
  /** How many contacts are new. */
  created: number;
  /** How many contacts get other details. */
  changed: number;
  /** How many contacts are as they were. */
  unchanged: number;
  /** In the order of the request. */
  contacts: {
    /** The address of the contact. */
    email: string;
    /** What was done with it. */
    result: 'created' | 'changed' | 'unchanged';
  }[];
}

/** What was uploaded and is not sent yet. */
export interface UploadView {
  /** What a drop names. */
  id: string;
  /** Its name, without folders. */
  name: string;
  /** Where it was in the folder that is sent; its name if it is sent alone. */
  path: string;
  /** Its type as you stated it, such as application/pdf. */
  media_type: string;
  /**
   * uploading: bytes are missing; checking: all have arrived; ready: it can be sent; refused: it cannot, see refusal.
   */
  state: 'uploading' | 'checking' | 'ready' | 'refused';
  /** In bytes. */
  size: number;
  /** How many bytes of it are stored. */
  received: number;
  /** SHA-256 in hexadecimal; null before it is ready. */
  sha256: string | null;
  /** What the virus scanner says; null before it is ready. */
  scan: 'clean' | 'unscanned' | null;
  /** Why it was refused. */
  refusal: 'infected' | 'too_large_to_scan' | 'encrypted' | 'damaged' | 'unchecked' | 'digest_mismatch' | null;
  /** When the upload began. */
  created_at: string;
  /** When it is removed, unless it is sent before. */
  expires_at: string;
}

/** What a contact or another account sent. */
export interface QueuedEntry {
  /** Which entry it is. */
  id: string;
  /**
   * available: can be claimed, from `available_at` on. claimed: its lease is held. parked: it was claimed as often as
   * it may be, and can be released. acknowledged: it is done.
   */
  state: 'available' | 'claimed' | 'parked' | 'acknowledged';
  /** The address of the contact or account that sent it. */
  sender: string;
  /** What the sender wrote; may be empty. */
  message: string;
  /** The request for files that it answers; null if another account sent it. */
  request_id: string | null;
  /** How many files it has. */
  file_count: number;
  /** When it was received. */
  received_at: string;
  /** When it ends, and its files are deleted. */
  expires_at: string;
  /** How many times it was claimed, since it was received or released. */
  attempts: number;
  /** Since when, or from when on, it can be claimed; null in other states. */
  available_at: string | null;
  /** When its lease ends; null if it is not claimed. */
  lease_ends_at: string | null;
  /** Since when it is parked, if it is. */
  parked_at: string | null;
  /** When it was acknowledged, if it was. */
  acknowledged_at: string | null;
}

/** An entry that is leased to the caller. `attempts` is the number of this attempt. */
export interface ClaimedEntry extends QueuedEntry {
  /** To renew the lease, and to acknowledge the entry or give it back. */
  lease: string;
}

/** A file of an entry. */
export interface EntryFile {
  /** Which file of the entry it is. */
  id: string;
  /** Its name as it was sent. Make it safe before you use it as a path. */
  name: string;
  /** Where it was in the folder that was sent, including its own name. */
  path: string;
  /** In bytes. */
  size_bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** What the virus scanner said. */
  scan: 'clean' | 'unscanned';
}

/** An entry and its files. */
export interface EntryDetails extends QueuedEntry {
  /** The files of the entry. */
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

/** What happened to the account. Every event has an `id`, a `type`, `created_at` and `data`. */
export type AccountEvent =
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.created';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
        /** How many receivers there are. */
        receivers: number;
        /** How many files there are. */
        files: number;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.notified';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.undeliverable';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.opened';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.file_delivered';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
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
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.completed';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.receiver_added';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.receiver_revoked';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.extended';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
        /** When it ends now. */
        expires_at: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.expired';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'drop.revoked';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The drop. */
        drop_id: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.created';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
        /** How many receivers there are. */
        receivers: number;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.notified';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.undeliverable';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.opened';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.received';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
        /** The receiver’s address. */
        receiver: string;
        /** The entry in the inbox. */
        inbox_id: string;
        /** How many files there are. */
        files: number;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.fulfilled';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.receiver_added';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.receiver_revoked';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
        /** The receiver’s address. */
        receiver: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.extended';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
        /** When it ends now. */
        expires_at: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.expired';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'request.revoked';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The request for files. */
        request_id: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'inbox.received';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** The entry in the inbox. */
        inbox_id: string;
        /** The address of the account or contact that sent the files. */
        sender: string;
        /** How many files there are. */
        files: number;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'contact.changed';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** How many contacts the account now has. */
        contacts: number;
        /** The contact’s address, if it was only one. */
        email?: string;
      };
    }
  | {
      /** The same whenever the event is repeated. */
      id: string;
      /** What happened. */
      type: 'contact.removed';
      /** When it happened. */
      created_at: string;
      /** What it happened to. */
      data: {
        /** How many contacts the account now has. */
        contacts: number;
        /** The contact’s address, if it was only one. */
        email?: string;
      };
    };

/** Where events are sent. */
export interface WebhookView {
  /** Which webhook it is. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** The types of events that are sent; null: all. */
  types: EventType[] | null;
  /** The scopes of the key that made it: it is sent only what they may read; null: everything. */
  scopes: Scope[] | null;
  /** What it is for; may be empty. */
  description: string;
  /** The keys (whpk_…) of `v1a` signatures: two while the secret is being replaced. */
  public_keys: string[];
  /** When it was created. */
  created_at: string;
  /** The `id` of the key that created it; null if an earlier version did not record it. */
  created_by: string | null;
  /** Until then, requests are signed with the secret before, too. */
  previous_secret_until: string | null;
  /** When the first request since the last success failed. */
  failing_since: string | null;
  /** Nothing has been sent since then. */
  disabled_at: string | null;
  /**
   * gone: the receiver answered 410; failing: all requests failed for 5 days; key_revoked: the key that created it was
   * revoked.
   */
  disabled_reason: 'gone' | 'failing' | 'key_revoked' | null;
}

/** A new webhook. */
export interface NewWebhook {
  /** Where events are sent: an https URL without a user name, a password or a fragment. */
  url: string;
  /** The types of events that are sent; null: all. */
  types?: EventType[] | null;
  /** What it is for. */
  description?: string;
}

/** What to change of a webhook. */
export interface WebhookChanges {
  /** Where events are sent: an https URL without a user name, a password or a fragment. */
  url?: string;
  /** The types of events that are sent; null: all. */
  types?: EventType[] | null;
  /** What it is for. */
  description?: string;
}

/** A webhook with its secret, which no other answer has. */
export interface WebhookWithSecret extends WebhookView {
  /** The secret (whsec_…) of `v1` signatures. */
  secret: string;
}

/** A request that was sent to a webhook. */
export interface WebhookAttempt {
  /** Which attempt it is. */
  id: string;
  /** Sent as `webhook-id`. */
  event_id: string;
  /** The type of the event. */
  type: string;
  /** Which attempt to send this event it was. */
  attempt: number;
  /** When the request was sent. */
  at: string;
  /** The status of the answer; null: there was none. */
  status: number | null;
  /** Why there was no answer. */
  failure: string | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
}

/** What to send a webhook again: one of the two. */
export interface Replay {
  /** The event to send again. */
  event_id?: string;
  /** A time such as 2030-01-31T12:00:00Z, since which all events are sent again. */
  since?: string;
}

/** One thing that is wrong with a request. */
export interface Fault {
  /** Which part of the request is wrong: a JSON pointer (RFC 6901). */
  pointer: string;
  /** What is wrong with it, for people to read. */
  detail: string;
  /** What kind of fault it is. */
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
