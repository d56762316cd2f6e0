import type { EventPosition } from './event-store.ts';

/** Negative when the first is earlier, positive when it is later. */
export function comparePositions(one: EventPosition, other: EventPosition): number {
  return (
    one.epoch - other.epoch ||
    Number(BigInt(one.transactionId) - BigInt(other.transactionId)) ||
    one.sequence - other.sequence
  );
}
