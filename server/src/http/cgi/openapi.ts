import {
  ContactList,
  ContactsAddRequest,
  DispatchParameters,
  type ErrorCode,
  errorMessages,
  History,
  limits,
  ReceiversSetRequest,
  Status,
  UploadedFiles,
} from '@waybill/protocol';
import { statusOf } from '../json-errors.ts';
import type { Endpoint } from './endpoint.ts';

/** The machine API as an OpenAPI 3.1 document, for whoever makes clients from one. It holds nothing of any account. */
export const openapi: Endpoint = (app) => {
  const text = JSON.stringify(openapiDocument());
  app.get('/openapi.json', { config: { authentication: 'nobody' } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text),
  );
};

interface Operation {
  method: 'get' | 'head' | 'post';
  /** Below the account's own path. */
  path: string;
  id: string;
  summary: string;
  parameters?: object[];
  body?: object;
  success: Record<string, object>;
  /** What it adds to the refusals of the door. */
  errors: ErrorCode[];
  /** The index page, which yields the token, needs none. */
  withoutToken?: boolean;
}

/** What can be refused before an operation begins. */
const door: ErrorCode[] = [
  'malformed_request',
  'unauthorized',
  'wrong_account',
  'cross_site',
  'request_timeout',
  'unsupported_media_type',
  'wrong_host',
  'too_many_requests',
  'headers_too_large',
  'internal',
  'unavailable',
];

const header = (name: string, about: string, schema: object) => ({
  name,
  in: 'header',
  description: about,
  schema: { type: 'string', ...schema },
});
const draft = header('Waybill-Draft', 'The draft this is about; without it, the account’s own.', {
  pattern: '^[A-Za-z0-9_-]{1,64}$',
});
const idempotencyKey = header(
  'Idempotency-Key',
  'Decides alone whether a dispatch is a repetition; known for 7 days.',
  {
    minLength: 1,
    maxLength: limits.idempotencyKeyLength,
  },
);
const json = (schema: object) => ({ 'application/json': { schema } });
const answered = (description: string, schema: object, headers: object = {}) => ({
  '200': { description, headers: { ...commonHeaders, ...headers }, content: json(schema) },
});
const text = (description: string) => ({ description, schema: { type: 'string' } });
const commonHeaders = { 'X-Request-Id': text('What to quote to the administrator.') };
const version = { ETag: text('The version of both lists, for If-Match.') };
const dispatchErrors: ErrorCode[] = [
  'invalid_input',
  'idempotency_key_reused',
  'no_receivers',
  'too_large',
  'too_many_messages',
];

const fileHeaders = {
  ...commonHeaders,
  ETag: text('The SHA-256 of the whole file.'),
  'Repr-Digest': text('The SHA-256 of the whole file, as RFC 9530 writes it.'),
  'Accept-Ranges': text('bytes'),
};
const binary = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };
const fileBytes = { 'application/octet-stream': { schema: binary } };
const fileParameters = [
  {
    name: 'inbox',
    in: 'path',
    required: true,
    description: 'The `url` of an inbox entry.',
    schema: { type: 'string' },
  },
  {
    name: 'name',
    in: 'path',
    required: true,
    description: 'The `name` of one of its files.',
    schema: { type: 'string' },
  },
  header('Range', 'One range of bytes.', {}),
  header('If-Range', 'The ETag of the file whose range is wanted.', {}),
];
const downloadErrors: ErrorCode[] = ['invalid_name', 'not_found', 'range_not_satisfiable', 'damaged'];

