import { ExchangeError } from '../exchange-error.ts';
import type { Contact } from './contact.ts';
import type { ContactInput } from './contact-input.ts';
import { emailAddress } from './email-address.ts';

/** A caller's contact with every field present. The schema has limited the fields; the address has further rules. */
export function contactFromInput(input: ContactInput): Contact {
  const contact = {
    email: emailAddress(input.email),
    name: input.name ?? '',
    phone: input.phone ?? '',
    language: input.language ?? '',
    groups: input.groups ?? [],
  };
  requireStorable([contact.name, ...contact.groups]);
  return contact;
}

/** A lone surrogate is not valid text in UTF-8, and PostgreSQL cannot store NUL. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export const unstorable = 'A text contains a NUL or half of a surrogate pair.';

/** For what does not come from the query, the JSON or the form of a request, where every text is looked at. */
export function requireStorable(texts: readonly string[]): void {
  if (!texts.every(isStorable)) throw new ExchangeError('invalid_input', unstorable);
}
