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
  /** The first of the failures since the last success. */
  readonly failingSince: Date | null;
  /** The last failure, for operators. */
  readonly failure: string | null;
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
  fail(lease: AuditTargetLease, failure: string, leaseSeconds: number): Promise<boolean>;
  release(lease: AuditTargetLease): Promise<void>;
  /** The targets to which something was sent, or was tried to be. */
  list(): Promise<AuditTargetState[]>;
}
