import type { AuditPosition } from './audit-store.ts';

/** A target has its name from the way that entries are sent to it. */
export const auditTargetNames = ['syslog', 'https'] as const;
export type AuditTargetName = (typeof auditTargetNames)[number];

/** The right to send to a target, which one process has at a time. */
export interface AuditTargetLease {
  readonly name: AuditTargetName;
  /** Larger than that of every earlier lease. */
  readonly fence: number;
}

export interface AuditTargetState {
  readonly name: AuditTargetName;
  /** All entries up to this one were delivered. */
  readonly position: AuditPosition | null;
  /** When this was last the case. */
  readonly deliveredAt: Date | null;
  /** The time of the oldest entry that was not delivered; null if all were. */
  readonly oldestWaitingAt: Date | null;
  readonly waitingSeconds: number;
  /** Up to `countedUpTo`. */
  readonly waitingEntries: number;
  /** The first of the failures since the last success. */
  readonly failingSince: Date | null;
  /** The last failure and what to do about it, for operators. */
  readonly failure: string | null;
  readonly remedy: string | null;
  /** The next entry, if the target refuses this one entry whenever it is sent. */
  readonly refusedId: string | null;
}

/** How far waiting entries are counted, so that counting costs the same however many there are. */
export const countedUpTo = 1_000;

export interface AuditTargetFailure {
  readonly reason: string;
  readonly remedy: string;
  /** The entry that was sent alone and refused. */
  readonly refusedId?: string | undefined;
}

export interface AuditTargetStore {
  /** Undefined while another process has the lease. The position is undefined before the first delivery. */
  take(
    name: AuditTargetName,
    leaseSeconds: number,
  ): Promise<{ readonly lease: AuditTargetLease; readonly position: AuditPosition | undefined } | undefined>;
  /**
   * Records that all entries up to a position were delivered, if one is given, and renews the lease. Returns false if
   * another process has it by now; then nothing is recorded.
   */
  advance(lease: AuditTargetLease, position: AuditPosition | undefined, leaseSeconds: number): Promise<boolean>;
  /** Records a failure and renews the lease. Returns false if another process has it by now. */
  fail(lease: AuditTargetLease, failure: AuditTargetFailure, leaseSeconds: number): Promise<boolean>;
  release(lease: AuditTargetLease): Promise<void>;
  /**
   * Moves the position behind the entry that a target refuses. The process that sends to it loses its lease, and nobody
   * else gets one before that would have ended. Returns the last failure; undefined if the target does not refuse this
   * entry, or does not any more.
   */
  skip(name: AuditTargetName, refusedId: string): Promise<{ readonly failure: string } | undefined>;
  /** The targets to which something was sent, or was tried to be. */
  list(): Promise<AuditTargetState[]>;
}
