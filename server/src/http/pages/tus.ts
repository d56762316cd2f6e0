import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { requireOwnForm } from '../shared/page/person.ts';
import { handleTus, readContentLength, tusType, whenGone } from '../shared/tus.ts';
import { ContactUploads } from './contact-uploads.ts';
import { uploads } from './link-pages.ts';
import type { PageEngines } from './routes.tsx';
import { requireLink } from './session.ts';

/** Resumable uploads for the contact's page. */
export function tusEndpoint(app: App, engines: PageEngines): void {
  const config = { authentication: 'link-session' } as const;
  // Handlers read the body as it arrives.
  app.addContentTypeParser(tusType, async (_request: unknown, body: Readable) => body);

  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const link = await requireLink(engines, request, uploads);
    requireOwnForm(request);
    const from = { contentLength: readContentLength(request), address: request.peer };
    return handleTus(request, reply, {
      path: `${uploads.home}/${(request.params as { handle: string }).handle}/tus`,
      uploads: new ContactUploads(engines, link, from, { gone: whenGone(reply) }),
      maxFileBytes: engines.policy.maxFileBytes,
      random: engines.random,
    });
  };
  app.route({ config, handler, method: ['POST', 'OPTIONS'], url: `${uploads.home}/:handle/tus` });
  app.route({ config, handler, method: ['HEAD', 'PATCH', 'DELETE'], url: `${uploads.home}/:handle/tus/:id` });
}
