/** The state of a limit. */
export interface LimitState {
  readonly name: string;
  /** How many are allowed in a window, and how long it lasts. */
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** When the window ends. */
  readonly resetSeconds: number;
}

/** Failed authentications by address. */
export interface FailureLimit {
  record(address: string): Promise<CountedFailure>;
}

interface CountedFailure extends LimitState {
  /** Whether there were too many, this one included. */
  readonly isExceeded: boolean;
}

/**
 * An account's messages in this hour, in total and per receiver: counts all of these, or counts none and returns the
 * seconds to wait.
 */
export interface MessageLimit {
  acquire(accountId: string, receivers: readonly string[]): Promise<number>;
}

/**
 * The messages that one receiver is sent per hour by all accounts together: counts one, or returns the seconds to
 * wait.
 */
export interface ReceiverPace {
  acquire(receiver: string): Promise<number>;
}

/** How attempts are slowed down that may be guesses. */
export interface AttemptRule {
  /** The number of attempts without a consequence. */
  readonly free: number;
  /** The delay after the first one beyond them; each further one doubles it. */
  readonly firstDelaySeconds: number;
  readonly maxDelaySeconds: number;
  /** One attempt less counts after this time. */
  readonly decaySeconds: number;
}

/** Attempts that are counted together, under a name of bounded length. */
export interface AttemptCount {
  readonly key: string;
  readonly rule: AttemptRule;
}

/** Attempts to sign in. An attempt is counted before it is judged, so that many at once are no way around the limit. */
export interface AttemptLimit {
  /** Counts one attempt in all of these, or counts none and returns the seconds to wait. */
  acquire(counts: readonly AttemptCount[]): Promise<number>;
  /** Takes an attempt back that was none of a guesser. */
  release(counts: readonly AttemptCount[]): Promise<void>;
}

/** At most 60 per account; beyond that, the least recently used is removed. Each use restarts a token's lifetime. */
export interface CsrfTokens {
  mint(accountId: string): Promise<string>;
  accept(accountId: string, token: string): Promise<boolean>;
}
