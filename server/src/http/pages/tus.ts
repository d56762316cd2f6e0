import { Readable } from 'node:stream';
import { Server } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../app.ts';
import { statusOf } from '../json-errors.ts';
import { DeskStore, takingOver } from './desk-store.ts';
import { uploads } from './link-pages.ts';
import { isOwnForm } from './person.ts';
import type { PageEngines } from './routes.tsx';
import { linkOfSession } from './session.ts';

/** Resumable uploads of the contact's page, by the tus protocol (https://tus.io/protocols/resumable-upload). */
export function tusEndpoint(app: App, engines: PageEngines): void {
  const config = { authentication: 'link-session' } as const;
  // The body is read as it arrives.
  app.addContentTypeParser('application/offset+octet-stream', async (_request: unknown, body: Readable) => body);

  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const link = await linkOfSession(engines, request, uploads);
    if (!isOwnForm(request)) throw new ExchangeError('cross_site');
    const tus = new Server({
      path: `${uploads.home}/${(request.params as { handle: string }).handle}/tus`,
      datastore: new DeskStore(engines, link),
      locker: takingOver,
      maxSize: engines.policy.maxFileBytes,
      relativeLocation: true,
      allowedOrigins: [],
      namingFunction: () => engines.random.uuid(),
      onResponseError: (_request, error) => {
        if (!(error instanceof Error) || (error instanceof ExchangeError && statusOf[error.code] < 500)) {
          return error instanceof ExchangeError ? refusal(error) : undefined;
        }
        request.log.warn({ err: error }, 'an upload was broken off');
        return refusal(error instanceof ExchangeError ? error : new ExchangeError('internal'));
      },
    });
    return answer(await tus.handleWeb(webRequest(request)), reply);
  };
  app.route({ config, handler, method: ['POST', 'OPTIONS'], url: `${uploads.home}/:handle/tus` });
  app.route({ config, handler, method: ['HEAD', 'PATCH', 'DELETE'], url: `${uploads.home}/:handle/tus/:id` });
}

function refusal(error: ExchangeError): { status_code: number; body: string } {
  return { status_code: statusOf[error.code], body: JSON.stringify({ code: error.code, message: error.message }) };
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
async function answer(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  for (const [name, value] of response.headers) {
    if (!name.startsWith('access-control-') && name !== 'content-length') reply.header(name, value);
  }
  return reply.code(response.status).send(response.body ? await response.text() : undefined);
}
