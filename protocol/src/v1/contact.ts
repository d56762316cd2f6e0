import { type Static, Type } from 'typebox';
import { ContactInput } from '../contact.ts';
import { limits } from '../limits.ts';
import { Page, pageParameters } from './page.ts';
import { NewReceiver, NewSentQuery } from './sent.ts';

const { email, ...receiverDetails } = NewReceiver.properties;
const details = { ...receiverDetails, groups: ContactInput.properties.groups };
const List = Type.Enum(['local', 'global'], {
  description: 'local: the account’s own contact; global: the administrator’s, which every account sees.',
});

/** PUT /contacts/:email. */
export const ContactDetails = Type.Object(details, { additionalProperties: false });
export type ContactDetails = Static<typeof ContactDetails>;

export const ImportedContact = Type.Object({ email, ...details }, { additionalProperties: false });
export type ImportedContact = Static<typeof ImportedContact>;

/** POST /contacts/import. */
export const ContactImport = Type.Object(
  { contacts: Type.Array(ImportedContact, { minItems: 1, maxItems: limits.contactsPerImport }) },
  { additionalProperties: false },
);
export const ContactImportQuery = NewSentQuery;

export const ContactView = Type.Object({
  email: Type.String({ description: 'The address, which identifies the contact.' }),
  name: Type.String({ description: 'Who it is, for the account; empty if not known.' }),
  phone: Type.String({ description: 'For codes by SMS, in digits; empty if not known.' }),
  language: Type.String({ description: 'Of mails and pages, such as en or pt-BR; empty if not known.' }),
  groups: Type.Array(Type.String(), { description: 'The groups it belongs to.' }),
  list: List,
});
export type ContactView = Static<typeof ContactView>;

export const ContactPage = Page(ContactView);

export const ContactQuery = Type.Object(
  {
    ...pageParameters,
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.emailLength,
        description: 'Contacts whose address begins with this text, or a word of whose name does.',
      }),
    ),
    list: Type.Optional(List),
  },
  { additionalProperties: false },
);

export const ImportResult = Type.Object({
  dry_run: Type.Boolean({ description: 'True: this is what would be done.' }),
  created: Type.Integer({ description: 'How many contacts are new.' }),
  changed: Type.Integer({ description: 'How many contacts get other details.' }),
  unchanged: Type.Integer({ description: 'How many contacts are as they were.' }),
  contacts: Type.Array(
    Type.Object({
      email: Type.String({ description: 'The address of the contact.' }),
      result: Type.Enum(['created', 'changed', 'unchanged'], { description: 'What was done with it.' }),
    }),
    { maxItems: limits.contactsPerImport, description: 'In the order of the request.' },
  ),
});
