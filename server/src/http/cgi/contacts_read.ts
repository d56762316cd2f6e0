import { ContactList } from '@waybill/protocol';
import { type Endpoint, requireActor } from './endpoint.ts';

/** docs/api.md#2-get-contacts. The ETag is our extension: contacts_add.cgi accepts it as If-Match. */
export const contactsRead: Endpoint = (app, engines) => {
  app.get(
    '/:user/cgi/contacts_read.cgi',
    { config: { authentication: 'account+csrf' }, schema: { response: { 200: ContactList } } },
    async (request, reply) => {
      const { local, global, version } = await engines.store.contacts.read(requireActor(request).accountId);
      reply.header('etag', `"${version}"`);
      return { local, global };
    },
  );
};
