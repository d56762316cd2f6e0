import { InboxFileParams, InboxParams } from '@waybill/protocol';
import { findInboxFile } from '../../domain/inbox/find-inbox-file.ts';
import { replyWithInboxFile, replyWithInboxZip } from '../../http/transfer/reply-with-inbox.ts';
import { fileBytes, zipBytes } from '../shared/openapi.ts';
import { type Route, route } from './route.ts';

/** docs/api.md#11-download-a-file: the files of an inbox entry are below it, in `files`. */
const fileRoutes = (['GET', 'HEAD'] as const).map((method) =>
  route({
    method,
    path: '/:inbox/files/:name',
    id: method === 'GET' ? 'download' : 'describeDownload',
    summary: method === 'GET' ? 'Download a file' : 'Get the headers of a download',
    authentication: 'account+csrf',
    transfer: true,
    params: InboxFileParams,
    curl: method === 'GET' ? ['-C -', '-o "$NAME"'] : ['-I'],
    response: { status: 200, description: 'The file.', bytes: fileBytes },
    errors: ['not_found', 'range_not_satisfiable', 'damaged', 'invalid_name'],
    async handle(call) {
      const { inbox, name } = call.params;
      return replyWithInboxFile(call, await findInboxFile(call.engines, call.actor, inbox, name));
    },
  }),
);

/** Our extension: all files at once, with their folders. */
const zipRoutes = (['GET', 'HEAD'] as const).map((method) =>
  route({
    method,
    path: '/:inbox/all.zip',
    id: method === 'GET' ? 'downloadAll' : 'describeDownloadAll',
    summary: method === 'GET' ? 'Download all files of an entry as a ZIP' : 'Get the headers of a ZIP',
    authentication: 'account+csrf',
    transfer: true,
    params: InboxParams,
    curl: method === 'GET' ? ['-C -', '-o all.zip'] : ['-I'],
    response: { status: 200, description: 'The files, in their folders.', bytes: zipBytes },
    errors: ['not_found', 'range_not_satisfiable', 'damaged'],
    handle: async (call) => replyWithInboxZip(call, call.params.inbox),
  }),
);

export const downloadRoutes: readonly Route[] = [...fileRoutes, ...zipRoutes];
