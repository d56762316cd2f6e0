import { LinkDrop, LinkFileParams } from '@waybill/protocol/v1';
import type { Static } from 'typebox';
import { listDroppedFiles } from '../../../domain/links/find-link.ts';
import { recordMessage } from '../../../domain/links/record-delivery.ts';
import { replyWithLinkFile, replyWithLinkZip } from '../../../http/transfer/reply-with-link-files.ts';
import { fileBytes, zipBytes } from '../../shared/openapi.ts';
import { type LinkRoute, linkRoute } from '../route.ts';
import { describeLink, endings } from './link-shapes.ts';

const download = { access: 'link-program', linkType: 'downloadfiles' } as const;

const getDrop = linkRoute({
  method: 'GET',
  path: '/link/drop',
  id: 'getLinkDrop',
  summary: 'Get what was sent: the message and the files',
  ...download,
  response: { status: 200, description: 'The message and the files.', schema: LinkDrop },
  errors: endings,
  async handle({ engines, link }) {
    const files = await listDroppedFiles(engines, link);
    await recordMessage(engines, link, files);
    return {
      body: {
        ...describeLink(link),
        completed_at: link.completedAt,
        files: files.map(({ id, name, path, sizeBytes, sha256, scan, unscannedReason, complete }) => ({
          id,
          name,
          path,
          size: sizeBytes,
          sha256: sha256.toString('hex'),
          scan,
          unscanned_reason: unscannedReason,
          delivered: complete,
        })),
      },
    };
  },
});

const downloadErrors = ['not_found', 'range_not_satisfiable', 'too_many_transfers', 'damaged', ...endings] as const;

const fileRoutes = (['GET', 'HEAD'] as const).map(
  (method): LinkRoute => ({
    method,
    path: '/link/files/:file',
    id: method === 'GET' ? 'downloadLinkFile' : 'describeLinkFile',
    summary: method === 'GET' ? 'Download a file, or a range of it' : 'Get the headers of a download',
    ...download,
    params: LinkFileParams,
    response: { status: 200, description: 'The file.', bytes: fileBytes },
    errors: downloadErrors,
    stream: {
      curl: method === 'GET' ? ['-C -', '-o "$NAME"'] : ['-I'],
      serve: (call) => replyWithLinkFile(call, (call.request.params as Static<typeof LinkFileParams>).file),
    },
  }),
);

const zipRoutes = (['GET', 'HEAD'] as const).map(
  (method): LinkRoute => ({
    method,
    path: '/link/all.zip',
    id: method === 'GET' ? 'downloadLinkZip' : 'describeLinkZip',
    summary: method === 'GET' ? 'Download all files as a ZIP, or a range of it' : 'Get the headers of a ZIP',
    ...download,
    response: { status: 200, description: 'The files, in their folders.', bytes: zipBytes },
    errors: downloadErrors,
    stream: { curl: method === 'GET' ? ['-C -', '-o all.zip'] : ['-I'], serve: replyWithLinkZip },
  }),
);

export const linkDownloadRoutes: readonly LinkRoute[] = [getDrop, ...fileRoutes, ...zipRoutes];
