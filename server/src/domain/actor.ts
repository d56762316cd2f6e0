import type { KeyRights } from './accounts/account-store.ts';

/** Who makes the request. The surface authenticates and builds it; the domain uses it to authorise. */
export interface Actor {
  readonly accountId: string;
  readonly email: string;
  /** The key with which it authenticated. */
  readonly key: KeyRights & { readonly id: string };
}
