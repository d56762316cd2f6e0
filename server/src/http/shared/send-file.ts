import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { type ByteRange, readSealed } from '../../domain/files/read-sealed.ts';
import type { Engines, SealedFile } from '../../domain/ports/index.ts';
import { requestedRange } from './byte-range.ts';
import { endResponse, writeBytes } from './write-bytes.ts';

const describing = ['content-length', 'content-range', 'content-disposition', 'accept-ranges', 'etag', 'repr-digest'];

const notingPatienceMs = 60_000;

/**
 * Sends a file, or the range asked for. Always an attachment of plain bytes, whatever its name or content claim to be.
 * The first segment is checked before the status is sent; damage further on breaks the transfer off, so that a client
 * never takes a part for the whole. `onSent` is told which bytes have left, however it ended. An aborted signal ends it.
 */
export async function sendFile(
  engines: Pick<Engines, 'objects' | 'keys' | 'readAhead'>,
  file: SealedFile,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
  onSent: (sent: ByteRange) => Promise<void>,
): Promise<FastifyReply> {
  const digest = file.sha256.toString('base64');
  const etag = `"${digest}"`;
  reply.headers({
    'content-type': 'application/octet-stream',
    'content-disposition': contentDisposition(file.name),
    'content-security-policy': "sandbox; default-src 'none'",
    'accept-ranges': 'bytes',
    etag,
    'repr-digest': `sha-256=:${digest}:`,
  });

  const ifRange = request.headers['if-range'];
  const range =
    ifRange === undefined || ifRange === etag ? requestedRange(request.headers.range, file.sizeBytes) : undefined;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.sizeBytes}`);
    throw new ExchangeError('range_not_satisfiable');
  }
  const { start, end } = range ?? { start: 0, end: file.sizeBytes };
  reply.header('content-length', String(end - start));
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${file.sizeBytes}`);
  if (request.method === 'HEAD') return reply.send();

  request.endTurn();
  const bytes = readSealed(engines, file, { start, end }, signal);
  let first: IteratorResult<Buffer, void>;
  try {
    signal.throwIfAborted();
    first = await bytes.next();
    signal.throwIfAborted();
  } catch (error) {
    // A refusal describes no file.
    for (const name of describing) reply.removeHeader(name);
    throw error;
  }

  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  let sent = 0;
  try {
    await pour(first, bytes, reply.raw, (length) => (sent += length));
  } catch (error) {
    if (!signal.aborted) request.log.error({ err: error, fileId: file.id }, 'a download was broken off');
    reply.raw.destroy();
  }
  await noteDelivery(request, () => onSent({ start, end: start + sent }));
  return reply;
}

/** Many downloads may end at the same time. Nobody waits for the note, so it can wait for a while. */
export async function noteDelivery(request: FastifyRequest, note: () => Promise<void>): Promise<void> {
  try {
    const endTurn = await request.takeTurn(notingPatienceMs);
    await note().finally(endTurn);
  } catch (error) {
    request.log.error({ err: error }, 'a delivery could not be noted');
  }
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
