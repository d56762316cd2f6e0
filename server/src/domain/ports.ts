import type { Contact, DropType, Receiver } from '@waybill/protocol';
import type { ReadAhead } from './files/read-ahead.ts';

/**
 * All that the domain needs from outside. An operation's first argument picks what it uses:
 * `createDrop(engines: Pick<Engines, 'store' | 'keys'>, …)`.
 */
export interface Engines {
  readonly store: Store;
  readonly objects: ObjectStore;
  readonly keys: KeyProvider;
  /** The memory for reading ahead of fast readers. */
  readonly readAhead: ReadAhead;
  readonly csrfTokens: CsrfTokens;
  readonly failureLimit: FailureLimit;
  readonly scanner: Scanner;
  readonly mailer: Mailer;
  /** Undefined where the operator has none. */
  readonly sms: SmsGateway | undefined;
  readonly letters: Letters;
  readonly messageLimit: MessageLimit;
  readonly recipientPace: RecipientPace;
  readonly report: Report;
  readonly random: Random;
  readonly checkpoint: Checkpoint;
  readonly policy: Policy;
}

/** Who asks. The surface authenticates and builds it; the domain authorises by it. */
export interface Actor {
  readonly accountId: string;
  readonly email: string;
}

/** What the operator decided. */
export interface Policy {
  readonly publicUrl: string;
  readonly mailFrom: string;
  readonly scan: 'required' | 'best-effort' | 'off';
  readonly desttime: { readonly unitSeconds: number; readonly most: number; readonly standard: number };
  readonly uploadLeaseSeconds: number;
  readonly maxFileBytes: number;
  /** How long an interrupted upload of a contact can be resumed. */
  readonly resumeSeconds: number;
  /** All files that a contact may send through one link, together. */
  readonly grantMaxBytes: number;
  /** Where the account has no choice of its own. */
  readonly secondFactor: SecondFactor;
  /** Codes that one number or address is sent in an hour, whichever links they are for. */
  readonly maxCodesPerRecipient: number;
}

/** How a person shows, besides having the link, that the link was meant for them. */
export type SecondFactor = 'off' | 'sms' | 'mail';

export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
}

/** A named point between two steps. Does nothing, unless a crash test asked the process to die there. */
export type Checkpoint = (name: string) => void;

/**
 * Tells the operator, in the log, what went wrong although no request failed. Never given a secret, a code, a token, the
 * text of a message or a person's address.
 */
export type Report = (what: string, details: Readonly<Record<string, string | number>>) => void;

// ── Sealed bytes ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Objects are written once and never changed; a key never contains anything a user chose. Every call ends within seconds,
 * repeated attempts included: with `unavailable` when the store does not answer, with `damaged` when the object is not
 * there or too short.
 */
export interface ObjectStore {
  /** The object is these pieces, one after the other. They must not change until the call ends. */
  put(key: string, pieces: readonly Buffer[], signal: AbortSignal): Promise<void>;
  /** These bytes of the object, all of them or none. */
  read(key: string, part: { offset: number; length: number }, signal: AbortSignal): Promise<Buffer>;
  /** Deletes up to 1,000 objects; one that does not exist counts as deleted. */
  delete(keys: readonly string[]): Promise<void>;
}

/** Wraps data keys by a versioned master key. `context` is bound to the wrapped key and must be given again. */
export interface KeyProvider {
  readonly currentVersion: number;
  wrap(dataKey: Buffer, context: string): Promise<Buffer>;
  unwrap(wrapped: Buffer, version: number, context: string): Promise<Buffer>;
}

/**
 * Why a file was not scanned:
 * - `too_large`: the scanner did not look into all of it, because of its size or depth.
 * - `encrypted`: the scanner cannot look into it.
 * - `interrupted`: the scanner was reached but the scan did not come to its end. Scanned again from the stored
 *   bytes, the file gets a verdict; without that, nothing is known about it under any policy.
 * - `unavailable`: the scanner is out of reach, or takes longer than it may.
 */
export type Unscanned = 'too_large' | 'encrypted' | 'interrupted' | 'unavailable';
export type Verdict =
  | { readonly result: 'clean' }
  | { readonly result: 'infected'; readonly signature: string }
  | { readonly result: 'unscanned'; readonly why: Unscanned };

