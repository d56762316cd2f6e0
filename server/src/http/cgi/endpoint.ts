import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/actor.ts';
import type { Engines } from '../../domain/engines.ts';
import type { App } from '../app.ts';
import type { UploadNeeds } from '../shared/receive-files.ts';
import type { Transfers } from '../shared/transfers.ts';
import type { AuthenticationEngines } from './authenticate.ts';

/** The engines that the machine API uses. */
export type CgiEngines = AuthenticationEngines &
  UploadNeeds &
  Pick<Engines, 'objects' | 'keys' | 'dayKeys' | 'policy' | 'messageLimit'>;

/** One file per endpoint, named after the endpoint; each registers its route. */
export type Endpoint = (app: App, engines: CgiEngines, transfers: Transfers) => void;

/** The caller of a route that requires an account; authenticate.ts has set it. */
export function requireActor(request: Pick<FastifyRequest, 'actor'>): Actor {
  if (!request.actor) throw new Error('the route has no authenticated caller');
  return request.actor;
}
