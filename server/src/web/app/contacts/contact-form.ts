import type { ContactInput } from '../../../domain/contacts/contact-input.ts';
import { toVisibleGroups } from '../../../domain/safe-name.ts';

/** The fields of the form of a contact, as they were entered. */
export interface ContactFields {
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly language: string;
  readonly groups: string;
}

export function readContactForm(form: URLSearchParams): ContactFields {
  const read = (name: string) => (form.get(name) ?? '').trim();
  return {
    email: read('email'),
    name: read('name'),
    phone: read('phone'),
    language: read('language'),
    groups: read('groups'),
  };
}

export function toContactInput({ email, name, phone, language, groups }: ContactFields): ContactInput {
  return { email, name, phone: toPhone(phone), language, groups: splitGroups(groups) };
}

/** The form in which numbers are stored: digits, the country code first. People write + or 00 and separate the digits. */
export function toPhone(text: string): string {
  return text.replaceAll(/[\s()./-]/g, '').replace(/^(?:\+|00)/, '');
}

/** Names of groups, separated by commas, semicolons or bars. */
export function splitGroups(text: string): string[] {
  return toVisibleGroups(text.split(/[,;|]/));
}
