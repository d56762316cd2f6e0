import type { Contact as WireContact, ContactInput as WireInput, Receiver as WireReceiver } from '@waybill/protocol';
import type { ContactInput } from '../../domain/contacts/contact-input.ts';
import type { Contact, Receiver } from '../../domain/contacts/contact-store.ts';
import type { DraftReceiverInput } from '../../domain/drafts/change-draft.ts';

/** The contract says `nick` and `number` where the rest of the project says name and phone. */
export function toContactInput({ email, number, language, groups, nick }: WireInput): ContactInput {
  return { email, name: nick, phone: number === undefined ? undefined : String(number), language, groups };
}

export function toReceiverInput(input: WireInput): DraftReceiverInput {
  const { name: contactName, ...details } = toContactInput(input);
  return { ...details, contactName, name: input.name };
}

/** History is serialised without a schema, so the properties are in the order of docs/api.md. */
export function fromContact({ email, phone, language, groups, name }: Contact): WireContact {
  return { email, number: phone, language, groups: [...groups], nick: name };
}

export function fromReceiver({ name, contactName, ...receiver }: Receiver): WireReceiver {
  return { ...fromContact({ ...receiver, name: contactName }), ...(name === undefined ? {} : { name }) };
}
