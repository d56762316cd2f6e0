import type { DropType } from '@waybill/protocol';

import type { NewEvent } from './event-store.ts';

type Happening =
  | 'created'
  | 'notified'
  | 'undeliverable'
  | 'opened'
  | 'receiver_added'
  | 'receiver_revoked'
  | 'extended'
  | 'expired'
  | 'revoked'
  | 'restored';

/** Of the shared link of a drop; a request has none. */
type LinkHappening = 'link_created' | 'link_opened' | 'link_downloaded' | 'link_revoked';

const isOfLink = (happening: Happening | LinkHappening): happening is LinkHappening => happening.startsWith('link_');

/**
 * Events of a drop, or of a request for files, which is stored as a drop of its own type. What contacts send is
 * one too, but for the account it is an entry in the inbox. An account does not know the request of a visitor of its
 * public page, as it did not make it.
 */
export function dropEvents(
  { accountId, dropId, type, isUnsolicited = false }: TypedDrop,
  happening: Happening | LinkHappening,
  data: NewEvent['data'] = {},
): NewEvent[] {
  if (type === 'receivedfiles' || isUnsolicited) return [];
  const about = { accountId, dropId };
  if (isOfLink(happening)) return [{ accountId, type: `drop.${happening}`, data: { drop_id: dropId, ...data }, about }];
  return type === 'uploadfiles'
    ? [{ accountId, type: `request.${happening}`, data: { request_id: dropId, ...data }, about }]
    : [{ accountId, type: `drop.${happening}`, data: { drop_id: dropId, ...data }, about }];
}

/** Names a receiver in the data of an event. */
export function toReceiverData({ position, receiver }: { readonly position: number; readonly receiver: string }) {
  return { receiver_id: position, receiver_email: receiver };
}

export interface TypedDrop {
  readonly accountId: string;
  readonly dropId: string;
  readonly type: DropType | 'receivedfiles';
  /** Whether a visitor of the account's public page caused it. */
  readonly isUnsolicited?: boolean;
}
