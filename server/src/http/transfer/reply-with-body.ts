import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toOutage } from '../../domain/engine-name.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { ByteRange } from '../../domain/files/read-sealed.ts';
import { toLevel } from '../shared/json-errors.ts';
import { endResponse, writeBytes } from './write-bytes.ts';

export interface Body {
  /** The headers that describe the body, besides its length and range; not sent with an error. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sizeBytes: number;
  readonly etag: string;
  /** For the log. */
  readonly about: Readonly<Record<string, string>>;
  read(range: ByteRange): AsyncGenerator<Buffer, void, void>;
  /** Called at the end of the transfer, complete or not, with the bytes that were sent. */
  onSent(sent: ByteRange): Promise<void>;
}

/**
 * Replies with bytes as a download, or the requested range of them. Reads the first bytes before it sends the status; a later
 * failure aborts the transfer, so that a client never mistakes a part for the whole. Aborting the signal ends the
 * transfer.
 */
export async function replyWithBody(
  body: Body,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const { etag, sizeBytes } = body;
  reply.headers({
    ...body.headers,
    'content-security-policy': "sandbox; default-src 'none'",
    'accept-ranges': 'bytes',
    etag,
  });
  const ifRange = request.headers['if-range'];
  const isCurrent = ifRange === undefined || ifRange === etag;
  const range = isCurrent ? requestedRange(request.headers.range, sizeBytes) : undefined;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${sizeBytes}`);
    throw new ExchangeError('range_not_satisfiable');
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  reply.header('content-length', String(end - start));
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${sizeBytes}`);
  if (request.method === 'HEAD') return reply.send();

  const bytes = body.read({ start, end });
  let first: IteratorResult<Buffer, void>;
  try {
    request.transferLanes.deliveries.requireRoom();
    request.transferBegan();
    signal.throwIfAborted();
    first = await bytes.next();
    signal.throwIfAborted();
  } catch (error) {
    // An error does not describe a file.
    for (const name of ['content-length', 'content-range', 'accept-ranges', 'etag', ...Object.keys(body.headers)]) {
      reply.removeHeader(name);
    }
    throw error;
  }

  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  let sent = 0;
  try {
    await pour(first, bytes, reply.raw, (length) => (sent += length));
  } catch (error) {
    if (!signal.aborted) request.log[toLevel(error)]({ err: error, ...body.about }, 'a download was broken off');
    reply.raw.destroy();
  }
  const noted = { start, end: start + sent };
  await request.transferLanes.deliveries
    .note({ ...body.about, ...noted }, () => body.onSent(noted))
    .catch((error: unknown) => {
      // Without `err`, no such line is left out as a repetition: each is about other bytes.
      const why = toOutage(error) ?? { err: error };
      request.log[toLevel(error)]({ ...why, ...body.about, ...noted }, 'a delivery could not be noted');
    });
  return reply;
}

async function pour(
  first: IteratorResult<Buffer, void>,
  rest: AsyncGenerator<Buffer, void, void>,
  response: ServerResponse,
  onLeft: (length: number) => void,
): Promise<void> {
  try {
    for (let next = first; !next.done; next = await rest.next()) await writeBytes(response, next.value, onLeft);
  } finally {
    await rest.return();
  }
  await endResponse(response);
}

/**
 * Parses one range of bytes (RFC 9110, 14.2). Returns undefined if the header must be ignored: its unit is not bytes,
 * it is malformed, or it lists several ranges, which a server need not support.
 */
export function requestedRange(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
