import { limits } from '@waybill/protocol';
import {
  Contact,
  ContactDetails,
  ContactImport,
  ContactImportResult,
  ContactPage,
  DryRunQuery,
  ListContactsQuery,
} from '@waybill/protocol/v1';
import { Type } from 'typebox';
import { putContact, removeContact } from '../../../domain/contacts/change-contact.ts';
import type { ListedContact } from '../../../domain/contacts/contact-store.ts';
import { type ContactResult, computeVersion } from '../../../domain/contacts/difference.ts';
import { importContacts, planImport } from '../../../domain/contacts/import-contacts.ts';
import { findContact, listContacts } from '../../../domain/contacts/read-contacts.ts';
import { parsePageQuery } from '../cursor.ts';
import { etagHeader, toETag } from '../etag.ts';
import { type Route, route } from '../route.ts';

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
  id: 'readContact',
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
  id: 'removeContact',
  summary: 'Remove one of the account’s own contacts',
  scope: 'contacts',
  params,
  response: { status: 204, description: 'It is removed.' },
  isVersioned: true,
  errors: ['not_found'],
  async handle({ engines, caller, params: { email }, ifVersion }) {
    await removeContact(engines, caller, email, { ifVersion });
    return {};
  },
});

const importMany = route({
  method: 'POST',
  path: '/contacts/import',
  id: 'importContacts',
  summary: 'Add or change many contacts: all of them, or none if anything is wrong',
  scope: 'contacts',
  query: DryRunQuery,
  body: ContactImport,
  example: { contacts: [{ email: 'anna@example.org', name: 'Anna Berg' }, { email: 'bo@example.org' }] },
  response: {
    status: 200,
    description: 'What was done with each contact, or with `dry_run=true`: what would be done.',
    schema: ContactImportResult,
  },
  errors: [],
  async handle({ engines, caller, query: { dry_run: isDryRun = false }, body: { contacts: inputs } }) {
    const steps = isDryRun ? await planImport(engines, caller, inputs) : await importContacts(engines, caller, inputs);
    const count = (wanted: ContactResult) => steps.filter(({ result }) => result === wanted).length;
    const body = {
      dry_run: isDryRun,
      created: count('created'),
      changed: count('changed'),
      unchanged: count('unchanged'),
      contacts: steps.map(({ contact: { email }, result }) => ({ email, result })),
    };
    return { body };
  },
});

export const contactRoutes: readonly Route[] = [listAll, importMany, readContact, writeContact, deleteContact];

function toVersionedContact(contact: ListedContact) {
  return { body: toContact(contact), headers: toETag(computeVersion(contact)) };
}

function toContact({ email, name, phone, language, groups, list }: ListedContact): Contact {
  return { email, name, phone, language, groups: [...groups], list };
}
