import { type Static, Type } from 'typebox';
import { findReadableDrop } from '../../../domain/drops/find-sent-drops.ts';
import { replyWithOwnFile, replyWithOwnZip } from '../../../http/transfer/reply-with-own-files.ts';
import { fileBytes, zipBytes } from '../../shared/openapi.ts';
import type { KeyRoute } from '../route.ts';

const DropParams = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The `id` of a drop.' }),
});
const DropFileParams = Type.Object({
  ...DropParams.properties,
  file_id: Type.String({ format: 'uuid', description: 'The `id` of one of its files.' }),
});
const errors = ['not_found', 'range_not_satisfiable', 'link_ended', 'link_revoked', 'damaged'] as const;

/** The sender downloads what it sent, while it exists. Contents need the right to send, and not only that to read the history. */
export const ownFileRoutes = (['GET', 'HEAD'] as const).flatMap((method): KeyRoute[] => [
  {
    method,
    path: '/drops/:id/files/:file_id',
    id: method === 'GET' ? 'downloadDropFile' : 'describeDropFile',
    summary:
      method === 'GET' ? 'Download a file that the account sent, or a range of it' : 'Get the headers of a download',
    scope: 'send',
    params: DropFileParams,
    response: { status: 200, description: 'The file.', bytes: fileBytes },
    errors,
    stream: {
      curl: method === 'GET' ? ['-C -', '-o "$NAME"'] : ['-I'],
      async serve({ caller: actor, ...call }) {
        const { id, file_id: file } = call.request.params as Static<typeof DropFileParams>;
        await findReadableDrop(call.engines, actor, { type: 'downloadfiles', dropId: id });
        return replyWithOwnFile({ ...call, actor }, id, file);
      },
    },
  },
  {
    method,
    path: '/drops/:id/all.zip',
    id: method === 'GET' ? 'downloadDropZip' : 'describeDropZip',
    summary:
      method === 'GET'
        ? 'Download all files of a drop that the account sent as a ZIP, or a range of it'
        : 'Get the headers of a ZIP',
    scope: 'send',
    params: DropParams,
    response: { status: 200, description: 'The files, in their folders.', bytes: zipBytes },
    errors,
    stream: {
      curl: method === 'GET' ? ['-C -', '-o all.zip'] : ['-I'],
      async serve({ caller: actor, ...call }) {
        const { id } = call.request.params as Static<typeof DropParams>;
        const drop = await findReadableDrop(call.engines, actor, { type: 'downloadfiles', dropId: id });
        return replyWithOwnZip({ ...call, actor }, drop);
      },
    },
  },
]);
