import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engines } from '../../../domain/engines.ts';
import { findProgramSession } from '../../../domain/links/find-link.ts';
import type { LinkSession } from '../../../domain/links/link-store.ts';
import { requirePassed } from '../../../domain/links/second-factor.ts';
import type { App } from '../../../http/shared/app.ts';
import type { Transfers } from '../../../http/transfer/transfers.ts';
import { limitFailures } from '../../shared/limit-failures.ts';
import type { CallEngines, LinkRoute } from '../route.ts';
import { acceptStreams, toInputOptions } from '../route-options.ts';
import { explainEnding } from './explain-ending.ts';

/**
 * The operations of programs that have a link and no account. They do what the pages of receivers and contacts do, in
 * the same sessions. A browser does not get here by itself: the token is in a JSON body, and the credential in a header.
 */
export function registerLinkRoutes(
  root: App,
  engines: CallEngines,
  transfers: Transfers,
  routes: readonly LinkRoute[],
): void {
  for (const route of routes) {
    root.register(async (scope) => {
      const app = scope as unknown as App;
      const { access, stream, handle, response } = route;
      if (stream) acceptStreams(app, stream);
      app.route({
        ...toInputOptions(route, engines),
        config: { authentication: access, transfer: response.bytes !== undefined },
        // Runs before the body is read.
        async onRequest(request: FastifyRequest) {
          if (access !== 'link') request.linkSession = await requireSession(engines, request, route);
        },
        handler: async (request, reply) => {
          const session = request.linkSession as LinkSession;
          const call = { engines, session, link: session?.link, body: request.body, request };
          if (stream) return stream.serve({ ...call, reply, transfers });
          return send(reply, await handle(call), response.status);
        },
      });
    });
  }
}

function send(
  reply: FastifyReply,
  { status, headers = {}, body }: Awaited<ReturnType<NonNullable<LinkRoute['handle']>>>,
  usual: number,
): FastifyReply {
  reply.code(status ?? usual).headers(headers);
  if (body === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Requires the credential of a program that opened a link. No cookie and no API key is one. */
async function requireSession(
  engines: Pick<Engines, 'store' | 'policy' | 'sms' | 'failureLimit'>,
  request: FastifyRequest,
  { access, linkType }: LinkRoute,
): Promise<LinkSession> {
  const [, credential = ''] = /^bearer ([\x21-\x7e]{1,200})$/i.exec(request.headers.authorization ?? '') ?? [];
  const session = await limitFailures(engines, request, () =>
    explainEnding(request, () => findProgramSession(engines, credential, linkType)),
  );
  request.dropId = session.link.dropId;
  if (access === 'link-program') requirePassed(engines, session);
  return session;
}
