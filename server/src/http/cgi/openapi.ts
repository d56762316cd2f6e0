import {
  ContactList,
  ContactsAddRequest,
  DispatchParameters,
  type ErrorCode,
  errors,
  History,
  limits,
  ReceiversSetRequest,
  Status,
  UploadedFiles,
} from '@waybill/protocol';
import {
  binary,
  commonHeaders,
  failures,
  fileBytes,
  frame,
  header,
  ifRangeHeader,
  inRanges,
  rangeHeader,
  text,
  zipBytes,
} from '../shared/openapi.ts';
import type { Endpoint } from './endpoint.ts';

/** The machine API as an OpenAPI 3.1 document, for generating clients. It contains no account's data. */
export const openapi: Endpoint = (app) => {
  const document = JSON.stringify(openapiDocument());
  app.get('/openapi.json', { config: { authentication: 'nobody' } }, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document),
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
  /** The errors it adds to those of `door`. */
  errors: ErrorCode[];
  /** The index page, which provides the token, needs none. */
  withoutToken?: boolean;
}

/** The errors that are possible before an operation begins. */
const door: ErrorCode[] = [
  'malformed_request',
  'unauthorized',
  'network_not_allowed',
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
const version = { ETag: text('The version of both lists, for If-Match.') };
const dispatchErrors: ErrorCode[] = [
  'invalid_input',
  'idempotency_key_reused',
  'no_receivers',
  'recipient_not_allowed',
  'too_large',
  'too_many_messages',
  'daily_limit',
];

const rangeParameters = [
  {
    name: 'inbox',
    in: 'path',
    required: true,
    description: 'The `url` of an inbox entry.',
    schema: { type: 'string' },
  },
  rangeHeader,
  ifRangeHeader,
];
const fileParameters = [
  ...rangeParameters,
  {
    name: 'name',
    in: 'path',
    required: true,
    description: 'The `name` of one of its files.',
    schema: { type: 'string' },
  },
];
const zipErrors: ErrorCode[] = ['not_found', 'range_not_satisfiable', 'damaged'];
const downloadErrors: ErrorCode[] = [...zipErrors, 'invalid_name'];

/** The operations in the order of docs/api.md#operations. */
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
    errors: ['invalid_input', 'unknown_contact', 'recipient_not_allowed', 'too_large'],
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
            file: {
              type: 'array',
              minItems: 1,
              maxItems: limits.filesPerUpload,
              items: binary('application/octet-stream'),
            },
          },
        },
      },
    },
    success: answered('They are stored and scanned.', Status),
    errors: [
      'invalid_name',
      'too_many_files',
      'too_large',
      'too_large_to_scan',
      'storage_full',
      'infected',
      'encrypted',
    ],
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
    success: inRanges('The file.', fileBytes, method),
    errors: downloadErrors,
  })),
  ...(['get', 'head'] as const).map((method) => ({
    method,
    path: '{inbox}/all.zip',
    id: method === 'get' ? 'downloadAll' : 'describeDownloadAll',
    summary: method === 'get' ? 'Download all files of an entry as a ZIP' : 'Get the headers of a ZIP',
    parameters: rangeParameters,
    success: inRanges('The files, in their folders.', zipBytes, method),
    errors: zipErrors,
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
    ...frame({
      title: 'Waybill: the machine API',
      version: '0.1.0',
      description: 'Send files to receivers, and fetch what was sent to this account.',
    }),
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

function described({ id, summary, parameters = [], body, success, errors: own, withoutToken, method }: Operation) {
  const refusals = [...door, ...(withoutToken ? [] : (['csrf_rejected'] as const)), ...own];
  return {
    operationId: id,
    summary,
    security: [withoutToken ? { account: [] } : { account: [], token: [] }],
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: {
      ...success,
      ...failures(refusals, errors, method === 'head' ? () => ({}) : withBody),
    },
  };
}

const withBody = (codes: ErrorCode[]) => ({ content: json(failure(codes)) });

function failure(codes: ErrorCode[]): object {
  return {
    type: 'object',
    required: ['status', 'code', 'message'],
    additionalProperties: false,
    properties: { status: { const: 'error' }, code: { enum: codes }, message: { type: 'string' } },
  };
}
