import type { ErrorAnswer, ErrorCode } from '@waybill/protocol';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../domain/exchange-error.ts';
import { clientGone, isClientGone } from './shared/client-gone.ts';
import { validationMessage } from './validation-message.ts';

/** The status of every code on this surface. A new code does not compile until it is here. */
export const statusOf: Record<ErrorCode, number> = {
  malformed_request: 400,
  invalid_input: 400,
  invalid_name: 400,
  unauthorized: 401,
  scope_missing: 403,
  network_not_allowed: 403,
  csrf_rejected: 403,
  wrong_account: 403,
  cross_site: 403,
  code_required: 403,
  recipient_not_allowed: 403,
  not_found: 404,
  link_not_opened: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  contact_exists: 409,
  unknown_contact: 409,
  no_receivers: 409,
  no_files: 409,
  file_list_not_initialized: 409,
  too_many_files: 409,
  idempotency_key_reused: 409,
  request_in_flight: 409,
  too_many_keys: 409,
  lease_not_held: 409,
  not_parked: 409,
  too_many_webhooks: 409,
  files_not_ready: 409,
  upload_superseded: 409,
  cursor_expired: 410,
  link_ended: 410,
  link_revoked: 410,
  upload_worn_out: 410,
  precondition_failed: 412,
  too_large: 413,
  too_large_to_scan: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  wrong_host: 421,
  infected: 422,
  encrypted: 422,
  digest_mismatch: 422,
  too_many_requests: 429,
  too_many_messages: 429,
  too_many_transfers: 429,
  daily_limit: 429,
  headers_too_large: 431,
  damaged: 500,
  internal: 500,
  unavailable: 503,
  storage_full: 507,
};

/** How long a caller should wait before trying again when a part of the service is unavailable. */
const defaultWaitSeconds = 5;

/** Fastify's own errors, as our codes. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_BAD_URL: 'malformed_request',
  FST_ERR_MAX_PARAM_LENGTH: 'malformed_request',
};

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message } = refuse(error, request, reply);
  return reply.type('application/json; charset=utf-8').send(errorAnswer(code, message));
}

/** How a surface refuses. */
interface Manner {
  readonly statusOf: Record<ErrorCode, number>;
  /** How a caller should authenticate. */
  readonly challenge: string;
}
const machineManner: Manner = { statusOf, challenge: 'Basic realm="Waybill", charset="UTF-8"' };

/** Sets the status and the headers of an error, logs what needs attention, and returns the error's body. */
export function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  manner: Manner = machineManner,
): ExchangeError {
  const isGone = isClientGone(error, request);
  const refusal = isGone ? clientGone(error) : asExchangeError(error);
  const status = manner.statusOf[refusal.code];
  request.refusal = refusal.code;
  if (isGone) request.log.info('the client disconnected before its request was complete');
  else if (refusal.code === 'internal') request.log.error({ err: error }, 'a request failed on a fault of ours');
  else if (status >= 500 && refusal.code !== 'storage_full')
    request.log.warn({ code: refusal.code, err: refusal.cause }, 'a request could not be served');
  if (status === 401) reply.header('www-authenticate', manner.challenge);
  const waitSeconds = refusal.retryAfterSeconds ?? (status === 503 ? defaultWaitSeconds : undefined);
  if (waitSeconds !== undefined) reply.header('retry-after', String(waitSeconds));
  reply.code(status);
  return refusal;
}

export function errorAnswer(code: ErrorCode, message: string): ErrorAnswer {
  return { status: 'error', code, message };
}

export function asExchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const { code, validation, validationContext } = error as Partial<FastifyError>;
  if (validation) return new ExchangeError('invalid_input', validationMessage(validation, validationContext));
  return new ExchangeError(frameworkCodes[code ?? ''] ?? 'internal', undefined, { cause: error });
}
