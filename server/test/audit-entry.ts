import type { FullAuditEntry } from '../src/domain/audit/audit-store.ts';

/** An audit entry of a person who extended a drop, with other values where a test needs them. */
export function makeAuditEntry(changes: Partial<FullAuditEntry> = {}): FullAuditEntry {
  return {
    position: { epoch: 1, transactionId: '745', sequence: 12 },
    id: '01a1dca1-b6e4-73d7-b45e-3306c96c241d',
    at: new Date('2026-11-18T09:00:00.123Z'),
    cursor: '2026-11-18T09:00:00.123456Z/1',
    accountId: '01a1dca1-0000-7000-8000-000000000001',
    account: 'orders@example.org',
    author: {
      kind: 'person',
      id: '01a1dca1-0000-7000-8000-000000000002',
      name: 'eva@example.org',
      address: '192.0.2.7',
    },
    action: 'drop.extended',
    addresses: [],
    details: { dropId: '01a1dca1-0000-7000-8000-000000000003' },
    before: null,
    after: null,
    ...changes,
  };
}
