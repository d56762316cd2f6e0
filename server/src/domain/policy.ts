/** The lifetimes that a dispatch may have. */
export interface LifetimeRule {
  readonly unitSeconds: number;
  readonly min: number;
  readonly max: number;
  /** Null: all from `min` to `max`. */
  readonly only: readonly number[] | null;
  readonly default: number;
}

/** The rights of visitors of the public page of an account. */
export interface PublicPageRule {
  /** Whether accounts may have one. */
  readonly isAllowed: boolean;
  /** How many mails with a link one address is sent per day, by all accounts together. */
  readonly mailsPerAddress: number;
  /** How many of them one network can ask for per day. */
  readonly mailsPerNetwork: number;
  /** How many of them the visitors of one page can ask for per day. */
  readonly mailsPerPage: number;
  /** The total size of the files that one such link takes. */
  readonly maxBytes: number;
}

/** Decisions of the operator, for the server or, by `readPolicy`, for one account. */
export interface Policy {
  readonly publicUrl: string;
  readonly mailFrom: string;
  /** The operator of this server, as people know them. */
  readonly operatorName: string;
  /** Where people turn to with questions and reports, if anywhere. */
  readonly supportAddress: string | undefined;
  readonly scan: 'required' | 'best-effort' | 'off';
  /** Whether files that cannot be scanned because they are encrypted are accepted although a scan is required. */
  readonly acceptsEncrypted: boolean;
  readonly lifetime: LifetimeRule;
  readonly uploadLeaseSeconds: number;
  readonly maxFileBytes: number;
  /** All files of an account together; null: any amount. */
  readonly maxStoredBytes: number | null;
  /** Dispatches of an account, and mails to their receivers, from midnight to midnight in UTC; null: any number. */
  readonly dropsPerDay: number | null;
  readonly mailsPerDay: number | null;
  /** The domains of addresses that may be sent to; null: all. */
  readonly receiverDomains: readonly string[] | null;
  /** How long an interrupted upload can be resumed. */
  readonly resumeSeconds: number;
  /** The total size of all files that a contact may send through one link. */
  readonly requestMaxBytes: number;
  readonly publicPage: PublicPageRule;
  /** How many times an entry of an inbox can be claimed before it is parked. */
  readonly inboxAttempts: number;
  /** Applies where the account has not made a choice. */
  readonly secondFactor: SecondFactor;
  /** The links that accounts may share. An account or a group may have a stricter rule. */
  readonly sharedLinks: SharedLinks;
  /** How many codes one number or address is sent per hour, whichever links they are for. */
  readonly maxCodesPerReceiver: number;
  /** How long each kind of record is kept; undefined: forever, or as long as its drop. */
  readonly keepSeconds: {
    /** Drafts that are not used. */
    readonly drafts: number;
    /** Ended drops. */
    readonly history: number | undefined;
    /** Records of what receivers did with ended drops. */
    readonly activity: number | undefined;
    /** Entries of the audit, and released holds. */
    readonly audit: number | undefined;
    /** Evidence, which is then erased. */
    readonly evidence: number | undefined;
    readonly events: number;
    /** Settled messages. */
    readonly messages: number | undefined;
    /** Deliveries to webhooks, and the log of the attempts. */
    readonly webhooks: number;
  };
}

/** The decisions that apply to one account. */
export interface AccountPolicy extends Policy {
  /** Whether it is a test account, which sends only to test addresses, and whose messages are kept. */
  readonly isTest: boolean;
}

/** The links that an account may share: none, one for the people named, or also one for anybody who has it. */
export type SharedLinks = 'never' | 'named' | 'anybody';

/** How a person proves, besides having the link, that the link was meant for them. */
export type SecondFactor = 'off' | 'sms' | 'mail';

export type Channel = 'mail' | 'sms';
