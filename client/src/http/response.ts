import type { IncomingMessage } from 'node:http';
import { isErrorCode, WaybillError } from '../errors.ts';
import type { Fault } from '../generated/wire.ts';

/** Far above a page of any list. Anything larger is read as a stream. */
const longestAnswerBytes = 64 * 1024 * 1024;
/** The body of a failure is a sentence or two. */
const longestFailureBytes = 64 * 1024;

export async function bytesOf(answer: IncomingMessage, max = longestAnswerBytes): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of piecesOf(answer)) {
    length += piece.length;
    if (length > max) {
      answer.destroy();
      throw unexpected(answer, `an answer of more than ${max} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export async function jsonOf<T>(answer: IncomingMessage): Promise<T> {
  const text = (await bytesOf(answer)).toString('utf8');
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw unexpected(answer, 'something that is not JSON', cause);
  }
}

/** The body piece by piece. One that breaks off is an error, never a short body. */
export async function* piecesOf(answer: IncomingMessage): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) yield piece;
  } catch (cause) {
    throw brokenOff(cause);
  }
  if (!answer.complete) throw brokenOff();
}

function brokenOff(cause?: unknown): WaybillError {
  return new WaybillError('unreachable', 'The connection broke off in the middle of the answer.', { cause });
}

export function unexpected(answer: IncomingMessage, what: string, cause?: unknown): WaybillError {
  return new WaybillError(
    'unexpected_answer',
    `The server answered ${answer.statusCode} with ${what}. It may not be a Waybill server.`,
    { ...detailsOf(answer), cause },
  );
}

/** The failure that an answer describes. */
export async function failureOf(answer: IncomingMessage): Promise<WaybillError> {
  const details = detailsOf(answer);
  const text = (await bytesOf(answer, longestFailureBytes)).toString('utf8');
  const { code, message, detail = message, errors } = parsed(text);
  if (isErrorCode(code)) {
    const faults = Array.isArray(errors) ? (errors as Fault[]) : [];
    return new WaybillError(code, typeof detail === 'string' ? detail : code, { ...details, faults });
  }
  // A proxy in front of the server says in its own words that the server is away.
  if ([502, 503, 504].includes(details.status)) {
    return new WaybillError('unavailable', `The server cannot be reached by its proxy (${details.status}).`, details);
  }
  if (details.status === 408 || details.status === 429) {
    return new WaybillError('unavailable', `The server is busy (${details.status}).`, details);
  }
  return unexpected(answer, 'an error that is not one of Waybill’s');
}

/** A problem of /api/v1 (RFC 9457), or an error of the machine API. */
function parsed(text: string): { code?: unknown; message?: unknown; detail?: unknown; errors?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { code?: unknown };
  } catch {
    return {};
  }
}

function detailsOf(answer: IncomingMessage) {
  const id = answer.headers['x-request-id'];
  return {
    status: answer.statusCode ?? 0,
    instance: typeof id === 'string' ? `urn:waybill:http-request:${id}` : undefined,
    retryAfterSeconds: secondsIn(answer.headers['retry-after'], answer.headers.date),
  };
}

/** RFC 9110, 10.2.3: seconds, or a date, which is compared with the server's own clock. */
function secondsIn(retryAfter: string | undefined, date: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const wait = (Date.parse(retryAfter) - Date.parse(date ?? '')) / 1000;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
