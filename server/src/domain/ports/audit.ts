export interface AuditStore {
  append(
    accountId: string,
    entry: { id: string; actor: string; action: string; details: Record<string, unknown> },
  ): Promise<void>;
  /** Removes up to `count` entries that are this old and not under a legal hold. Returns how many. */
  forget(olderThanSeconds: number, count: number): Promise<number>;
}
