/** Where a request can fail: in the machine API, in /api/v1, or on a page that people see. */
export type ErrorSurface = 'api' | 'v1' | 'pages';

export interface ErrorDefinition {
  /** The HTTP status. */
  readonly status: number;
  /**
   * The surfaces whose responses can have the code. The script of a page gets the same responses as a program does, so
   * a code that only the script can get is not one of the pages.
   */
  readonly surfaces: readonly ErrorSurface[];
  /** Whether the same request may succeed later. */
  readonly retryable?: true;
  /**
   * The Retry-After of the response, unless the error itself knows a better one. Every code has it whose status asks the
   * caller to wait, 429 or 503, and every other response with the code has the header as well.
   */
  readonly retryAfterSeconds?: number;
  /** The reason and what to do next. */
  readonly message: string;
  /** Differences in /api/v1. */
  readonly v1?: Partial<Pick<ErrorDefinition, 'status' | 'message'>>;
}

const nameRule =
  '1 to 255 bytes of UTF-8 with something visible in it, without slashes, backslashes, control or direction characters, and not "." or "..".';

/**
 * Every way a request can fail. The list is closed: the server, the pages, the OpenAPI documents and the client take
 * what they say about a code from here.
 */
const definitions = {
  malformed_request: {
    status: 400,
    surfaces: ['api', 'v1', 'pages'],
    message: 'The request could not be understood. Compare it with the API reference.',
  },
  invalid_input: {
    status: 400,
    surfaces: ['api', 'v1', 'pages'],
    message:
      'A field of the request is missing, of the wrong type or out of bounds. Compare it with the API reference.',
  },
  invalid_name: {
    status: 400,
    surfaces: ['api', 'v1', 'pages'],
    message: `A file name is ${nameRule}`,
    v1: { message: `Choose a file name of ${nameRule}` },
  },
  unauthorized: {
    status: 401,
    surfaces: ['api', 'v1'],
    message: 'Send the account address and one of its live API keys with HTTP Basic authentication.',
    v1: { message: 'Send a valid API key of the account as `Authorization: Bearer <key>`.' },
  },
  scope_missing: {
    status: 403,
    surfaces: ['v1'],
    message: 'The key may not do this. Use a key with the scope that the operation needs.',
  },
  network_not_allowed: {
    status: 403,
    surfaces: ['api', 'v1'],
    message: 'The key may not be used from this address. Use it from one of its networks, or use another key.',
  },
  csrf_rejected: {
    status: 403,
    surfaces: ['api'],
    message:
      'The CSRF-Token header is missing, expired or not this account’s. Get the index page again and use its csrftoken.',
  },
  wrong_account: {
    status: 403,
    surfaces: ['api'],
    message: 'The account in the path is not the one you authenticated as.',
  },
  cross_site: {
    status: 403,
    surfaces: ['api', 'pages'],
    message:
      'Requests started by another site are not accepted. Send it from a program, or from a page of this server.',
  },
  sign_in_required: {
    status: 401,
    surfaces: ['pages'],
    message: 'Sign in first. A session ends after a while without use, and when it is signed out elsewhere.',
  },
  sign_in_failed: {
    status: 401,
    surfaces: ['pages'],
    message: 'This did not match. Check what you entered and try again.',
  },
  form_expired: {
    status: 403,
    surfaces: ['pages'],
    message: 'The form was not made for this session. Reload the page and try again.',
  },
  role_missing: {
    status: 403,
    surfaces: ['pages'],
    message: 'Your role in this account does not allow this. Ask one of its owners.',
  },
  code_required: {
    status: 403,
    surfaces: ['v1', 'pages'],
    message: 'Type in the code that was sent to you first.',
    v1: { message: 'A code was sent to the receiver. Send it first, with POST /api/v1/link/code.' },
  },
  passphrase_required: {
    status: 403,
    surfaces: ['v1', 'pages'],
    message: 'Enter the passphrase first. The sender tells you what it is.',
    v1: {
      message:
        'The link asks for a passphrase, which its sender knows. Send it first, with POST /api/v1/link/passphrase.',
    },
  },
  wrong_passphrase: {
    status: 403,
    surfaces: ['v1'],
    message:
      'This is not the passphrase. Ask the sender what it is, and try again: POST /api/v1/link/passphrase. Capital letters, spaces and hyphens make no difference.',
  },
  wrong_code: {
    status: 403,
    surfaces: ['v1'],
    message:
      'This is not the code. Read it in the newest mail or text message with a code, and try again: POST /api/v1/link/code.',
  },
  code_expired: {
    status: 403,
    surfaces: ['v1'],
    message: 'The code has expired, or was wrong too often. Send POST /api/v1/link/code/send to get another one.',
  },
  too_many_codes: {
    status: 429,
    retryAfterSeconds: 3600,
    surfaces: ['v1'],
    message: 'Too many codes were requested. Use the newest one, or try again in an hour.',
  },
  not_found: {
    status: 404,
    surfaces: ['api', 'v1', 'pages'],
    message: 'There is nothing here, or it is not yours.',
    v1: {
      message:
        'There is nothing here, or it is not yours. Check the path and the id, and use an API key of the account that has it.',
    },
  },
  link_not_opened: {
    status: 404,
    surfaces: ['pages'],
    message: 'This address works in the browser in which the link was opened. Open the link in the message.',
  },
  link_ended: {
    status: 410,
    surfaces: ['v1', 'pages'],
    message: 'The link has passed its deadline. Ask the sender for a new one.',
  },
  link_revoked: {
    status: 410,
    surfaces: ['v1', 'pages'],
    message: 'The link was revoked. Ask the sender for a new one.',
  },
  receipt_not_ready: {
    status: 503,
    surfaces: ['v1', 'pages'],
    retryable: true,
    retryAfterSeconds: 2,
    message: 'The newest event is not in the log yet, which takes about a second. Try again after Retry-After seconds.',
  },
  receipt_unavailable: {
    status: 410,
    surfaces: ['v1', 'pages'],
    message:
      'The events of this receipt were erased, because of their age or because a person asked for it. Use a copy of it that was made before.',
  },
  method_not_allowed: {
    status: 405,
    surfaces: ['api', 'v1', 'pages'],
    message: 'This path does not take that method; the Allow header lists those it takes.',
    v1: { message: 'This path does not take that method. Use one of those that the Allow header lists.' },
  },
  contact_exists: {
    status: 409,
    surfaces: ['api'],
    message:
      'An address in the list is already a contact or appears twice in it; nothing was changed. To keep known addresses, send Prefer: handling=lenient.',
  },
  unknown_contact: {
    status: 409,
    surfaces: ['api'],
    message: 'Every receiver must be a contact first: add the address with contacts_add.cgi.',
  },
  recipient_not_allowed: {
    status: 403,
    surfaces: ['api', 'v1'],
    message: 'The account may not send to this domain. Choose another address, or ask the administrator.',
  },
  no_receivers: {
    status: 409,
    surfaces: ['api'],
    message: 'No receivers are set. Set them with receivers_set.cgi and try again.',
  },
  no_files: {
    status: 409,
    surfaces: ['api', 'v1'],
    message: 'No files are uploaded. Upload at least one with upload.cgi and try again.',
    v1: { message: 'No files are uploaded. Upload at least one and try again.' },
  },
  file_list_not_initialized: {
    status: 409,
    surfaces: ['api'],
    message: 'Call get_files.cgi once before the dispatch and try again.',
  },
  too_many_files: {
    status: 409,
    surfaces: ['api', 'v1'],
    message: 'The draft holds as many files as it may. Dispatch it, or remove some.',
    v1: { message: 'There are as many files as there may be. Send them, or remove some.' },
  },
  files_not_ready: {
    status: 409,
    surfaces: ['v1'],
    message: 'Files are still on their way or being checked. Wait for them, or remove them, and try again.',
  },
  upload_superseded: {
    status: 409,
    surfaces: ['v1'],
    message: 'Another request goes on with this upload. Ask for its offset with HEAD, and continue it from there.',
  },
  upload_worn_out: {
    status: 410,
    surfaces: ['v1'],
    message: 'This upload was broken off too often. Remove it and start it again.',
  },
  idempotency_key_reused: {
    status: 409,
    surfaces: ['api', 'v1'],
    message: 'This Idempotency-Key was used with another request. Use a new one.',
    v1: { status: 422 },
  },
  request_in_flight: {
    status: 409,
    surfaces: ['v1'],
    retryable: true,
    retryAfterSeconds: 1,
    message:
      'A request with this Idempotency-Key is still being processed. Wait a moment and send the same request again.',
  },
  cursor_expired: {
    status: 410,
    surfaces: ['v1'],
    message:
      'Events after this cursor are not kept any more, so some may be missing. Read the state of what you follow, and start again without a cursor.',
  },
  precondition_failed: {
    status: 412,
    surfaces: ['api', 'v1'],
    message: 'The list has changed since you read it. Read it again, apply your change and retry.',
    v1: { message: 'It has changed since you read it. Read it again, and repeat the request with its new ETag.' },
  },
  too_large: {
    status: 413,
    surfaces: ['api', 'v1', 'pages'],
    message: 'The request is larger than this operation accepts. Send less at once.',
  },
  too_large_to_scan: {
    status: 413,
    surfaces: ['api', 'v1'],
    message:
      'The file is larger than the virus scanner takes, and this server requires a scan. Send it in smaller parts, or ask the administrator.',
  },
  too_many_keys: {
    status: 409,
    surfaces: ['v1'],
    message: 'The account has as many live keys as it may. Revoke one that is not used and try again.',
  },
  lease_not_held: {
    status: 409,
    surfaces: ['v1'],
    message:
      'The lease is not that of this entry, or no longer: it has ended, or the entry was given back. Claim the entry again.',
  },
  not_parked: {
    status: 409,
    surfaces: ['v1'],
    message: 'Only a parked entry can be released, and this one is not parked. Claim it instead, unless it is done.',
  },
  too_many_webhooks: {
    status: 409,
    surfaces: ['v1'],
    message: 'The account has as many webhooks as it may. Remove one that is not used and try again.',
  },
  storage_full: {
    status: 507,
    surfaces: ['api', 'v1'],
    message:
      'The account stores as much as it may. Remove uploaded files, revoke drops or wait until they end, or ask the administrator for more.',
  },
  unsupported_media_type: {
    status: 415,
    surfaces: ['api', 'v1', 'pages'],
    message: 'This operation does not take that Content-Type or Content-Encoding.',
    v1: {
      message:
        'Send the body as JSON, with `Content-Type: application/json` and without a Content-Encoding, unless the reference of the operation names another type.',
    },
  },
  range_not_satisfiable: {
    status: 416,
    surfaces: ['api', 'v1', 'pages'],
    message: 'The requested range lies outside the file.',
    v1: { message: 'The requested range lies outside the file. Choose one within the size that Content-Range gives.' },
  },
  wrong_host: {
    status: 421,
    surfaces: ['api', 'v1', 'pages'],
    message: 'This server does not serve that host name. Use its public address, which the administrator knows.',
  },
  infected: {
    status: 422,
    surfaces: ['api', 'v1'],
    message: 'The virus scanner refused the file; nothing was kept.',
    v1: {
      message: 'The virus scanner refused the file; nothing was kept. Remove the virus, or ask the administrator.',
    },
  },
  digest_mismatch: {
    status: 422,
    surfaces: ['v1'],
    message: 'The bytes that arrived do not have the digest that was declared. Send the file again.',
  },
  encrypted: {
    status: 422,
    surfaces: ['api', 'v1'],
    message:
      'The file is encrypted or protected by a password, so the virus scanner cannot look into it, and this server requires a scan. Send it without encryption, or ask the administrator.',
  },
  headers_too_large: {
    status: 431,
    surfaces: ['api', 'v1', 'pages'],
    message: 'The request has too many or too large headers. Send at most 100, of 16 KiB together.',
  },
  request_timeout: {
    status: 408,
    surfaces: ['api', 'v1', 'pages'],
    retryable: true,
    message: 'The request did not arrive in time. Send it again.',
  },
  too_many_requests: {
    status: 429,
    surfaces: ['api', 'v1', 'pages'],
    retryable: true,
    retryAfterSeconds: 60,
    message: 'Too many failed attempts from this address. Wait as long as Retry-After says.',
  },
  too_many_messages: {
    status: 429,
    surfaces: ['api', 'v1', 'pages'],
    retryable: true,
    retryAfterSeconds: 60,
    message:
      'This account, or one of the receivers, has had as many messages as an hour allows. Wait as long as Retry-After says.',
  },
  daily_limit: {
    status: 429,
    surfaces: ['api', 'v1'],
    retryable: true,
    retryAfterSeconds: 3600,
    message:
      'The account has sent as much today as it may. Wait as long as Retry-After says, or ask the administrator for more.',
  },
  too_many_transfers: {
    status: 429,
    surfaces: ['v1', 'pages'],
    retryable: true,
    retryAfterSeconds: 5,
    message: 'Too many downloads run through this link at once. Wait for one to finish and try again.',
  },
  unavailable: {
    status: 503,
    surfaces: ['api', 'v1', 'pages'],
    retryable: true,
    retryAfterSeconds: 5,
    message: 'A part of the service is out of reach for a moment. Try again after Retry-After seconds.',
  },
  damaged: {
    status: 500,
    surfaces: ['api', 'v1', 'pages'],
    message: 'The stored file failed its integrity check and was not sent. Tell the administrator.',
  },
  internal: {
    status: 500,
    surfaces: ['api', 'v1', 'pages'],
    message: 'Something went wrong on our side. Give the administrator the X-Request-Id of this response.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof definitions;

export type Errors = Readonly<Record<ErrorCode, ErrorDefinition>>;

export const errors: Errors = definitions;

export const errorCodes = Object.keys(definitions) as readonly ErrorCode[];

/** The body of every failed request. */
export interface ErrorBody {
  status: 'error';
  code: ErrorCode;
  message: string;
}