/** The operations in the order of the spec's table. */
const operations: Operation[] = [
  {
    method: 'get',
    path: '',
    id: 'getIndexPage',
    summary: 'Get a CSRF token: the value of the hidden input `csrftoken`',
    success: {
      '200': {
        description: 'The page.',
        headers: commonHeaders,
        content: { 'text/html': { schema: { type: 'string' } } },
      },
    },
    errors: [],
    withoutToken: true,
  },
  {
    method: 'get',
    path: 'cgi/contacts_read.cgi',
    id: 'readContacts',
    summary: 'Get contacts',
    success: answered('Both lists.', ContactList, version),
    errors: [],
  },
  {
    method: 'post',
    path: 'cgi/contacts_add.cgi',
    id: 'addContacts',
    summary: 'Replace the account’s contacts',
    parameters: [
      header('If-Match', 'Only if the lists have this version.', {}),
      header('Prefer', '`handling=lenient` keeps or updates known addresses instead of failing.', {}),
    ],
    body: json(ContactsAddRequest),
    success: answered('The list is replaced.', Status, version),
    errors: ['invalid_input', 'contact_exists', 'precondition_failed', 'too_large'],
  },
  {
    method: 'post',
    path: 'cgi/receivers_set.cgi',
    id: 'setReceivers',
    summary: 'Replace the draft’s receivers',
    parameters: [draft],
    body: json(ReceiversSetRequest),
    success: answered('They are set.', Status),
    errors: ['invalid_input', 'unknown_contact', 'too_large'],
  },
  {
    method: 'get',
    path: 'cgi/get_files.cgi',
    id: 'getFiles',
    summary: 'Open the draft’s file list and get what is staged',
    parameters: [draft, header('Prefer', '`file-digests` adds `bytes` and `sha256` to each file.', {})],
    success: answered('The staged files.', UploadedFiles, {
      'Preference-Applied': text('`file-digests` where it was asked for.'),
    }),
    errors: [],
  },
  {
    method: 'get',
    path: 'cgi/remove_file.cgi',
    id: 'removeFile',
    summary: 'Delete a staged file',
    parameters: [draft, { name: 'filename', in: 'query', required: true, schema: { type: 'string', maxLength: 1024 } }],
    success: answered('It is deleted.', Status),
    errors: ['invalid_input', 'invalid_name', 'not_found'],
  },
  {
    method: 'post',
    path: 'cgi/upload.cgi',
    id: 'upload',
    summary: 'Upload files, all or none',
    parameters: [draft],
    body: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['do', 'file'],
          properties: {
            do: { const: 'upload' },
            file: { type: 'array', minItems: 1, maxItems: limits.filesPerUpload, items: binary },
          },
        },
      },
    },
    success: answered('They are stored and scanned.', Status),
    errors: ['invalid_name', 'too_many_files', 'too_large', 'too_large_to_scan', 'infected', 'encrypted'],
  },
  {
    method: 'post',
    path: 'cgi/createdrop.cgi',
    id: 'createDrop',
    summary: 'Dispatch the draft',
    parameters: [draft, idempotencyKey],
    body: json(DispatchParameters),
    success: answered('It is dispatched, or was before.', Status),
    errors: [...dispatchErrors, 'file_list_not_initialized', 'no_files'],
  },
  {
    method: 'post',
    path: 'cgi/givedrop.cgi',
    id: 'giveDrop',
    summary: 'Allow the receivers to send files back',
    parameters: [draft, idempotencyKey],
    body: json(DispatchParameters),
    success: answered('They are allowed to.', Status),
    errors: dispatchErrors,
  },
  {
    method: 'get',
    path: 'cgi/get_history.cgi',
    id: 'getHistory',
    summary: 'Get the account’s drops and its inbox',
    success: answered('Both, newest first.', History),
    errors: [],
  },
  ...(['get', 'head'] as const).map((method) => ({
    method,
    path: '{inbox}/files/{name}',
    id: method === 'get' ? 'download' : 'describeDownload',
    summary: method === 'get' ? 'Download a file' : 'Get the headers of a download',
    parameters: fileParameters,
    success: {
      '200': { description: 'The file.', headers: fileHeaders, ...(method === 'get' ? { content: fileBytes } : {}) },
      '206': {
        description: 'The range that was asked for.',
        headers: { ...fileHeaders, 'Content-Range': text('Which bytes these are.') },
        ...(method === 'get' ? { content: fileBytes } : {}),
      },
    },
    errors: downloadErrors,
  })),
];

export function openapiDocument() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = `/{user}/${operation.path}`;
    paths[path] ??= { parameters: [user] };
    paths[path][operation.method] = described(operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waybill: the machine API',
      version: '0.1.0',
      description: 'Send files to receivers, and fetch what was sent to this account.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        account: { type: 'http', scheme: 'basic', description: 'The account’s address and one of its API keys.' },
        token: { type: 'apiKey', in: 'header', name: 'CSRF-Token', description: 'The token from the index page.' },
      },
    },
  };
}

const user = {
  name: 'user',
  in: 'path',
  required: true,
  description: 'The account’s address, in lower case.',
  schema: { type: 'string' },
};

function described({ id, summary, parameters = [], body, success, errors, withoutToken, method }: Operation) {
  const refusals = [...door, ...(withoutToken ? [] : (['csrf_rejected'] as const)), ...errors];
  return {
    operationId: id,
    summary,
    security: [withoutToken ? { account: [] } : { account: [], token: [] }],
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: { ...success, ...failures(refusals, method === 'head') },
  };
}

/** By status, with exactly the codes it can carry here. */
function failures(codes: ErrorCode[], withoutBody: boolean): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => String(statusOf[code]));
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [
      status,
      {
        description: those.map((code) => errorMessages[code]).join(' '),
        headers: {
          ...commonHeaders,
          ...(status === '503' || status === '429' ? { 'Retry-After': text('How many seconds to wait.') } : {}),
        },
        ...(withoutBody ? {} : { content: json(failure(those)) }),
      },
    ]),
  );
}

function failure(codes: ErrorCode[]): object {
  return {
    type: 'object',
    required: ['status', 'code', 'message'],
    additionalProperties: false,
    properties: { status: { const: 'error' }, code: { enum: codes }, message: { type: 'string' } },
  };
}
