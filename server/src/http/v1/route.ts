import type { Scope } from '@waybill/protocol/v1';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Actor } from '../../domain/actor.ts';
import type { Engines } from '../../domain/engines.ts';
import type { EventWatch } from '../../domain/events/event-watch.ts';
import type { UploadNeeds } from '../shared/receive-files.ts';
import type { DescribedRoute, Input, RouteResponse, WithInput } from '../shared/route.ts';
import type { InboxSendingNeeds } from '../shared/send-inbox.ts';
import type { Transfers } from '../shared/transfers.ts';

/** The engines that the operations of /api/v1 use. */
export type V1Engines = Pick<
  Engines,
  | 'store'
  | 'random'
  | 'failureLimit'
  | 'policy'
  | 'keys'
  | 'dayKeys'
  | 'messageLimit'
  | 'sms'
  | 'checkpoint'
  | 'webhookSender'
  | 'webhookSecrets'
> &
  UploadNeeds &
  InboxSendingNeeds & { readonly pepper: Buffer };

/** Including those of this process alone. */
export type CallEngines = V1Engines & { readonly eventWatch: EventWatch };

export interface Call<Params, Query, Body> {
  /** If the request may be repeated, the store is that of the transaction in which the response is stored. */
  readonly engines: CallEngines;
  readonly caller: Actor;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The versions that the caller wants to change (If-Match); undefined: any. */
  readonly ifVersion: readonly string[] | undefined;
  /** Whether what the caller wants to change must be there (If-Match) or not (If-None-Match); undefined: either. */
  readonly ifExists: boolean | undefined;
  /** Aborts when the caller is gone, so that nothing waits on its behalf. */
  readonly gone: AbortSignal;
  /** Aborts when the key may not be used any more. An operation that waits then throws its reason. */
  readonly revoked: AbortSignal;
  /** For an operation that waits: throws if the key may not call it any more. */
  readonly authenticateAgain: () => Promise<unknown>;
}

export interface Result {
  /** If it is not that of `response`. */
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One operation: its route, its description in the OpenAPI document and its rights all come from this. An operation
 * that is not in the table of routes does not exist.
 */
export type Route = Operation & (Handled | Streamed);

interface Operation extends DescribedRoute {
  /** Null: any key will do. */
  readonly scope: Scope | null;
  /** A body, for the reference. */
  readonly example?: object;
  readonly otherResponse?: RouteResponse;
  /** Its response has an ETag; if it changes something, it honours If-Match. */
  readonly isVersioned?: true;
}

interface Handled {
  /** Work that is too slow for a transaction, such as fetching keys. It changes nothing. */
  readonly prepare?: (call: Call<unknown, unknown, unknown>) => Promise<unknown>;
  readonly handle: (call: Prepared<Call<unknown, unknown, unknown>, unknown>) => Promise<Result>;
  readonly stream?: undefined;
}

interface Streamed {
  readonly handle?: undefined;
  readonly stream: Stream;
}

/** For bodies and responses that are not JSON: they are read and written as their bytes come. */
export interface Stream {
  /** Of its body, if it has one. */
  readonly mediaTypes?: readonly string[];
  /** Any other media type is allowed as well, up to this many bytes. */
  readonly anyTypeBytes?: number;
  /** The request's own headers. */
  readonly headers?: TSchema;
  /** Arguments that its example in the reference adds to the command. */
  readonly curl: readonly string[];
  /** Sends the response itself. */
  readonly serve: (call: StreamCall) => Promise<FastifyReply>;
}

export interface StreamCall {
  readonly engines: V1Engines;
  readonly caller: Actor;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborts when the key may not be used any more. A download is cut in any case. */
  readonly revoked: AbortSignal;
  /** The downloads of this process, which a download has to join. */
  readonly transfers: Transfers;
}

/** A call with what `prepare` returned. */
type Prepared<Request, Value> = Request & { readonly prepared: Value };

/** Gives `handle` the types of the schemas. */
export function route<
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  Value = undefined,
>(
  definition: WithInput<Operation, Params, Query, Body> & {
    readonly prepare?: (call: Call<Input<Params>, Input<Query>, Input<Body>>) => Promise<Value>;
    readonly handle: (call: Prepared<Call<Input<Params>, Input<Query>, Input<Body>>, Value>) => Promise<Result>;
  },
): Route {
  // The server has checked the input against the schemas before it calls `handle`.
  return definition as unknown as Route;
}
