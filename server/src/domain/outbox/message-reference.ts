import { toReference } from '../reference.ts';
import type { WaitingMessage } from './outbox-store.ts';

/** The request's reference for files that a contact sent, so that both sides quote the one that the contact's page shows. */
export function toMessageReference({ dropId, requestId }: Pick<WaitingMessage, 'dropId' | 'requestId'>): string {
  return toReference(requestId ?? dropId);
}
