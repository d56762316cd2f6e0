import { limits } from '@waybill/protocol';
import {
  Contact,
  ContactDetails,
  ContactImport,
  ContactImportResult,
  ContactPage,
  ListContactsQuery,
} from '@waybill/protocol/v1';
import { Type } from 'typebox';
import { putContact, removeContact } from '../../../domain/contacts/change-contact.ts';
import type { ListedContact } from '../../../domain/contacts/contact-store.ts';
import { type ContactResult, computeVersion } from '../../../domain/contacts/difference.ts';
import { type ImportStep, importContacts, planImport } from '../../../domain/contacts/import-contacts.ts';
import { findContact, listContacts } from '../../../domain/contacts/read-contacts.ts';
import { parsePageQuery } from '../cursor.ts';
import { etagHeader, toETag } from '../etag.ts';
import { type KeyRoute, route } from '../route.ts';

const params = Type.Object({
  email: Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'The address of a contact.' }),
});

const listAll = route({
  method: 'GET',
  path: '/contacts',
  id: 'listContacts',
  summary: 'List the account’s contacts and the global ones, by address',
  scope: 'contacts',
  query: ListContactsQuery,
  response: { status: 200, description: 'A page of contacts.', schema: ContactPage },
  errors: [],
  async handle({ engines, caller, query }) {
    const page = parsePageQuery<Pick<ListedContact, 'email'>>(engines, caller, 'contacts', query, ({ email }) => ({
      email,
    }));
    const search = query.search?.trim();
    const { list } = query;
    const order = { by: 'email', after: page.after && { ...page.after, name: '' } } as const;
    const rows = await listContacts(engines, caller.accountId, { search, list }, order, page.count);
    return { body: page.response(rows, toContact) };
  },
});

const readContact = route({
  method: 'GET',
  path: '/contacts/:email',
  id: 'getContact',
  summary: 'Get the contact with an address: the account’s own, or else the global one',
  scope: 'contacts',
  params,
  response: { status: 200, description: 'The contact.', schema: Contact },
  isVersioned: true,
  errors: ['not_found'],
  handle: async ({ engines, caller, params: { email } }) =>
    toVersionedContact(await findContact(engines, caller, email)),
});

const writeContact = route({
  method: 'PUT',
  path: '/contacts/:email',
  id: 'putContact',
  summary: 'Add a contact, or replace the one with this address',
  scope: 'contacts',
  params,
  body: ContactDetails,
  example: { name: 'Anna Berg', phone: '46701234567', language: 'sv', groups: ['press'] },
  response: { status: 200, description: 'The contact, which was replaced.', schema: Contact },
  otherResponse: {
    status: 201,
    description: 'The contact, which is new.',
    schema: Contact,
    headers: { ETag: etagHeader.description },
  },
  isVersioned: true,
  errors: [],
  async handle({ engines, caller, params: { email }, body, ifVersion, ifExists }) {
    const { contact, isNew } = await putContact(engines, caller, { ...body, email }, { ifVersion, ifExists });
    return { ...toVersionedContact(contact), status: isNew ? 201 : 200 };
  },
});

const deleteContact = route({
  method: 'DELETE',
  path: '/contacts/:email',
  id: 'deleteContact',
  summary: 'Delete one of the account’s own contacts',
  scope: 'contacts',
  params,
  response: { status: 204, description: 'It is deleted.' },
  isVersioned: true,
  errors: ['not_found'],
  async handle({ engines, caller, params: { email }, ifVersion }) {
    await removeContact(engines, caller, email, { ifVersion });
    return {};
  },
});

const importInput = {
  method: 'POST',
  scope: 'contacts',
  body: ContactImport,
  example: { contacts: [{ email: 'anna@example.org', name: 'Anna Berg' }, { email: 'bo@example.org' }] },
  errors: [],
} as const;

const importMany = route({
  ...importInput,
  path: '/contacts/import',
  id: 'importContacts',
  summary: 'Add or change many contacts: all of them, or none if anything is wrong',
  response: { status: 200, description: 'What was done with each contact.', schema: ContactImportResult },
  handle: async ({ engines, caller, body: { contacts } }) =>
    toImportResult(await importContacts(engines, caller, contacts)),
});

const checkMany = route({
  ...importInput,
  path: '/contacts/import/check',
  id: 'checkContactImport',
  summary: 'Check an import of contacts, and find out what it would do; nothing is changed',
  response: { status: 200, description: 'What would be done with each contact.', schema: ContactImportResult },
  changesNothing: true,
  handle: async ({ engines, caller, body: { contacts } }) =>
    toImportResult(await planImport(engines, caller, contacts)),
});

export const contactRoutes: readonly KeyRoute[] = [
  listAll,
  importMany,
  checkMany,
  readContact,
  writeContact,
  deleteContact,
];

function toVersionedContact(contact: ListedContact) {
  return { body: toContact(contact), headers: toETag(computeVersion(contact)) };
}

function toContact({ email, name, phone, language, groups, list }: ListedContact): Contact {
  return { email, name, phone, language, groups: [...groups], list };
}

function toImportResult(steps: readonly ImportStep[]) {
  const count = (wanted: ContactResult) => steps.filter(({ result }) => result === wanted).length;
  return {
    body: {
      created: count('created'),
      changed: count('changed'),
      unchanged: count('unchanged'),
      contacts: steps.map(({ contact: { email }, result }) => ({ email, result })),
    },
  };
}
