import { limits } from '@waybill/protocol';
import {
  LinkRequest,
  LinkUploads,
  NewUploadHeaders,
  SendThroughLinkInput,
  SentThroughLink,
  Upload,
  UploadHeadHeaders,
  UploadPartHeaders,
} from '@waybill/protocol/v1';
import { type Static, Type } from 'typebox';
import { listSendings } from '../../../domain/drops/find-sent-drops.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { requireUnused } from '../../../domain/links/find-link.ts';
import type { Link } from '../../../domain/links/link-store.ts';
import { findLinkFileSizeLimit } from '../../../domain/requests/announce-file.ts';
import { findWantedThrough } from '../../../domain/requests/find-wanted.ts';
import { sendFiles } from '../../../domain/requests/send-files.ts';
import { removeUpload } from '../../../domain/uploads/account-upload.ts';
import { contactDraftOwner, findDraftUploads, listDraftFiles } from '../../../domain/uploads/contact-draft.ts';
import { handleContactTus } from '../../../http/transfer/contact-uploads.ts';
import { tusType } from '../../../http/transfer/tus.ts';
import { type CallEngines, type LinkRoute, type LinkStreamCall, linkRoute } from '../route.ts';
import { v1Prefix } from '../route-options.ts';
import { offsetHeaders, offsetResponse, optionsResponse, protocolErrors, toUpload } from '../uploads/upload-shapes.ts';
import { describeLink, endings } from './link-shapes.ts';

const uploadsPath = `${v1Prefix}/link/uploads`;
const upload = { access: 'link-program', linkType: 'uploadfiles' } as const;

const getRequest = linkRoute({
  method: 'GET',
  path: '/link/request',
  id: 'getLinkRequest',
  summary: 'Get what files are asked for, and what was sent last',
  ...upload,
  response: { status: 200, description: 'The request.', schema: LinkRequest },
  errors: endings,
  async handle({ engines, link }) {
    const [{ bytes: maxBytes }, lastSent, wanted] = await Promise.all([
      findLinkFileSizeLimit(engines, link),
      findLastSent(engines, link),
      findWantedThrough(engines, link),
    ]);
    return {
      body: {
        ...describeLink(link),
        wanted_files: wanted,
        reusable: link.reusable,
        used: link.usedUp,
        max_files: limits.filesPerDraft,
        max_file_size: maxBytes,
        last_sent: lastSent ?? null,
      },
    };
  },
});

const listUploads = linkRoute({
  method: 'GET',
  path: '/link/uploads',
  id: 'listLinkUploads',
  summary: 'List the files that were uploaded through the link and not sent yet',
  ...upload,
  response: { status: 200, description: 'The files.', schema: LinkUploads },
  errors: endings,
  async handle({ engines, link }) {
    const ids = (await listDraftFiles(engines, link)).map(({ id }) => id);
    const found = new Map((await findDraftUploads(engines, link, ids)).map((one) => [one.id, one]));
    return { body: { data: ids.flatMap((id) => found.get(id) ?? []).map((one) => toUpload(one, engines.policy)) } };
  },
});

const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'The `id` of an upload.' }) });

const createUpload: LinkRoute = {
  method: 'POST',
  path: '/link/uploads',
  id: 'createLinkUpload',
  summary: 'Begin an upload by the tus protocol. A file of the same path, of which no bytes arrived, is replaced',
  ...upload,
  response: {
    status: 201,
    description: 'Where the upload is.',
    headers: { ...offsetHeaders, Location: 'The address of the upload.' },
  },
  errors: [
    'invalid_name',
    'storage_full',
    'too_many_files',
    'too_large_to_scan',
    'upload_worn_out',
    ...protocolErrors,
    ...endings,
  ],
  stream: {
    mediaTypes: [tusType],
    headers: Type.Object({
      'Tus-Resumable': UploadPartHeaders.properties['Tus-Resumable'],
      'Upload-Length': NewUploadHeaders.properties['Upload-Length'],
      'Upload-Metadata': NewUploadHeaders.properties['Upload-Metadata'],
    }),
    curl: [
      '-X POST',
      '-H "Tus-Resumable: 1.0.0"',
      '-H "Upload-Length: 1048576"',
      '-H "Upload-Metadata: filename YS50eHQ="',
    ],
    serve: serveTus,
  },
};

const getUploadOptions: LinkRoute = {
  method: 'OPTIONS',
  path: '/link/uploads',
  id: 'getLinkUploadOptions',
  summary: 'Get the version and the extensions of the tus protocol',
  ...upload,
  response: optionsResponse,
  errors: endings,
  stream: { curl: ['-i', '-X OPTIONS'], serve: serveTus },
};

