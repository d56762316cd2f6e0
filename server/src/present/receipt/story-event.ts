import type { EventData, EventKind } from '@waybill/evidence';

/** An event of a receipt. The server that recorded it also shows it, so that its data is complete. */
export type StoryEvent = {
  [Kind in EventKind]: { readonly at: string; readonly kind: Kind; readonly data: EventData<Kind> };
}[EventKind];
