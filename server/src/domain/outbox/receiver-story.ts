import { isNotice } from './obsolete-message.ts';
import type { SettledMessage } from './outbox-store.ts';

/** The story of the receiver to whom a message was written; undefined if it was written to the sender. */
export function findReceiverStory(
  accountId: string,
  { kind, dropId, position }: SettledMessage,
): { readonly accountId: string; readonly dropId: string; readonly position: number } | undefined {
  return position === null || isNotice(kind) ? undefined : { accountId, dropId, position };
}
