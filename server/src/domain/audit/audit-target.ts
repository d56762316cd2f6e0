import type { FullAuditEntry } from './audit-store.ts';

/** A system outside to which every audit entry is sent. */
export interface AuditTarget {
  /** Sends entries in their order. Resolves once the target has read all of them, and throws if it may not have. */
  send(entries: readonly FullAuditEntry[], signal: AbortSignal): Promise<void>;
  /** Connects without sending an entry. Throws if the target is out of reach. */
  probe(signal: AbortSignal): Promise<void>;
  /**
   * How long a target may need to store what it has read. If it stops within this time, what it was sent is sent again.
   * 0 if it stores entries before it confirms them.
   */
  readonly settleMs: number;
  /** Whether the target has stopped since entries were last sent to it. `close` forgets this. */
  readonly isLost: boolean;
  /** The next entries are sent over a new connection. */
  close(): void;
}

/** The authorities and the certificate for connections to targets, in PEM. */
export type ReadAuditTls = () => Promise<Readonly<Partial<Record<'ca' | 'cert' | 'key', string>>>>;

/** The target refused entries, or could not be reached. Its texts are for operators and contain no secret. */
export class AuditTargetError extends Error {
  override readonly name = 'AuditTargetError';
  readonly remedy: string;
  /** Whether the target will refuse the same entries again, and might take others. */
  readonly isRefusal: boolean;
  /** For how long the target wants to be left alone. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    remedy: string,
    options: {
      readonly isRefusal?: boolean;
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.remedy = remedy;
    this.isRefusal = options.isRefusal ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
