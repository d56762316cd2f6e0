import { ExchangeError } from '../exchange-error.ts';
import { toVisibleGroups, toVisibleName } from '../safe-name.ts';
import type { ContactInput } from './contact-input.ts';
import type { Contact } from './contact-store.ts';
import { emailAddress } from './email-address.ts';

/** A caller's contact with every field present. The schema has limited the fields; the address has further rules. */
export function contactFromInput(input: ContactInput): Contact {
  const { email, name = '', phone = '', language = '', groups = [] } = input;
  requireStorable([name, ...groups]);
  return { email: emailAddress(email), name: toVisibleName(name), phone, language, groups: toVisibleGroups(groups) };
}

/** A lone surrogate is not valid text in UTF-8, and PostgreSQL cannot store NUL. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export const unstorable = 'A text contains a NUL or half of a surrogate pair. Remove it.';

/** For what does not come from the query, the JSON or the form of a request, where every text is looked at. */
export function requireStorable(texts: readonly string[]): void {
  if (!texts.every(isStorable)) throw new ExchangeError('invalid_input', unstorable);
}
