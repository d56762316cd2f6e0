import { type ErrorBody, type ErrorCode, type Errors, errors } from '@waybill/protocol';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { clientGone, isClientGone } from '../transfer/client-gone.ts';
import { validationMessage } from './validation-message.ts';
import { refuseLargeBody } from './whole-file.ts';

/** Fastify's own errors, as our codes. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_BAD_URL: 'malformed_request',
  FST_ERR_MAX_PARAM_LENGTH: 'malformed_request',
};

export function replyWithError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message } = refuse(error, request, reply);
  return reply.type('application/json; charset=utf-8').send(toErrorBody(code, message));
}

/** The differences between the surfaces. */
interface RefusalOptions {
  readonly errors: Errors;
  /** The value of WWW-Authenticate; undefined for pages, on which a browser would ask for a password itself. */
  readonly challenge: string | undefined;
}
const machineApi: RefusalOptions = { errors, challenge: 'Basic realm="Waybill", charset="UTF-8"' };

/** Sets the status and the headers of an error, logs what needs attention, and returns the error's body. */
export function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RefusalOptions = machineApi,
): ExchangeError {
  const isGone = isClientGone(error, request);
  const refusal = isGone ? clientGone(error) : asExchangeError(error, request);
  const status = options.errors[refusal.code].status;
  request.refusal = refusal.code;
  if (isGone) request.log.info('the client disconnected before its request was complete');
  else logFailure(error, request);
  if (status === 401 && options.challenge !== undefined) reply.header('www-authenticate', options.challenge);
  const { retryAfterSeconds: wait } = refusal;
  // A whole number: 0 would ask for an immediate repetition, which is refused.
  if (wait !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(wait))));
  reply.code(status);
  return refusal;
}

/** Logs an error that is not the caller's, in the same words on every surface. */
export function logFailure(error: unknown, request: FastifyRequest): void {
  const refusal = asExchangeError(error);
  const { code } = refusal;
  if (code === 'internal') request.log.error({ err: error }, 'a request failed on a fault of ours');
  else if (code === 'unavailable') request.log.warn({ code, err: refusal }, unserved);
  else if (errors[code].status >= 500 && code !== 'storage_full')
    request.log.warn({ code, err: refusal.cause ?? refusal }, unserved);
}

/** The level of a line about an error after the status was sent: only a fault of ours is an error. */
export const toLevel = (error: unknown): 'warn' | 'error' =>
  asExchangeError(error).code === 'internal' ? 'error' : 'warn';

const unserved = 'a request could not be served';

export function toErrorBody(code: ErrorCode, message: string): ErrorBody {
  return { status: 'error', code, message };
}

export function asExchangeError(error: unknown, request?: FastifyRequest): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const { code, validation, validationContext } = error as Partial<FastifyError>;
  if (validation) return new ExchangeError('invalid_input', validationMessage(validation, validationContext));
  const { bodyLimit, config } = request?.routeOptions ?? {};
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' && bodyLimit !== undefined) return refuseLargeBody(bodyLimit);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && config?.mediaTypes?.length) {
    const types = new Intl.ListFormat('en', { type: 'disjunction' }).format(config.mediaTypes);
    return new ExchangeError('unsupported_media_type', `The Content-Type must be ${types}.`);
  }
  return new ExchangeError(frameworkCodes[code ?? ''] ?? 'internal', undefined, { cause: error });
}