/** One scan takes the plaintext as it passes by. It never throws: what it cannot scan is "unscanned". */
export interface Scan {
  /** The bytes must not change afterwards. */
  write(bytes: Buffer): Promise<void>;
  /** Set as soon as the verdict no longer depends on what follows, so that a hopeless upload ends early. */
  readonly early: Verdict | undefined;
  verdict(): Promise<Verdict>;
  abandon(): void;
}
/**
 * Bytes `arriving` come at the uploader's pace: such a scan is interrupted when the scanner is needed for faster ones.
 * Bytes that are `stored` are read back at our pace: such a scan waits for its turn, and is never `interrupted`.
 */
export type ScanSource = 'arriving' | 'stored';
export interface Scanner {
  /** A larger file is not scanned. */
  readonly maxBytes: number;
  begin(source: ScanSource): Scan;
}

// ── What may be lost ────────────────────────────────────────────────────────────────────────────────────────────

/** At most 60 an account; the least recently used goes; each use starts its lifetime anew. */
export interface CsrfTokens {
  mint(accountId: string): Promise<string>;
  accept(accountId: string, token: string): Promise<boolean>;
}

/** Failed authentications by address. Answers the seconds to wait when there were too many, else 0. */
export interface FailureLimit {
  record(address: string): Promise<number>;
}

/** An account's messages of this hour, in all and to each recipient: counts these, or none and answers the seconds to wait. */
export interface MessageLimit {
  take(accountId: string, recipients: readonly string[]): Promise<number>;
}

/** The messages one recipient is sent in an hour by all accounts together: counts one, or answers the seconds to wait. */
export interface RecipientPace {
  take(recipient: string): Promise<number>;
}

// ── Mail and SMS ────────────────────────────────────────────────────────────────────────────────────────────────

export interface Mail {
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
export interface SendOutcome {
  readonly outcome: 'sent' | 'refused';
  readonly answer: string;
}
/** Throws a SendFailure when the mail may be tried again; answers `refused` when the server will never take this one. */
export interface Mailer {
  send(mail: Mail): Promise<SendOutcome>;
}
/** Throws a SendFailure when the text may be tried again; answers `refused` when the gateway will never take this one. */
export interface SmsGateway {
  send(sms: { to: string; text: string }): Promise<SendOutcome>;
}

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
export interface ListedFile extends FileLine {
  readonly sizeBytes: number;
}
interface ListedFiles {
  /** The first few. */
  readonly files: readonly ListedFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
}
/** The words of mails and texts, in the best language there is for a BCP 47 tag. */
export interface Letters {
  drop(
    language: string,
    about: ListedFiles & { sender: string; message: string; deadline: Date; link: string },
  ): Letter;
  grant(language: string, about: { sender: string; message: string; deadline: Date; link: string }): Letter;
  code(language: string, about: { code: string; minutes: number; sender: string }): Letter;
  codeSms(language: string, about: { code: string; minutes: number }): string;
  reminder(language: string, about: ListedFiles & { sender: string; deadline: Date; link: string }): Letter;
  receipt(language: string, about: ListedFiles & { receiver: string; sentAt: Date; completedAt: Date }): Letter;
  received(language: string, about: ListedFiles & { contact: string; message: string; deadline: Date }): Letter;
}

// ── What is true ────────────────────────────────────────────────────────────────────────────────────────────────

/** Every method is scoped by account; times are the database's. A transaction hands out the same store, bound to it. */
export interface Store {
  readonly accounts: AccountStore;
  readonly contacts: ContactStore;
  readonly drafts: DraftStore;
  readonly files: FileStore;
  readonly drops: DropStore;
  readonly links: LinkStore;
  readonly uploads: UploadStore;
  readonly outbox: OutboxStore;
  readonly audit: AuditStore;
  /** A few stored keys, to see whether the master keys open them. */
  sampleWrappedKeys(): Promise<readonly WrappedKey[]>;
  transaction<T>(work: (tx: Store) => Promise<T>): Promise<T>;
  /**
   * Does the work unless it is being done under this name, by whatever process: then it answers `undefined`. The signal
   * aborts when that can no longer be promised.
   */
  exclusively<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
}

export interface WrappedKey {
  readonly wrapped: Buffer;
  readonly version: number;
  readonly context: string;
}

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly number: string;
  readonly type: 'api' | 'user';
  readonly language: string;
  readonly disabled: boolean;
  readonly createdAt: Date;
  /** Null: as the server's setting says. */
  readonly secondFactor: SecondFactor | null;
  /** Whether the sender is told when everything was sent to a receiver. */
  readonly receipts: boolean;
  /** Whether other receivers are reminded before the deadline. */
  readonly reminders: boolean;
}
export type AccountChoices = Pick<Account, 'secondFactor' | 'receipts' | 'reminders'>;
export interface ApiKey {
  readonly id: string;
  readonly hint: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}
