import type { AccountStore } from './accounts.ts';
import type { AuditStore } from './audit.ts';
import type { ContactStore } from './contacts.ts';
import type { DraftStore } from './drafts.ts';
import type { DropStore } from './drops.ts';
import type { FileStore } from './files.ts';
import type { LinkStore } from './links.ts';
import type { WrappedKey } from './objects.ts';
import type { OutboxStore } from './outbox.ts';
import type { UploadStore } from './uploads.ts';

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
