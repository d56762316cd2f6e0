import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Actor } from '../../domain/actor.ts';
import type { Engines } from '../../domain/engines.ts';
import type { UploadNeeds } from '../../http/transfer/receive-files.ts';
import type { Transfers } from '../../http/transfer/transfers.ts';
import type { DescribedRoute, Input, WithInput } from '../shared/route.ts';
import type { AuthenticationEngines } from './authenticate.ts';

/** The engines that the machine API uses. */
export type CgiEngines = AuthenticationEngines &
  UploadNeeds &
  Pick<Engines, 'objects' | 'dayKeys' | 'policy' | 'messageLimit' | 'sms'>;

export interface Call<Params, Query, Body> {
  readonly engines: CgiEngines;
  readonly actor: Actor;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly transfers: Transfers;
}

/**
 * One operation, in the file of its endpoint: its route, its callers and its description in the OpenAPI document all
 * come from this. An operation that is not in the table of routes does not exist.
 */
export interface Route extends Operation {
  /** Returns the body of the response, unless it sends the response itself. */
  readonly handle: (call: Call<unknown, unknown, unknown>) => Promise<unknown>;
}

interface Operation extends DescribedRoute {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** The index page, which provides the CSRF token, needs none. */
  readonly authentication: 'account' | 'account+csrf';
  /** The headers that have a meaning for it; it reads them itself. */
  readonly headers?: readonly object[];
  /** The parts of a body that is a form (multipart/form-data), which it reads as the bytes come. */
  readonly form?: object;
  /** Arguments of the command in the reference’s example, if it has no JSON body. */
  readonly curl?: readonly string[];
  readonly bodyLimit?: number;
  /** Whether it transfers files. */
  readonly transfer?: true;
  /** The query of the reference’s example. */
  readonly exampleQuery?: string;
}

/** Gives `handle` the types of the schemas. */
export function route<
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(
  definition: WithInput<Operation, Params, Query, Body> & {
    readonly handle: (call: Call<Input<Params>, Input<Query>, Input<Body>>) => Promise<unknown>;
  },
): Route {
  // The server has checked the input against the schemas before it calls `handle`.
  return definition as unknown as Route;
}
