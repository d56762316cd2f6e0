import { Readable } from 'node:stream';
import { Server } from '@tus/server';
import { errors } from '@waybill/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Random } from '../../domain/ports/random.ts';
import { asExchangeError } from '../json-errors.ts';
import { ClientGone } from './client-gone.ts';
import { noopLocker, type ResumableStore } from './resumable-store.ts';

interface Endpoint {
  /** The path at which uploads are created; each is one segment below it. */
  readonly path: string;
  readonly store: ResumableStore;
  readonly maxFileBytes: number;
  readonly random: Random;
}

/** Answers by the tus protocol (https://tus.io/protocols/resumable-upload). Throws what the store refuses. */
export async function handleTus(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, store, maxFileBytes, random }: Endpoint,
): Promise<Response> {
  let refused: Error | undefined;
  const tus = new Server({
    path,
    datastore: store,
    locker: noopLocker,
    maxSize: maxFileBytes,
    relativeLocation: true,
    allowedOrigins: [],
    namingFunction: () => random.uuid(),
    onResponseError: (_request, error) => {
      // The library's own errors have the status that the protocol specifies.
      if (!(error instanceof Error)) return undefined;
      refused = error;
      return { status_code: errors[asExchangeError(error).code].status, body: '' };
    },
  });
  const response = await tus.handleWeb(webRequest(request));
  forward(response, reply);
  if (refused) throw refused;
  return response;
}

/** Aborted when the client has disconnected. */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new ClientGone());
  if (raw.destroyed) abort();
  else raw.once('close', abort);
  return gone.signal;
}

export function readContentLength(request: FastifyRequest): number | undefined {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

function webRequest(request: FastifyRequest): Request {
  const { method, body } = request;
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const stream =
    body instanceof Readable ? { body: Readable.toWeb(body) as ReadableStream, duplex: 'half' as const } : {};
  return new Request(`http://localhost${request.url}`, { method, headers, ...stream });
}

/** Nothing here is for other origins, although the library's headers allow all of them. */
function forward(response: Response, reply: FastifyReply): void {
  for (const [name, value] of response.headers) {
    if (!name.startsWith('access-control-') && !name.startsWith('content-')) reply.header(name, value);
  }
}
