import { ContactsAddRequest, limits, Status } from '@waybill/protocol';
import { replaceContacts } from '../../domain/contacts/replace-contacts.ts';
import { parseIfMatch } from '../shared/if-match.ts';
import { header } from '../shared/openapi.ts';
import { toContactInput } from './contact-shapes.ts';
import { versionHeader } from './contacts_read.ts';
import { prefersLenient } from './request-headers.ts';
import { route } from './route.ts';

const done: Status = { status: 'ok' };

/** docs/api.md#3-add-contacts. */
export const contactsAdd = route({
  method: 'POST',
  path: '/cgi/contacts_add.cgi',
  id: 'addContacts',
  summary: 'Replace the account’s contacts',
  authentication: 'account+csrf',
  headers: [
    header('If-Match', 'Only if the lists have this version.'),
    header('Prefer', '`handling=lenient` keeps or updates known addresses instead of failing.'),
  ],
  body: ContactsAddRequest,
  example: [{ email: 'anna@example.org', number: '46701234567', language: 'sv', groups: ['press'], nick: 'Anna' }],
  bodyLimit: limits.contactListBytes,
  response: {
    status: 200,
    description: 'The list is replaced.',
    schema: Status,
    example: done,
    headers: versionHeader,
  },
  errors: ['invalid_input', 'contact_exists', 'precondition_failed', 'too_large'],
  async handle({ engines, actor, body, request, reply }) {
    const lenient = prefersLenient(request);
    const ifVersion = parseIfMatch(request);
    const contacts = body.map(toContactInput);
    const { version } = await replaceContacts(engines, actor, { contacts, lenient, ifVersion });
    reply.header('etag', `"${version}"`);
    if (lenient) reply.header('preference-applied', 'handling=lenient');
    return done;
  },
});
