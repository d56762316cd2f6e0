import { ContactList } from '@waybill/protocol';
import { readContactLists } from '../../domain/contacts/read-contacts.ts';
import { fromContact } from './contact-shapes.ts';
import { route } from './route.ts';

export const versionHeader = { ETag: 'The version of both lists, for If-Match.' };

/** docs/api.md#2-get-contacts. The ETag is our extension: contacts_add.cgi accepts it as If-Match. */
export const contactsRead = route({
  method: 'GET',
  path: '/cgi/contacts_read.cgi',
  id: 'readContacts',
  summary: 'Get contacts',
  authentication: 'account+csrf',
  response: { status: 200, description: 'Both lists.', schema: ContactList, headers: versionHeader },
  errors: [],
  async handle({ engines, actor, reply }) {
    const { local, global, version } = await readContactLists(engines, actor.accountId);
    reply.header('etag', `"${version}"`);
    return { local: local.map(fromContact), global: global.map(fromContact) };
  },
});
