import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { Actor, Engines } from '../../domain/ports.ts';
import type { UploadNeeds } from '../shared/receive-upload.ts';
import type { DoorNeeds } from './door.ts';

/** What the machine API is given. */
export type CgiEngines = DoorNeeds & UploadNeeds & Pick<Engines, 'objects' | 'keys' | 'policy'>;

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** One file an endpoint, named as the endpoint; each registers its route. */
export type Endpoint = (app: App, engines: CgiEngines) => void;

/** How a route knows its caller. Every route says; one that does not stops the server from starting. */
export type Authentication = 'nobody' | 'account' | 'account+csrf';

declare module 'fastify' {
  interface FastifyContextConfig {
    authentication?: Authentication;
  }
  interface FastifyRequest {
    actor: Actor | undefined;
  }
}

/** The caller of a route that declared one; the door has put it there. */
export function actorOf(request: Pick<FastifyRequest, 'actor'>): Actor {
  if (!request.actor) throw new Error('the route has no authenticated caller');
  return request.actor;
}
