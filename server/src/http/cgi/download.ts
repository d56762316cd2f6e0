import { findInboxFile } from '../../domain/drops/find-inbox-file.ts';
import { recordInboxDelivery } from '../../domain/drops/record-inbox-delivery.ts';
import { sendFile } from '../shared/send-file.ts';
import { actorOf, type Endpoint } from './endpoint.ts';

/** spec 4, operation 11: the files of an inbox entry are below it, in `files`. */
export const download: Endpoint = (app, engines, transfers) => {
  app.route<{ Params: { inbox: string; name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/:user/:inbox/files/:name',
    config: { authentication: 'account+csrf', transfer: true },
    handler: async (request, reply) => {
      const { inbox, name } = request.params;
      const actor = actorOf(request);
      const file = await findInboxFile(engines, actor, inbox, name);
      const { accountId, dropId } = file;
      return transfers.run(reply, { accountId, dropId }, (signal) =>
        sendFile(engines, file, request, reply, signal, (sent) => recordInboxDelivery(engines, actor, file, sent)),
      );
    },
  });
};
