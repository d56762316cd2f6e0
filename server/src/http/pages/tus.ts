import { Readable } from 'node:stream';
import { Server } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../app.ts';
import { statusOf } from '../json-errors.ts';
import { DeskStore, takingOver } from './desk-store.ts';
import { uploads } from './link-pages.ts';
import { requireOwnForm } from './person.ts';
import type { PageEngines } from './routes.tsx';
import { linkOfSession } from './session.ts';

/** Resumable uploads of the contact's page, by the tus protocol (https://tus.io/protocols/resumable-upload). */
export function tusEndpoint(app: App, engines: PageEngines): void {
  const config = { authentication: 'link-session' } as const;
  // The body is read as it arrives.
  app.addContentTypeParser('application/offset+octet-stream', async (_request: unknown, body: Readable) => body);

  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const link = await linkOfSession(engines, request, uploads);
    requireOwnForm(request);
    let refused: ExchangeError | undefined;
    const tus = new Server({
      path: `${uploads.home}/${(request.params as { handle: string }).handle}/tus`,
      datastore: new DeskStore(engines, link, contentLengthOf(request)),
      locker: takingOver,
      maxSize: engines.policy.maxFileBytes,
      relativeLocation: true,
      allowedOrigins: [],
      namingFunction: () => engines.random.uuid(),
      onResponseError: (_request, error) => {
        // The library's own refusals have the protocol's status.
        if (!(error instanceof Error)) return undefined;
        refused = error instanceof ExchangeError ? error : new ExchangeError('internal', undefined, { cause: error });
        return { status_code: statusOf[refused.code], body: '' };
      },
    });
    const response = await tus.handleWeb(webRequest(request));
    forward(response, reply);
    if (refused) throw refused;
    return reply.code(response.status).send(response.body ? await response.text() : undefined);
  };
  app.route({ config, handler, method: ['POST', 'OPTIONS'], url: `${uploads.home}/:handle/tus` });
  app.route({ config, handler, method: ['HEAD', 'PATCH', 'DELETE'], url: `${uploads.home}/:handle/tus/:id` });
}

function contentLengthOf(request: FastifyRequest): number | undefined {
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

/** Nothing here is for other origins, though the library says so to everyone. */
function forward(response: Response, reply: FastifyReply): void {
  for (const [name, value] of response.headers) {
    if (!name.startsWith('access-control-') && !name.startsWith('content-')) reply.header(name, value);
  }
}
