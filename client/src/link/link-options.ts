import type { WaybillError } from '../errors.ts';
import type { LinkCode } from '../generated/wire.ts';
import type { Retry, RetryPolicy } from '../http/retry-policy.ts';
import type { Runtime } from '../runtime.ts';

/** The code that is needed, and what went wrong before. */
export interface CodeQuestion {
  /** How the code was sent, to where, and until when it can be entered. */
  code: LinkCode;
  /** Why the code before was not accepted; undefined for the first question. */
  problem?: WaybillError | undefined;
}

/** Keeps the session of a link for another process, which then needs no other code. */
export interface SessionStore {
  /** Returns the session that was kept, if there is one. */
  get(): string | undefined;
  /** Keeps the session, or discards it. It is a secret, and ends within a day. */
  set(session: string | undefined): void;
}

/** Options of an opened link. */
export interface LinkOptions {
  /**
   * Returns the code that was sent to the receiver, or `null` to have another one sent. Called if the link requires one,
   * and again if it was wrong.
   */
  code?: ((question: CodeQuestion) => string | null | Promise<string | null>) | undefined;
  /**
   * Returns the passphrase that the sender told. Called if the link requires one, and again with the problem if it was
   * wrong.
   */
  passphrase?: ((problem?: WaybillError) => string | Promise<string>) | undefined;
  /** For a link for all receivers: the address of one of them, to which a code is sent. */
  receiver?: string | undefined;
  /** Keeps the session for another process, if a code or a passphrase is required. */
  sessionStore?: SessionStore | undefined;
  /** Allows http:// to other machines. The link and the files can then be read in transit. */
  plainHttp?: boolean | undefined;
  /** How often and for how long requests are retried. Overrides single values of the default policy. */
  retry?: Partial<RetryPolicy> | undefined;
  /** Called before a request is sent again. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** A connection without any data for this long is closed. Defaults to 2 minutes. */
  idleTimeoutMs?: number | undefined;
  /** Replaces the clock and the source of random numbers in tests. */
  runtime?: Partial<Runtime> | undefined;
  /** Cancels the opening. */
  signal?: AbortSignal | undefined;
}
