import { findInboxFile } from '../../domain/inbox/find-inbox-file.ts';
import { sendInboxFile, sendInboxZip } from '../shared/send-inbox.ts';
import { type Endpoint, requireActor } from './endpoint.ts';

/** docs/api.md#11-download-a-file: the files of an inbox entry are below it, in `files`. */
export const download: Endpoint = (app, engines, transfers) => {
  app.route<{ Params: { inbox: string; name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/:user/:inbox/files/:name',
    config: { authentication: 'account+csrf', transfer: true },
    handler: async (request, reply) => {
      const { inbox, name } = request.params;
      const actor = requireActor(request);
      const file = await findInboxFile(engines, actor, inbox, name);
      return sendInboxFile({ engines, actor, transfers, request, reply }, file);
    },
  });

  // Our extension: all files at once, with their folders.
  app.route<{ Params: { inbox: string } }>({
    method: ['GET', 'HEAD'],
    url: '/:user/:inbox/all.zip',
    config: { authentication: 'account+csrf', transfer: true },
    handler: async (request, reply) =>
      sendInboxZip({ engines, actor: requireActor(request), transfers, request, reply }, request.params.inbox),
  });
};
