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

export interface CountedFailure extends LimitState {
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
