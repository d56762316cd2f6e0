/** At most 60 per account; the least recently used goes; each use restarts its lifetime. */
export interface CsrfTokens {
  mint(accountId: string): Promise<string>;
  accept(accountId: string, token: string): Promise<boolean>;
}

/** Failed authentications by address. Returns the seconds to wait when there were too many, else 0. */
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
