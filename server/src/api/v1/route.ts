import type { Scope } from '@waybill/protocol/v1';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import type { KeyActor } from '../../domain/actor.ts';
import type { Engines } from '../../domain/engines.ts';
import type { EventWatch } from '../../domain/events/event-watch.ts';
import type { Link, LinkSession } from '../../domain/links/link-store.ts';
import type { Authentication } from '../../http/shared/app.ts';
import type { UploadNeeds } from '../../http/transfer/receive-files.ts';
import type { InboxReplyNeeds } from '../../http/transfer/reply-with-inbox.ts';
import type { Transfers } from '../../http/transfer/transfers.ts';
import type { DescribedRoute, Input, RouteResponse, WithInput } from '../shared/route.ts';
import type { Deprecation } from './deprecation.ts';

/** The engines that the operations of /api/v1 use. */
export type V1Engines = Pick<
  Engines,
  | 'store'
  | 'random'
  | 'failureLimit'
  | 'policy'
  | 'dayKeys'
  | 'messageLimit'
  | 'sms'
  | 'attemptLimit'
  | 'passphrases'
  | 'checkpoint'
  | 'webhookSender'
  | 'webhookSecrets'
  | 'logObjects'
  | 'witnesses'
  | 'receiptPrinter'
> &
  UploadNeeds &
  InboxReplyNeeds & { readonly pepper: Buffer };

/** Includes the engines of this process alone. */
export type CallEngines = V1Engines & { readonly eventWatch: EventWatch };