const getUploadOffset: LinkRoute = {
  method: 'HEAD',
  path: '/link/uploads/:id',
  id: 'getLinkUploadOffset',
  summary: 'Find where to continue an upload. From then on, no earlier request can add to it',
  ...upload,
  params,
  response: offsetResponse,
  errors: [...protocolErrors, ...endings],
  stream: { headers: UploadHeadHeaders, curl: ['-I', '-H "Tus-Resumable: 1.0.0"'], serve: serveTus },
};

const continueUpload: LinkRoute = {
  method: 'PATCH',
  path: '/link/uploads/:id',
  id: 'continueLinkUpload',
  summary: 'Continue an upload: the body is the next part of the file, 8 MiB or more, or all that is left',
  ...upload,
  params,
  response: {
    status: 204,
    description: 'The part is stored. After the last part, the file is checked.',
    headers: offsetHeaders,
  },
  errors: ['storage_full', 'upload_worn_out', ...protocolErrors, ...endings],
  stream: {
    mediaTypes: [tusType],
    headers: Type.Object({
      'Tus-Resumable': UploadPartHeaders.properties['Tus-Resumable'],
      'Upload-Offset': UploadPartHeaders.properties['Upload-Offset'],
    }),
    curl: [
      '-X PATCH',
      '-H "Tus-Resumable: 1.0.0"',
      '-H "Upload-Offset: 0"',
      `-H "Content-Type: ${tusType}"`,
      '--data-binary @report.pdf',
    ],
    serve: serveTus,
  },
};

const getUpload: LinkRoute = {
  ...linkRoute({
    method: 'GET',
    path: '/link/uploads/:id',
    id: 'getLinkUpload',
    summary: 'Get a file that was uploaded through the link and not sent yet',
    ...upload,
    response: { status: 200, description: 'The file.', schema: Upload },
    errors: ['not_found', ...endings],
    async handle({ engines, link, request }) {
      const [found] = await findDraftUploads(engines, link, [(request.params as Static<typeof params>).id]);
      if (!found) throw new ExchangeError('not_found');
      return { body: toUpload(found, engines.policy) };
    },
  }),
  params,
};

const deleteUpload: LinkRoute = {
  ...linkRoute({
    method: 'DELETE',
    path: '/link/uploads/:id',
    id: 'deleteLinkUpload',
    summary: 'Delete a file that was uploaded through the link and not sent yet',
    ...upload,
    response: { status: 204, description: 'It is deleted.' },
    errors: ['not_found', ...endings],
    async handle({ engines, link, request }) {
      const owner = contactDraftOwner(link, request.peer);
      await removeUpload(engines, owner, (request.params as Static<typeof params>).id);
      return {};
    },
  }),
  params,
};

const sendThroughLink = linkRoute({
  method: 'POST',
  path: '/link/send',
  id: 'sendThroughLink',
  summary: 'Send the uploaded files to the account. A repetition with the same message sends nothing more',
  ...upload,
  body: SendThroughLinkInput,
  response: {
    status: 200,
    description: 'What was sent, now or by the request that this one repeats.',
    schema: SentThroughLink,
  },
  errors: ['no_files', 'files_not_ready', 'too_many_messages', ...endings],
  async handle({ engines, link, body: { message = '', wanted_files: wanted = [] }, request }) {
    const places = new Map(wanted.map(({ id, wanted_file: place }) => [id, place]));
    await sendFiles(engines, link, message, request.peer, places);
    const sent = await findLastSent(engines, link);
    if (!sent) throw new ExchangeError('no_files');
    return { body: sent };
  },
});

export const linkUploadRoutes: readonly LinkRoute[] = [
  getRequest,
  createUpload,
  getUploadOptions,
  listUploads,
  getUploadOffset,
  continueUpload,
  getUpload,
  deleteUpload,
  sendThroughLink,
];

async function serveTus({ engines, link, request, reply, transfers }: LinkStreamCall) {
  if (request.method === 'POST') requireUnused(link);
  return handleContactTus(engines, { link, transfers, request, reply, path: uploadsPath });
}

async function findLastSent(engines: CallEngines, link: Link) {
  const [last] = await listSendings(engines, link, { sendings: 1, files: limits.filesPerDraft });
  if (!last) return undefined;
  const files = last.files.map(({ name: path, sizeBytes: size, sha256 }) => ({ path, size, sha256 }));
  return { sent_at: last.sentAt, files };
}
