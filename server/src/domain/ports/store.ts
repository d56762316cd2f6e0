import type { AccountDeletionStore } from './account-deletions.ts';
import type { AccountStore } from './accounts.ts';
import type { AnswerStore } from './answers.ts';
import type { AuditStore } from './audit.ts';
import type { ContactStore } from './contacts.ts';
import type { DayKeyStore } from './day-keys.ts';
import type { DraftStore } from './drafts.ts';
import type { DropStore } from './drops.ts';
import type { EventStore } from './events.ts';
import type { FileStore } from './files.ts';
import type { HoldStore } from './holds.ts';
import type { InboxStore } from './inbox.ts';
import type { LinkStore } from './links.ts';
import type { WrappedKey } from './objects.ts';
import type { OutboxStore } from './outbox.ts';
import type { QuotaStore } from './quotas.ts';
import type { ScrubStore } from './scrub.ts';
import type { SentDropStore } from './sent-drops.ts';
import type { StopStore } from './stops.ts';
import type { UndeletedObjectStore } from './undeleted-objects.ts';
import type { UploadStore } from './uploads.ts';
import type { WebhookDeliveryStore, WebhookStore } from './webhooks.ts';
import type { WrappedKeyStore } from './wrapped-keys.ts';

/** Every method is scoped by account; times are the database's. A transaction provides the same store, bound to it. */
export interface Store {
  readonly accounts: AccountStore;
  readonly accountDeletions: AccountDeletionStore;
  readonly answers: AnswerStore;
  readonly contacts: ContactStore;
  readonly drafts: DraftStore;
  readonly files: FileStore;
  readonly drops: DropStore;
  readonly sentDrops: SentDropStore;
  readonly inbox: InboxStore;
  readonly links: LinkStore;
  readonly uploads: UploadStore;
  readonly outbox: OutboxStore;
  readonly stops: StopStore;
  readonly audit: AuditStore;
  readonly events: EventStore;
  readonly quotas: QuotaStore;
  readonly holds: HoldStore;
  readonly scrub: ScrubStore;
  readonly webhooks: WebhookStore;
  readonly webhookDeliveries: WebhookDeliveryStore;
  readonly wrappedKeys: WrappedKeyStore;
  readonly dayKeys: DayKeyStore;
  readonly undeletedObjects: UndeletedObjectStore;
  /** A few stored keys, to check whether the master keys can unwrap them. */
  sampleWrappedKeys(): Promise<readonly WrappedKey[]>;
  /** Within a transaction, the work becomes a part of it. */
  transaction<T>(work: (tx: Store) => Promise<T>): Promise<T>;
  /**
   * Does the work unless any process is already doing it under this name, in which case it returns `undefined`. The
   * signal aborts when exclusivity can no longer be guaranteed.
   */
  exclusively<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
}