export interface Call<Params, Query, Body> {
  /** If the request may be repeated, its store is the transaction in which the response is stored. */
  readonly engines: CallEngines;
  readonly caller: KeyActor;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The versions that the caller wants to change (If-Match); undefined for any. */
  readonly ifVersion: readonly string[] | undefined;
  /** Whether the resource to change must exist (If-Match) or must not (If-None-Match); undefined for either. */
  readonly ifExists: boolean | undefined;
  /** Aborted when the caller has disconnected, so that nothing waits on its behalf. */
  readonly gone: AbortSignal;
  /** Aborted when the key may no longer be used. An operation that waits then throws its reason. */
  readonly revoked: AbortSignal;
  /** Throws if the key may no longer call the operation; for an operation that waits. */
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
export type Route = KeyRoute | LinkRoute;

/** An operation of a program with an account. */
export type KeyRoute = Operation &
  (Handled | Streamed) & {
    /** Null if any key is allowed. */
    readonly scope: Scope | null;
    /** A scope with which a key may call it, too, for what the key itself created; the operation finds nothing else. */
    readonly ownScope?: Scope;
    readonly access?: undefined;
    readonly linkType?: undefined;
  };

/** An operation of a program without an account, which has a receiver's or contact's link. */
export type LinkRoute = Operation &
  (LinkHandled | LinkStreamed) & {
    readonly scope?: undefined;
    /** How the program shows that it has the link; `link`: its token is in the body. */
    readonly access: Extract<Authentication, 'link' | 'link-program' | 'link-program-pending'>;
    /** The type of its link; any if not given. */
    readonly linkType?: Link['type'];
  };

/** An operation with the example of its body. */
export type ExemplifiedRoute = Route & Pick<DescribedRoute, 'example'>;

interface Operation extends Omit<DescribedRoute, 'example'> {
  readonly otherResponse?: RouteResponse;
  readonly deprecations?: readonly Deprecation[];
  /** A POST that may be repeated without an Idempotency-Key, because it only checks its body. */
  readonly changesNothing?: true;
  /** Whether its response has an ETag, and it honours If-Match if it changes something. */
  readonly isVersioned?: true;
}

interface Handled {
  /** Does work that is too slow for a transaction, such as fetching keys, and changes nothing. */
  readonly prepare?: (call: Call<unknown, unknown, unknown>) => Promise<unknown>;
  readonly handle: (call: Prepared<Call<unknown, unknown, unknown>, unknown>) => Promise<Result>;
  readonly stream?: undefined;
}

interface Streamed {
  readonly handle?: undefined;
  readonly stream: Stream;
}

interface LinkHandled {
  readonly handle: (call: LinkCall<unknown>) => Promise<Result>;
  readonly stream?: undefined;
}

interface LinkStreamed {
  readonly handle?: undefined;
  readonly stream: BytesDescription & { readonly serve: (call: LinkStreamCall) => Promise<FastifyReply> };
}

/** A request about a link. An operation without a session uses none. */
export interface LinkCall<Body> {
  readonly engines: CallEngines;
  readonly session: LinkSession;
  readonly link: Link;
  readonly body: Body;
  readonly request: FastifyRequest;
}

export interface LinkStreamCall extends LinkCall<unknown> {
  readonly reply: FastifyReply;
  readonly transfers: Transfers;
}

/** The handling of bodies and responses that are not JSON: they are read and written as their bytes arrive. */
interface Stream extends BytesDescription {
  /** Sends the response itself. */
  readonly serve: (call: StreamCall) => Promise<FastifyReply>;
}

export interface BytesDescription {
  /** The media types of its body, if it has one. */
  readonly mediaTypes?: readonly string[];
  /** Any other media type is allowed as well, up to this many bytes. */
  readonly anyTypeBytes?: number;
  /** The request's own headers. */
  readonly headers?: TSchema;
  /** Arguments of the command in the reference's example. */
  readonly curl: readonly string[];
}

export interface StreamCall {
  readonly engines: CallEngines;
  readonly caller: KeyActor;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborted when the key may no longer be used. Downloads are cut anyway. */
  readonly revoked: AbortSignal;
  /** The downloads of this process, which a download has to join. */
  readonly transfers: Transfers;
}

/** A call with the result of `prepare`. */
type Prepared<Request, Value> = Request & { readonly prepared: Value };

/** Gives `handle` the types of the schemas. */
export function route<
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  Value = undefined,
>(
  definition: WithInput<Operation, Params, Query, Body> & {
    readonly scope: Scope | null;
    readonly ownScope?: Scope;
    readonly prepare?: (call: Call<Input<Params>, Input<Query>, Input<Body>>) => Promise<Value>;
    readonly handle: (call: Prepared<Call<Input<Params>, Input<Query>, Input<Body>>, Value>) => Promise<Result>;
  },
): KeyRoute {
  // The server has checked the input against the schemas before it calls `handle`.
  return definition as unknown as KeyRoute;
}

/** Gives `handle` the type of the schema of its body. */
export function linkRoute<Body extends TSchema | undefined = undefined>(
  definition: WithInput<Operation, undefined, undefined, Body> &
    Pick<LinkRoute, 'access' | 'linkType'> & {
      readonly handle: (call: LinkCall<Input<Body>>) => Promise<Result>;
    },
): LinkRoute {
  return definition as unknown as LinkRoute;
}

/**
 * The query or the body of an operation that has none. A request that says more than its operation knows is refused: it might
 * do more, or something else, than its caller wants.
 */
const nothing = Type.Object({}, { additionalProperties: false });

/** Describes which keys may call an operation. */
export function describeRights({ scope, ownScope }: Pick<KeyRoute, 'scope' | 'ownScope'>): string {
  if (scope === null) return 'Any key will do.';
  const own = ownScope === undefined ? '' : ` A key with \`${ownScope}\` can use it for what the key itself sent.`;
  return `Needs the scope \`${scope}\`.${own}`;
}

/** The schemas of the query and the body by which the server checks a request. */
export function toEnforcedInput({ method, query = nothing, body, stream }: Route): {
  readonly query: TSchema;
  readonly body: TSchema | undefined;
} {
  return { query, body: body ?? (stream || method === 'GET' ? undefined : nothing) };
}
