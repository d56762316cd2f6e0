import type { AccountDeletionStore, AccountStore } from './accounts/account-store.ts';
import type { QuotaStore } from './accounts/quota-store.ts';
import type { AuditStore } from './audit/audit-store.ts';
import type { AuditTargetStore } from './audit/audit-target-store.ts';
import type { ContactStore, ReceiverStore } from './contacts/contact-store.ts';
import type { DraftStore } from './drafts/draft-store.ts';
import type { DropStore } from './drops/drop-store.ts';
import type { SentDropStore } from './drops/sent-drop-store.ts';
import type { EventStore } from './events/event-store.ts';
import type { EvidenceStore } from './evidence/evidence-store.ts';
import type { EvidenceLogStore } from './evidence/log-store.ts';
import type { FileStore, UndeletedObjectStore } from './files/file-store.ts';
import type { ScrubStore } from './files/scrub-store.ts';
import type { HoldStore } from './holds/hold-store.ts';
import type { ResponseStore } from './idempotency/response-store.ts';
import type { InboxStore } from './inbox/inbox-store.ts';
import type { DayKeyStore, WrappedKeyStore } from './keys/key-store.ts';
import type { LinkStore } from './links/link-store.ts';
import type { SharedLinkStore } from './links/shared-link-store.ts';
import type { OutboxStore } from './outbox/outbox-store.ts';
import type { TestMessageStore } from './outbox/test-message-store.ts';
import type { PersonLinkStore, UsedTokenStore } from './people/person-link-store.ts';
import type { PersonStore } from './people/person-store.ts';
import type { SessionStore } from './people/session-store.ts';
import type { PublicPageStore } from './public-page/public-page-store.ts';
import type { RequestStore } from './requests/request-store.ts';
import type { SignInMethodStore } from './sign-in/sign-in-method-store.ts';
import type { StopStore } from './stops/stop-store.ts';
import type { UploadStore } from './uploads/upload-store.ts';
import type { WebhookDeliveryStore, WebhookStore } from './webhooks/webhook-store.ts';

/** Every method is scoped by account; times are the database's. A transaction provides the same store, bound to it. */
export interface Store {
  readonly accounts: AccountStore;
  readonly accountDeletions: AccountDeletionStore;
  readonly responses: ResponseStore;
  readonly contacts: ContactStore;
  readonly receivers: ReceiverStore;
  readonly drafts: DraftStore;
  readonly files: FileStore;
  readonly drops: DropStore;
  readonly sentDrops: SentDropStore;
  readonly requests: RequestStore;
  readonly inbox: InboxStore;
  readonly links: LinkStore;
  readonly sharedLinks: SharedLinkStore;
  readonly uploads: UploadStore;
  readonly outbox: OutboxStore;
  readonly testMessages: TestMessageStore;
  readonly stops: StopStore;
  readonly publicPages: PublicPageStore;
  readonly audit: AuditStore;
  readonly evidence: EvidenceStore;
  readonly evidenceLog: EvidenceLogStore;
  readonly auditTargets: AuditTargetStore;
  readonly events: EventStore;
  readonly quotas: QuotaStore;
  readonly holds: HoldStore;
  readonly scrub: ScrubStore;
  readonly webhooks: WebhookStore;
  readonly webhookDeliveries: WebhookDeliveryStore;
  readonly wrappedKeys: WrappedKeyStore;
  readonly dayKeys: DayKeyStore;
  readonly undeletedObjects: UndeletedObjectStore;
  readonly people: PersonStore;
  readonly personLinks: PersonLinkStore;
  readonly sessions: SessionStore;
  readonly signInMethods: SignInMethodStore;
  readonly usedTokens: UsedTokenStore;
  /** Within a transaction, the work becomes a part of it. */
  transaction<T>(work: (tx: Store) => Promise<T>): Promise<T>;
  /**
   * Does the work unless any process is already doing it under this name, in which case it returns `undefined`. The
   * signal aborts when exclusivity can no longer be guaranteed.
   */
  exclusively<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
}
