import { type EvidenceEvent, toCommitment } from '@waybill/evidence';
import type { WaitingEntry } from './log-store.ts';

type CommittedEntry = Omit<WaitingEntry, 'accountId'>;

/** The event as receipts contain it. */
export function toEvent(entry: Omit<CommittedEntry, 'salt'>): EvidenceEvent {
  const { id, at, kind, dropId, position, data, number } = entry;
  return {
    id,
    at: at.toISOString(),
    kind,
    ...(dropId !== null && { drop: dropId }),
    ...(position !== null && { receiver: position }),
    number,
    data,
  };
}

/** The leaf of an entry. It says nothing about the event without the salt. */
export function commitEvent({ salt, ...entry }: CommittedEntry): Buffer {
  return Buffer.from(toCommitment(toEvent(entry), salt));
}
