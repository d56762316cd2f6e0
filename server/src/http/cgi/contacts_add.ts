import { ContactsAddRequest, limits, Status } from '@waybill/protocol';
import { replaceContacts } from '../../domain/contacts/replace-contacts.ts';
import { versionsInIfMatch } from '../shared/if-match.ts';
import { type Endpoint, requireActor } from './endpoint.ts';
import { prefersLenient } from './request-headers.ts';

/** docs/api.md#3-add-contacts. */
export const contactsAdd: Endpoint = (app, engines) => {
  app.post(
    '/:user/cgi/contacts_add.cgi',
    {
      config: { authentication: 'account+csrf' },
      bodyLimit: limits.contactListBytes,
      schema: { body: ContactsAddRequest, response: { 200: Status } },
    },
    async (request, reply) => {
      const lenient = prefersLenient(request);
      const { version } = await replaceContacts(engines, requireActor(request), {
        contacts: request.body,
        lenient,
        ifVersion: versionsInIfMatch(request),
      });
      reply.header('etag', `"${version}"`);
      if (lenient) reply.header('preference-applied', 'handling=lenient');
      return { status: 'ok' as const };
    },
  );
};