export interface Credentials {
  readonly accountId: string;
  readonly keyDigests: readonly Buffer[];
}
export interface AccountStore {
  /** The live key digests of an enabled account. */
  credentials(email: string): Promise<Credentials | undefined>;
  byEmail(email: string): Promise<Account | undefined>;
  byId(accountId: string): Promise<Account | undefined>;
  /** In order of address, after `after`. */
  page(after: string, count: number): Promise<Account[]>;
  /** False when the address is taken. */
  insert(account: Pick<Account, 'id' | 'email' | 'number' | 'type' | 'language'>): Promise<boolean>;
  setDisabled(accountId: string, disabled: boolean): Promise<void>;
  setChoices(accountId: string, choices: Partial<AccountChoices>): Promise<void>;
  /** Serialises changes to one account's keys and contacts until the transaction ends. */
  lock(accountId: string): Promise<void>;
  keys(accountId: string): Promise<ApiKey[]>;
  insertKey(accountId: string, key: { id: string; hint: string; digest: Buffer }): Promise<void>;
  /** False when there is no such live key. */
  revokeKey(accountId: string, keyId: string): Promise<boolean>;
  /** Of these addresses, those that are accounts here. */
  idsOf(emails: readonly string[]): Promise<{ email: string; id: string }[]>;
}

export interface ContactLists {
  readonly local: Contact[];
  readonly global: Contact[];
  /** Changes whenever either list does. */
  readonly version: string;
}
export interface ContactStore {
  read(accountId: string): Promise<ContactLists>;
  version(accountId: string): Promise<string>;
  /** Of these addresses, those already in the account's local list. */
  known(accountId: string, emails: readonly string[]): Promise<string[]>;
  /** Of these addresses, the contacts behind them; a local contact wins over a global one. */
  find(accountId: string, emails: readonly string[]): Promise<Contact[]>;
  replace(accountId: string, contacts: readonly Contact[]): Promise<void>;
  readGlobal(): Promise<Contact[]>;
  replaceGlobal(contacts: readonly Contact[]): Promise<void>;
}

export interface Draft {
  readonly receivers: Receiver[];
  readonly listOpened: boolean;
  /** The last few, newest first. */
  readonly dispatches: readonly { readonly digest: Buffer; readonly ageSeconds: number }[];
}
export interface DraftStore {
  /** Makes the draft if need be and holds it until the transaction ends. */
  lock(accountId: string, name: string): Promise<Draft>;
  setReceivers(accountId: string, name: string, receivers: readonly Receiver[]): Promise<void>;
  openList(accountId: string, name: string): Promise<void>;
  /** Forgets the receivers and, after a drop, that the list was opened; remembers this request and a few before it. */
  consume(
    accountId: string,
    name: string,
    dispatch: { readonly digest: Buffer; readonly type: DropType; readonly remembered: number },
  ): Promise<void>;
  /**
   * Drops drafts untouched for so long, and those of grants that have ended; their files become deletions, and their
   * uploads are given up. Answers how many drafts were dropped.
   */
  dropStale(untouchedSeconds: number, batch: BatchSize): Promise<Batch>;
}

/** How much one statement of a sweep does: for up to so many drops or drafts, up to so many rows of each kind. */
export interface BatchSize {
  readonly owners: number;
  readonly rows: number;
}
export interface Batch {
  readonly rows: number;
  /** There may be more to do. */
  readonly more: boolean;
}

