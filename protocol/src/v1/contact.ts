import { type Static, Type } from 'typebox';
import { ContactInput } from '../contact.ts';
import { limits } from '../limits.ts';
import { Page, pageParameters } from './page.ts';
import { NewReceiver } from './sent.ts';

const { email, ...receiverDetails } = NewReceiver.properties;
const details = { ...receiverDetails, groups: ContactInput.properties.groups };
const List = Type.Enum(['local', 'global'], {
  description: 'local: the account’s own contact; global: the administrator’s, which every account sees.',
});

/** PUT /contacts/:email. */
export const ContactDetails = Type.Object(details, {
  additionalProperties: false,
  description: 'The properties of a contact beside its address.',
});
export type ContactDetails = Static<typeof ContactDetails>;

export const ImportedContact = Type.Object(
  { email, ...details },
  { additionalProperties: false, description: 'A contact to add or change. Only the address is required.' },
);
export type ImportedContact = Static<typeof ImportedContact>;

/** POST /contacts/import. */
export const ContactImport = Type.Object(
  {
    contacts: Type.Array(ImportedContact, {
      minItems: 1,
      maxItems: limits.contactsPerImport,
      description: 'one or more contacts',
    }),
  },
  { additionalProperties: false, description: 'Contacts to add or change.' },
);

export const Contact = Type.Object(
  {
    email: Type.String({ description: 'The address, which identifies the contact.' }),
    name: Type.String({ description: 'The name that the account uses for the contact; empty if not known.' }),
    phone: Type.String({ description: 'For codes by SMS, in digits; empty if not known.' }),
    language: Type.String({ description: 'Language of mails and pages, such as en or pt-BR; empty if not known.' }),
    groups: Type.Array(Type.String(), { description: 'The groups it belongs to.' }),
    list: List,
  },
  { description: 'A contact of the account or of all accounts.' },
);
export type Contact = Static<typeof Contact>;

export const ContactPage = Page(Contact, 'Contacts in the order of their addresses.');

export const ListContactsQuery = Type.Object(
  {
    ...pageParameters,
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.emailLength,
        description: 'Contacts whose address or name contains this text. Upper and lower case are the same.',
      }),
    ),
    list: Type.Optional(List),
  },
  { additionalProperties: false },
);

export const ContactImportResult = Type.Object(
  {
    created: Type.Integer({ description: 'Number of new contacts.' }),
    changed: Type.Integer({ description: 'Number of contacts with changed details.' }),
    unchanged: Type.Integer({ description: 'Number of contacts that stay as they were.' }),
    contacts: Type.Array(
      Type.Object({
        email: Type.String({ description: 'The address of the contact.' }),
        result: Type.Enum(['created', 'changed', 'unchanged'], { description: 'The result for this contact.' }),
      }),
      { maxItems: limits.contactsPerImport, description: 'The result for each contact, in the order of the request.' },
    ),
  },
  { description: 'The result of an import.' },
);
