import { type Static, Type } from 'typebox';
import { limits } from './limits.ts';
import { patterns } from './patterns.ts';

/** docs/api.md#3-add-contacts. Responses always carry all five fields. */
export const Contact = Type.Object({
  email: Type.String(),
  number: Type.String(),
  language: Type.String(),
  groups: Type.Array(Type.String()),
  nick: Type.String(),
});
export type Contact = Static<typeof Contact>;

/** docs/api.md#4-set-receivers: a receiver has the shape of a contact and may carry a name. */
export const Receiver = Type.Object({
  ...Contact.properties,
  name: Type.Optional(Type.String()),
});
export type Receiver = Static<typeof Receiver>;

/**
 * A contact or a receiver as a caller may send it: only the address is required. The original contract's sample has
 * `number` as a string, but its field table calls it a number; both are accepted.
 */
const contactFields = {
  email: Type.String({ minLength: 3, maxLength: limits.emailLength }),
  number: Type.Optional(
    Type.Union(
      [
        Type.String({ pattern: `^(?:${patterns.phone})?$` }),
        Type.Integer({ minimum: 1_000_000, maximum: 999_999_999_999_999 }),
      ],
      { description: 'a telephone number of 7 to 15 digits, with the country code and without + or spaces' },
    ),
  ),
  language: Type.Optional(
    Type.String({
      maxLength: limits.languageLength,
      pattern: `^(?:${patterns.languageTag})?$`,
      description: 'a language tag such as en or pt-BR',
    }),
  ),
  groups: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: limits.groupLength }), {
      maxItems: limits.groupsPerContact,
      description: 'The groups it belongs to.',
    }),
  ),
  nick: Type.Optional(Type.String({ maxLength: limits.nameLength })),
  name: Type.Optional(Type.String({ maxLength: limits.nameLength })),
};
export const ContactInput = Type.Object(contactFields, { additionalProperties: false });
export type ContactInput = Static<typeof ContactInput>;

/** Request of contacts_add.cgi (docs/api.md#3-add-contacts). */
export const ContactsAddRequest = Type.Array(ContactInput, { maxItems: limits.contactsPerAccount });
/** Request of receivers_set.cgi (docs/api.md#4-set-receivers). */
export const ReceiversSetRequest = Type.Array(ContactInput, { maxItems: limits.receiversPerDispatch });

/** Response of contacts_read.cgi (docs/api.md#2-get-contacts). */
export const ContactList = Type.Object({ local: Type.Array(Contact), global: Type.Array(Contact) });
export type ContactList = Static<typeof ContactList>;
