import type { IncomingMessage } from 'node:http';
import { isErrorCode, WaybillError } from '../errors.ts';
import type { Fault } from '../generated/wire.ts';

/** Far above the size of any page of a list. Anything larger is read as a stream. */
const maxBodyBytes = 64 * 1024 * 1024;
/** Far above the size of any error. */
const maxErrorBytes = 64 * 1024;

export async function readBytes(response: IncomingMessage, max = maxBodyBytes): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of readPieces(response)) {
    length += piece.length;
    if (length > max) {
      response.destroy();
      throw unexpectedResponse(response, `a response of more than ${max} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export async function readJson<T>(response: IncomingMessage): Promise<T> {
  const text = (await readBytes(response)).toString('utf8');
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw unexpectedResponse(response, 'something that is not JSON', cause);
  }
}

/** Yields the body piece by piece. Throws if it breaks off. */
export async function* readPieces(response: IncomingMessage): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const piece of response as AsyncIterable<Buffer>) yield piece;
  } catch (cause) {
    throw connectionLost(cause);
  }
  if (!response.complete) throw connectionLost();
}

function connectionLost(cause?: unknown): WaybillError {
  return new WaybillError('unreachable', 'The connection broke off in the middle of the response.', { cause });
}

export function unexpectedResponse(response: IncomingMessage, what: string, cause?: unknown): WaybillError {
  return new WaybillError(
    'unexpected_response',
    `The server responded with ${response.statusCode} and ${what}. It may not be a Waybill server.`,
    { ...toErrorDetails(response), cause },
  );
}

/** Returns the error that a response describes. */
export async function readError(response: IncomingMessage): Promise<WaybillError> {
  const details = toErrorDetails(response);
  const text = (await readBytes(response, maxErrorBytes)).toString('utf8');
  const { code, message, detail = message, errors, max_size: max } = parseProblem(text);
  if (isErrorCode(code)) {
    const faults = Array.isArray(errors) ? (errors as Fault[]) : [];
    const maxSize = typeof max === 'number' ? max : undefined;
    return new WaybillError(code, typeof detail === 'string' ? detail : code, { ...details, maxSize, faults });
  }
  // The response of a proxy whose server is down.
  if ([502, 503, 504].includes(details.status)) {
    return new WaybillError('unavailable', `The proxy cannot reach the server (${details.status}).`, details);
  }
  if (details.status === 408 || details.status === 429) {
    return new WaybillError('unavailable', `The server is busy (${details.status}).`, details);
  }
  return unexpectedResponse(response, 'an error that is not one of Waybill’s');
}

/** Parses a problem of /api/v1 (RFC 9457), or an error of the machine API. */
function parseProblem(text: string): Partial<Record<'code' | 'message' | 'detail' | 'errors' | 'max_size', unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as { code?: unknown };
  } catch {
    return {};
  }
}

function toErrorDetails(response: IncomingMessage) {
  const id = response.headers['x-request-id'];
  return {
    status: response.statusCode ?? 0,
    instance: typeof id === 'string' ? `urn:waybill:http-request:${id}` : undefined,
    retryAfterSeconds: parseRetryAfter(response.headers['retry-after'], response.headers.date),
  };
}

/** Parses seconds or a date (RFC 9110, 10.2.3). A date is compared with the server's clock. */
function parseRetryAfter(retryAfter: string | undefined, date: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const wait = (Date.parse(retryAfter) - Date.parse(date ?? '')) / 1000;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
