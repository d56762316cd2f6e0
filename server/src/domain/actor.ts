import type { KeyRights } from './accounts/account-store.ts';
import type { Author } from './audit/audit-store.ts';

/** The account that makes the request. The surface authenticates and builds it; the domain uses it to authorise. */
export interface Actor {
  readonly accountId: string;
  /** The address of the account. */
  readonly email: string;
  /** Recorded with every change. */
  readonly author: Author;
}

/** A program, which authenticated with a key of the account. */
export interface KeyActor extends Actor {
  /** Whether the account is a test account. */
  readonly isTest: boolean;
  readonly key: KeyRights & { readonly id: string };
}
