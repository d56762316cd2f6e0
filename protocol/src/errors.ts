/**
 * Every way a request can fail, and what the caller should do next.
 *
 * The list is closed: each surface maps every code to its own response in an exhaustive table, so a new code does not
 * compile until every surface has decided what it means there.
 */
export const errorMessages = {
  malformed_request: 'The request could not be understood. Compare it with the API reference.',
  invalid_input: 'A field of the request is missing, of the wrong type or out of bounds.',
  invalid_name:
    'A file name is 1 to 255 bytes of UTF-8 with something visible in it, without slashes, backslashes, control or direction characters, and not "." or "..".',
  unauthorized: 'Send the account address and one of its live API keys with HTTP Basic authentication.',
  scope_missing: 'The key may not do this. Use a key with the scope that the operation needs.',
  network_not_allowed:
    'The key may not be used from this address. Use it from one of its networks, or use another key.',
  csrf_rejected:
    'The CSRF-Token header is missing, expired or not this account’s. Get the index page again and use its csrftoken.',
  wrong_account: 'The account in the path is not the one you authenticated as.',
  cross_site: 'Requests started by another site are not accepted.',
  code_required: 'Type in the code that was sent to you first.',
  not_found: 'There is nothing here, or it is not yours.',
  link_not_opened: 'This address works in the browser in which the link was opened. Open the link in the message.',
  link_ended: 'The link has passed its deadline. Ask the sender for a new one.',
  link_revoked: 'The link was withdrawn. Ask the sender for a new one.',
  method_not_allowed: 'This path does not take that method; the Allow header lists those it takes.',
  contact_exists:
    'An address in the list is already a contact or appears twice in it; nothing was changed. To keep known addresses, send Prefer: handling=lenient.',
  unknown_contact: 'Every receiver must be a contact first: add the address with contacts_add.cgi.',
  recipient_not_allowed: 'The account may not send to this domain. Choose another address, or ask the administrator.',
  no_receivers: 'No receivers are set. Set them with receivers_set.cgi and try again.',
  no_files: 'No files are uploaded. Upload at least one with upload.cgi and try again.',
  file_list_not_initialized: 'Call get_files.cgi once before the dispatch and try again.',
  too_many_files: 'The draft holds as many files as it may. Dispatch it, or remove some.',
  files_not_ready: 'Files are still on their way or being checked. Wait for them, or remove them, and try again.',
  upload_superseded: 'Another request goes on with this upload.',
  upload_worn_out: 'This upload was broken off too often. Remove it and start it again.',
  idempotency_key_reused: 'This Idempotency-Key was used with another request. Use a new one.',
  request_in_flight:
    'A request with this Idempotency-Key is still being processed. Wait a moment and send the same request again.',
  cursor_expired:
    'Events after this cursor are not kept any more, so some may be missing. Read the state of what you follow, and start again without a cursor.',
  precondition_failed: 'The list has changed since you read it. Read it again, apply your change and retry.',
  too_large: 'The request is larger than this operation accepts.',
  too_large_to_scan: 'The file is larger than the virus scanner takes, and this server requires a scan.',
  too_many_keys: 'The account has as many live keys as it may. Revoke one that is not used and try again.',
  lease_not_held:
    'The lease is not that of this entry, or no longer: it has ended, or the entry was given back. Claim the entry again.',
  not_parked: 'Only a parked entry can be released, and this one is not parked.',
  too_many_webhooks: 'The account has as many webhooks as it may. Remove one that is not used and try again.',
  storage_full:
    'The account stores as much as it may. Remove uploaded files, revoke drops or wait until they end, or ask the administrator for more.',
  unsupported_media_type: 'This operation does not take that Content-Type or Content-Encoding.',
  range_not_satisfiable: 'The requested range lies outside the file.',
  wrong_host: 'This server does not answer for that host name.',
  infected: 'The virus scanner refused the file; nothing was kept.',
  digest_mismatch: 'The bytes that arrived do not have the digest that was declared. Send the file again.',
  encrypted:
    'The file is encrypted or protected by a password, so the virus scanner cannot look into it, and this server requires a scan.',
  headers_too_large: 'The request has too many or too large headers.',
  request_timeout: 'The request did not arrive in time. Send it again.',
  too_many_requests: 'Too many failed attempts from this address. Wait as long as Retry-After says.',
  too_many_messages:
    'This account, or one of the receivers, has had as many messages as an hour allows. Wait as long as Retry-After says.',
  daily_limit:
    'The account has sent as much today as it may. Wait as long as Retry-After says, or ask the administrator for more.',
  too_many_transfers: 'Too many downloads run through this link at once. Wait for one to finish and try again.',
  unavailable: 'A part of the service is out of reach for a moment. Try again after Retry-After seconds.',
  damaged: 'The stored file failed its integrity check and was not sent. Tell the administrator.',
  internal: 'Something went wrong on our side. Give the administrator the X-Request-Id of this answer.',
} as const;

export type ErrorCode = keyof typeof errorMessages;

/** The body of every failed request. */
export interface ErrorAnswer {
  status: 'error';
  code: ErrorCode;
  message: string;
}