export interface StagedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: Buffer;
}
export interface SealedFile {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly scan: 'clean' | 'unscanned';
  readonly wrappedKey: Buffer;
  readonly keyVersion: number;
  readonly runs: readonly ChunkRun[];
}
export interface InboxFile extends SealedFile {
  readonly dropId: string;
}
/** A sequence of objects under a prefix of its own. A file whose writer was never replaced has no list of them. */
export interface ChunkRun {
  readonly id: string;
  readonly firstSegment: number;
  readonly segmentsPerChunk: number;
  /** Objects numbered below this may exist. Null in the last run, where the file or upload itself has the count. */
  readonly objects: number | null;
}
/** What is to be deleted from the object store: see `takeKeys`. */
export interface Deletion {
  readonly accountId: string;
  readonly id: string;
  readonly chunkCount: number;
  readonly runs: readonly ChunkRun[];
}
/** Where objects to be deleted are found: files whose key is destroyed, and uploads that have ended without a file. */
export interface DeletionStore {
  /** Takes up to `count` that are due, each for `leaseSeconds`. */
  takeDeletions(count: number, leaseSeconds: number): Promise<Deletion[]>;
  /** Notes which objects remain. Those without any are done. */
  settleDeletions(deletions: readonly Deletion[]): Promise<void>;
}
export interface FileStore extends DeletionStore {
  staged(accountId: string, draft: string): Promise<StagedFile[]>;
  countStaged(accountId: string, draft: string): Promise<number>;
  /** False when there is no staged file of that name. */
  removeStaged(accountId: string, draft: string, name: string): Promise<boolean>;
  /** Gives the draft's staged files to a drop. Answers how many. */
  moveToDrop(accountId: string, draft: string, dropId: string): Promise<number>;
  /** A file of a live inbox entry of this account. */
  inInbox(accountId: string, entryId: string, name: string): Promise<InboxFile | undefined>;
}

