import { limits } from '@waybill/protocol';
import {
  ListUploadsQuery,
  NewUploadHeaders,
  Upload,
  UploadHeadHeaders,
  UploadPage,
  UploadPartHeaders,
} from '@waybill/protocol/v1';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { listUploads, removeUpload, uploadOwner } from '../../../domain/uploads/account-upload.ts';
import type { AccountUpload } from '../../../domain/uploads/upload-store.ts';
import { handleAccountTus } from '../../../http/transfer/account-uploads.ts';
import { tusType } from '../../../http/transfer/tus.ts';
import { parsePageQuery } from '../cursor.ts';
import { type KeyRoute, route, type StreamCall } from '../route.ts';
import {
  offsetHeaders,
  offsetResponse,
  optionsResponse,
  protocolErrors,
  toUpload,
  tusHeaders,
} from './upload-shapes.ts';
import { findUpload, receiveWhole } from './whole-upload.ts';

const uploadsPath = '/api/v1/uploads';
const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'The `id` of an upload.' }) });
const refusals = ['infected', 'encrypted', 'too_large_to_scan', 'digest_mismatch'] as const;

const createUpload: KeyRoute = {
  method: 'POST',
  path: '/uploads',
  id: 'createUpload',
  summary: 'Upload a small file whole, or begin an upload in parts by the tus protocol',
  scope: 'send',
  response: {
    status: 201,
    description: 'Where the upload is. If the file was sent whole, the upload, which is ready.',
    schema: Upload,
    headers: {
      ...offsetHeaders,
      Location: 'The address of the upload.',
      'Upload-Expires': 'Until when it can be continued, unless a request continues it before.',
    },
  },
  errors: ['invalid_name', 'storage_full', ...refusals, ...protocolErrors],
  stream: {
    mediaTypes: [tusType],
    anyTypeBytes: limits.wholeUploadBytes,
    headers: NewUploadHeaders,
    curl: [`-H 'Content-Disposition: attachment; filename="report.pdf"'`, '--data-binary @report.pdf'],
    serve: (call) => (isTus(call.request) ? serveTus(call) : serveWhole(call)),
  },
};

const getUploadOptions: KeyRoute = {
  method: 'OPTIONS',
  path: '/uploads',
  id: 'getUploadOptions',
  summary: 'Get the version and the extensions of the tus protocol, and how large a file may be',
  scope: 'send',
  response: optionsResponse,
  errors: [],
  stream: { curl: ['-i', '-X OPTIONS'], serve: serveTus },
};

const getUploadOffset: KeyRoute = {
  method: 'HEAD',
  path: '/uploads/:id',
  id: 'getUploadOffset',
  summary: 'Find where to continue an upload. From then on, no earlier request can add to it',
  scope: 'send',
  params,
  response: offsetResponse,
  errors: protocolErrors,
  stream: { headers: UploadHeadHeaders, curl: ['-I', '-H "Tus-Resumable: 1.0.0"'], serve: serveTus },
};

const continueUpload: KeyRoute = {
  method: 'PATCH',
  path: '/uploads/:id',
  id: 'continueUpload',
  summary: 'Continue an upload: the body is the next part of the file, 8 MiB or more, or all that is left',
  scope: 'send',
  params,
  response: {
    status: 204,
    description: 'The part is stored. After the last part, the file is checked.',
    headers: { ...offsetHeaders, 'Upload-Expires': 'Until when it can be continued.' },
  },
  errors: ['storage_full', 'upload_worn_out', 'digest_mismatch', ...protocolErrors],
  stream: {
    mediaTypes: [tusType],
    headers: UploadPartHeaders,
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

const listUploadsRoute = route({
  method: 'GET',
  path: '/uploads',
  id: 'listUploads',
  summary: 'List the uploads that were not sent yet, newest first',
  scope: 'send',
  query: ListUploadsQuery,
  response: { status: 200, description: 'A page of uploads.', schema: UploadPage },
  errors: [],
  async handle({ engines, caller, query }) {
    const page = parsePageQuery<Pick<AccountUpload, 'id'>>(engines, caller, 'uploads', query, ({ id }) => ({ id }));
    const uploads = await listUploads(engines, caller.accountId, query.state, page.after?.id, page.count);
    return { body: page.response(uploads as readonly AccountUpload[], (upload) => toUpload(upload, engines.policy)) };
  },
});

const getUpload = route({
  method: 'GET',
  path: '/uploads/:id',
  id: 'getUpload',
  summary: 'Get an upload that was not sent yet',
  scope: 'send',
  params,
  response: { status: 200, description: 'The upload.', schema: Upload },
  errors: ['not_found'],
  handle: async ({ engines, caller, params: { id } }) => ({
    body: toUpload(await findUpload(engines, caller, id), engines.policy),
  }),
});

const deleteUpload = route({
  method: 'DELETE',
  path: '/uploads/:id',
  id: 'deleteUpload',
  summary: 'Delete an upload that was not sent yet',
  scope: 'send',
  params,
  response: { status: 204, description: 'It is deleted.', headers: tusHeaders },
  errors: ['not_found'],
  async handle({ engines, caller, params: { id } }) {
    await removeUpload(engines, uploadOwner(caller, id), id);
    return { headers: { 'tus-resumable': '1.0.0' } };
  },
});

export const uploadRoutes: readonly KeyRoute[] = [
  createUpload,
  getUploadOptions,
  getUploadOffset,
  continueUpload,
  listUploadsRoute,
  getUpload,
  deleteUpload,
];

/**
 * Only this function and the table decide which protocol a request follows. The IETF's resumable uploads, recognised by
 * `Upload-Complete`, would be another store like `AccountUploads` over the same uploads.
 */
function isTus({ headers }: FastifyRequest): boolean {
  return headers['tus-resumable'] !== undefined || headers['content-type'] === tusType;
}

function serveTus({ engines, caller, request, reply, revoked }: StreamCall): Promise<FastifyReply> {
  return handleAccountTus(engines, caller, uploadsPath, request, reply, revoked);
}

async function serveWhole({ engines, caller, request, reply, revoked }: StreamCall): Promise<FastifyReply> {
  const { status, headers, body } = await receiveWhole(engines, caller, { request, revoked }, (upload) => ({
    status: 201,
    headers: { location: `${uploadsPath}/${upload.id}` },
    body: JSON.stringify(toUpload(upload, engines.policy)),
  }));
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
}
