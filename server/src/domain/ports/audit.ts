export interface AuditStore {
  append(
    accountId: string,
    entry: { id: string; actor: string; action: string; details: Record<string, unknown> },
  ): Promise<void>;
}