/** An upload in progress. It may be interrupted and resumed, in any process. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Null while the length is not known. */
  readonly sizeBytes: number | null;
  /** Stored for good: whole segments, or all of the file. */
  readonly receivedBytes: number;
  /** All of it is stored. The count alone does not say so of an empty file. */
  readonly received: boolean;
  readonly runs: readonly ChunkRun[];
  /** Objects of the last run that are numbered below this may exist. */
  readonly chunkCount: number;
  readonly wrappedKey: Buffer;
  readonly keyVersion: number;
}
/** The one request that may store bytes of an upload. */
export interface UploadWriter {
  readonly accountId: string;
  readonly id: string;
  readonly writer: string;
}
export interface CompleteUpload {
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly scan: 'clean' | 'unscanned';
  readonly runs: readonly ChunkRun[];
  readonly chunkCount: number;
}
/** A file that a contact is preparing to send. */
export interface DeskFile {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly receivedBytes: number;
  readonly state: 'uploading' | 'checking' | 'ready' | 'refused';
}
export type Refusal = 'infected' | 'too_large_to_scan' | 'encrypted' | 'damaged' | 'unchecked';
/** Of two writers the later one continues: after `takeOver`, nothing the earlier one does has an effect. */
export interface UploadStore extends DeletionStore {
  begin(
    writer: UploadWriter,
    upload: Pick<Upload, 'name' | 'mediaType' | 'sizeBytes' | 'wrappedKey' | 'keyVersion' | 'chunkCount'> & {
      draft: string;
    },
    leaseSeconds: number,
  ): Promise<void>;
  takeOver(writer: UploadWriter, draft: string, leaseSeconds: number): Promise<Upload | undefined>;
  /** Extends the leases of these writers. Answers the ids of those that still are the writers of their uploads. */
  renew(writers: readonly UploadWriter[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /** Before objects of the last run numbered below `chunkCount` are stored. False when another writer has taken over. */
  claim(writer: UploadWriter, chunkCount: number): Promise<boolean>;
  /** Another run begins, and its objects numbered below `chunkCount` are claimed. False when another writer has taken over. */
  beginRun(writer: UploadWriter, runs: readonly ChunkRun[], chunkCount: number): Promise<boolean>;
  /** So many bytes are stored for good. False when another writer has taken over. */
  commit(writer: UploadWriter, receivedBytes: number): Promise<boolean>;
  /** Everything is stored: enqueues the job that checks it. False when another writer has taken over. */
  requestCheck(writer: UploadWriter): Promise<boolean>;
  /** Turns the writer's upload into a file, replacing a staged one of its name. False when it is no longer the writer. */
  complete(writer: UploadWriter, upload: CompleteUpload): Promise<boolean>;
  /** Destroys the key; the objects are deleted later, when none can still be on its way to the store. */
  giveUp(writer: UploadWriter): Promise<void>;
  /** Gives up to `count` uploads up that nobody has resumed in time. Answers how many. */
  expire(count: number): Promise<number>;
  /** The files on a desk: those being uploaded, those ready to be sent, those refused. */
  desk(accountId: string, draft: string): Promise<DeskFile[]>;
  /** The sizes of all files that were sent through a grant's link, or lie on its desk. */
  bytesThrough(link: Pick<Link, 'accountId' | 'dropId' | 'position'>, draft: string): Promise<number>;
  /** False when there is no such file on the desk. */
  remove(accountId: string, draft: string, id: string): Promise<boolean>;
  /** An upload that is due for its check; nobody else gets it within the lease. Counts the attempt. */
  takeForCheck(accountId: string, id: string, leaseSeconds: number): Promise<UncheckedUpload | undefined>;
  /** False when it is no longer to be checked. */
  holdForCheck(accountId: string, id: string, leaseSeconds: number): Promise<boolean>;
  /** Has the check made again after a pause; so many checks count. */
  retryCheck(accountId: string, id: string, next: { checks: number; pauseSeconds: number }): Promise<void>;
  /** Turns a checked upload into a file on its desk, replacing one of its name. False when it was removed meanwhile. */
  accept(accountId: string, id: string, upload: CompleteUpload): Promise<boolean>;
  refuse(accountId: string, id: string, refusal: Refusal): Promise<void>;
  /** Has up to `count` uploads checked whose check is overdue because its job was lost. Answers how many. */
  wakeOverdue(overdueSeconds: number, count: number): Promise<number>;
}
export interface UncheckedUpload {
  readonly accountId: string;
  readonly id: string;
  readonly draft: string;
  readonly sizeBytes: number;
  readonly wrappedKey: Buffer;
  readonly keyVersion: number;
  readonly runs: readonly ChunkRun[];
  readonly chunkCount: number;
  /** How often it has been checked, this time included. */
  readonly checks: number;
}

export interface NewDrop {
  readonly id: string;
  readonly type: DropType | 'receivedfiles';
  readonly message: string;
  readonly ttl: number;
  readonly ttlSeconds: number;
  readonly receiverCount: number;
  readonly fileCount: number;
  /** None where there are no links. */
  readonly linkKey: Buffer | null;
  readonly keyVersion: number;
  /** How long before the deadline receivers are reminded; null: not at all. */
  readonly reminderSeconds: number | null;
  /** The grant's link through which a contact sent it. */
  readonly from: { readonly dropId: string; readonly position: number } | null;
}
export interface NewLink {
  readonly position: number;
  readonly receiver: Receiver;
  readonly tokenDigest: Buffer;
}
export interface PagePosition {
  readonly createdAt: string;
  readonly id: string;
}
export type DropState = 'live' | 'expired' | 'revoked';
export interface DropLine extends PagePosition {
  readonly type: DropType;
  readonly state: DropState;
  readonly createdSeconds: number;
  readonly ttl: number;
  readonly message: string;
  readonly receiverCount: number;
  readonly fileCount: number;
}
export interface InboxLine extends PagePosition {
  readonly senderAccountId: string;
  readonly dropId: string;
  readonly createdSeconds: number;
  readonly ttl: number;
  readonly sender: string;
  readonly fileCount: number;
}
export interface FileLine {
  readonly name: string;
  readonly scan: 'clean' | 'unscanned';
}
export interface DropStore {
  insert(accountId: string, drop: NewDrop): Promise<void>;
  insertLinks(accountId: string, dropId: string, links: readonly NewLink[]): Promise<void>;
  insertInboxEntry(accountId: string, entry: { id: string; senderAccountId: string; dropId: string }): Promise<void>;
  /** Remembers an Idempotency-Key. Answers the digest of the request it already belongs to, if any. */
  claimIdempotencyKey(accountId: string, key: string, digest: Buffer): Promise<Buffer | undefined>;
  /** Newest first, after `after`. */
  page(accountId: string, after: PagePosition | undefined, count: number): Promise<DropLine[]>;
  receivers(accountId: string, dropIds: readonly string[]): Promise<Map<string, Receiver[]>>;
  files(accountId: string, dropIds: readonly string[]): Promise<Map<string, FileLine[]>>;
  countLive(accountId: string): Promise<number>;
  inboxPage(accountId: string, after: PagePosition | undefined, count: number): Promise<InboxLine[]>;
  /** Ends up to `count` drops past their deadline: their link keys are destroyed. Answers how many. */
  endExpired(count: number): Promise<number>;
  /** Ends a drop before its deadline. False when there is none of this account, or it has ended. */
  revoke(accountId: string, dropId: string): Promise<boolean>;
  /**
   * Of ended drops, or one of them: destroys the keys of their files, which become deletions; takes them out of inboxes;
   * has the desks of their links dropped. Answers how many rows that were.
   */
  empty(batch: BatchSize, only?: { accountId: string; dropId: string }): Promise<Batch>;
  forgetIdempotencyKeys(olderThanSeconds: number, count: number): Promise<number>;
  /** What is known of each receiver of a drop, in order of position, after `after`. */
  deliveryStates(accountId: string, dropId: string, after: number, count: number): Promise<ReceiverState[]>;
}
export interface ReceiverState {
  readonly position: number;
  readonly receiver: string;
  readonly notifiedAt: Date | null;
  readonly openedAt: Date | null;
  /** When a code was typed in, where one was asked for. */
  readonly passedAt: Date | null;
  /** When all of it had been sent. */
  readonly completedAt: Date | null;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number; readonly deliveredBytes: number }[];
}

/** A receiver's link, by its token or by the cookie of a browser that opened it. */
export interface Link {
  readonly accountId: string;
  readonly dropId: string;
  readonly position: number;
  readonly type: DropType;
  readonly sender: string;
  readonly receiver: string;
  readonly number: string;
  readonly language: string;
  readonly message: string;
  readonly ttl: number;
  readonly expiresAt: Date;
  /** Past its deadline by the database's clock, or ended. */
  readonly ended: boolean;
  readonly revoked: boolean;
  /** The account's choice; null: the server's. */
  readonly secondFactor: SecondFactor | null;
}
/** A browser in which a person opened a link. */
export interface LinkSession {
  readonly link: Link;
  readonly digest: Buffer;
  /** The right code was typed in here. */
  readonly passed: boolean;
  /** The last code that was sent for this browser, if any. */
  readonly code: { readonly tries: number; readonly expired: boolean } | undefined;
}
export interface DroppedFile extends SealedFile {
  /** All of it was sent to this receiver. */
  readonly complete: boolean;
}
export type DropEnding = Pick<Link, 'accountId' | 'dropId' | 'ended' | 'revoked'>;
export interface LinkStore {
  byToken(tokenDigest: Buffer): Promise<Link | undefined>;
  bySession(sessionDigest: Buffer): Promise<LinkSession | undefined>;
  /** The link of a receiver of a drop, by address. */
  ofReceiver(accountId: string, dropId: string, email: string): Promise<Link | undefined>;
  /**
   * A person opened the link in a browser that is known by this digest until `keepSeconds` after the link's
   * deadline. Of more than `maxSessions` of one link, those that were opened first are closed, and those
   * that passed a code last.
   */
  open(link: Link, sessionDigest: Buffer, keepSeconds: number, maxSessions: number): Promise<void>;
  /** Forgets a browser in which the link was opened. */
  close(sessionDigest: Buffer): Promise<void>;
  /** The drop's wrapped link key; none when the drop has ended. */
  key(link: Link): Promise<{ readonly linkKey: Buffer; readonly keyVersion: number } | undefined>;
  /** Serialises what is done for one link until the transaction ends. */
  lock(link: Link): Promise<void>;
  /** Whether the link is over by now; if not, it stays so until the transaction ends. */
  holdLive(link: Link): Promise<Pick<Link, 'ended' | 'revoked'>>;
  /** Which of these drops are over by now. */
  endings(drops: readonly Pick<Link, 'accountId' | 'dropId'>[]): Promise<DropEnding[]>;
  /** How many codes were sent for the link, in all and within so many seconds. */
  codesSent(link: Link, withinSeconds: number): Promise<{ ever: number; recently: number }>;
  /** The browser's code from now on is the one of this id. */
  setCode(sessionDigest: Buffer, codeId: string, ttlSeconds: number): Promise<void>;
  /** Counts a try. Answers the id of the code it may be, or nothing when there is none to be tried (any more). */
  tryCode(sessionDigest: Buffer, mostTries: number): Promise<string | undefined>;
  /** The right code was typed in; it cannot be used again. False when another request was faster. */
  pass(session: LinkSession, codeId: string): Promise<boolean>;
  /** Forgets up to `count` browsers whose links are long over. Answers how many. */
  forgetSessions(count: number): Promise<number>;
  /** The files of the link's drop, in the order they were sent, or one of them. */
  files(link: Link, fileId?: string): Promise<DroppedFile[]>;
  /**
   * Bytes of a file were sent to the receiver. Answers whether that completed the drop: of every file all bytes were
   * sent, in whatever order.
   */
  deliver(link: Link, file: { id: string; sizeBytes: number }, sent: { start: number; end: number }): Promise<boolean>;
}

export type MessageKind = 'invitation' | 'code' | 'reminder' | 'receipt' | 'received';
export type Channel = 'mail' | 'sms';
export interface WaitingMessage {
  readonly id: string;
  readonly kind: MessageKind;
  readonly channel: Channel;
  readonly to: string;
  readonly language: string;
  /** How often it has been tried, this time included. */
  readonly attempts: number;
  /** Since it was enqueued. */
  readonly ageSeconds: number;
  /** The drop has neither ended nor passed its deadline. */
  readonly dropLive: boolean;
  readonly dropId: string;
  readonly dropType: DropType | 'receivedfiles';
  readonly message: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The account behind the drop. */
  readonly account: string;
  /** The receiver or contact it is about. */
  readonly person: { readonly position: number; readonly email: string; readonly completedAt: Date | null };
  /** Where the message carries something derived from it. */
  readonly linkKey: Buffer | null;
  readonly keyVersion: number;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** The first few. */
  readonly files: ListedFile[];
}
/** A message that waits or was given up, for administrators. */
export interface OutboxLine {
  readonly id: string;
  readonly account: string;
  readonly kind: MessageKind;
  readonly channel: Channel;
  readonly recipient: string;
  readonly attempts: number;
  /** What the last attempt came to. */
  readonly outcome: string | null;
  /** When it is tried next, or was given up; as text, to the microsecond. */
  readonly at: string;
}
export interface OutboxStore {
  /** Writes one waiting invitation a link of the drop, each with the job that sends it. */
  invite(accountId: string, dropId: string, messages: readonly { id: string; position: number }[]): Promise<void>;
  enqueue(
    accountId: string,
    message: {
      id: string;
      kind: MessageKind;
      channel: Channel;
      dropId: string;
      position: number | null;
      recipient: string;
    },
  ): Promise<void>;
  /** Enqueues the reminders of up to `count` drops that are due for theirs. Answers how many drops. */
  remind(count: number): Promise<number>;
  /** The message, if it is due; nobody else gets it within the lease. Counts the attempt. */
  take(accountId: string, id: string, leaseSeconds: number): Promise<WaitingMessage | undefined>;
  /** Renews the lease of this attempt. */
  hold(accountId: string, attempt: Attempt, leaseSeconds: number): Promise<void>;
  settle(accountId: string, id: string, state: 'sent' | 'given_up', outcome: string): Promise<void>;
  /** Notes that this attempt failed and has the next one made after a pause. */
  retry(accountId: string, attempt: Attempt, outcome: string, pauseSeconds: number): Promise<void>;
  /** Has the message sent after a pause, as if this attempt had not been made. */
  postpone(accountId: string, attempt: Attempt, outcome: string, pauseSeconds: number): Promise<void>;
  /** Codes for a number or an address within so many seconds. The count is exact until the transaction ends. */
  codesTo(recipient: string, withinSeconds: number): Promise<number>;
  /** Has up to `count` messages sent that are due and whose job was lost with its process. Answers how many. */
  wakeOverdue(overdueSeconds: number, count: number): Promise<number>;
  /** Of all accounts, in the order of `at`, after `after`. */
  page(
    state: 'waiting' | 'given_up',
    after: Pick<OutboxLine, 'at' | 'id'> | undefined,
    count: number,
  ): Promise<OutboxLine[]>;
  /** Has a message of the account that was given up sent again. False when there is none. */
  revive(accountId: string, id: string): Promise<boolean>;
  /**
   * Has up to `count` messages sent again that were given up, of all accounts, oldest first. Answers how many of each
   * account, and the time the search ended at if none was given: messages given up later are not for this run.
   */
  reviveAll(
    given: GivenUpFilter & { readonly until: string | undefined },
    count: number,
  ): Promise<{ readonly revived: readonly { accountId: string; count: number }[]; readonly until: string }>;
}
/** Which of the messages that were given up. */
export interface GivenUpFilter {
  readonly since: Date | undefined;
  /** A part of what the last attempt came to, in any case. */
  readonly reason: string | undefined;
}
type Attempt = Pick<WaitingMessage, 'id' | 'attempts'>;

export interface AuditStore {
  append(
    accountId: string,
    entry: { id: string; actor: string; action: string; details: Record<string, unknown> },
  ): Promise<void>;
}
