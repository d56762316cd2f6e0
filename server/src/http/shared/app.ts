import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ErrorCode } from '@waybill/protocol';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { KeyActor } from '../../domain/actor.ts';
import type { LinkSession } from '../../domain/links/link-store.ts';
import type { MemberAccess } from '../../domain/people/session-store.ts';
import type { Surface } from '../../observe/metrics.ts';
import type { Trace } from '../../observe/tracing.ts';
import type { TransferLanes } from '../transfer/transfer-lanes.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/**
 * The way in which a route authenticates its caller. The server does not start with a route that does not declare it.
 */
export type Authentication =
  | 'nobody'
  | 'account'
  | 'account+csrf'
  | 'key'
  | 'link'
  | 'code-pending'
  | 'link-session'
  | 'link-program'
  | 'link-program-pending'
  | 'session'
  | 'member'
  | 'operator';

declare module 'fastify' {
  interface FastifyContextConfig {
    authentication?: Authentication;
    /** Whether the route transfers files: only a limited number of such requests begin at the same time. */
    transfer?: boolean;
    /** Whether the route accepts a body of any media type. */
    anyBody?: boolean;
    /** The part of the server that the route belongs to. */
    surface?: Surface;
  }
  interface FastifyRequest {
    /** The program that makes the request, if it authenticated with a key. */
    actor: KeyActor | undefined;
    /** The access that allows the request, if a member of an account makes it in the app. */
    member: MemberAccess | undefined;
    /** The session of the program that makes the request, if it has a link and no account. */
    linkSession: LinkSession | undefined;
    /** The drop or request for files that the HTTP request is about, for the log. */
    dropId: string | undefined;
    /** The address of the client. The request itself no longer knows it once its body was abandoned. */
    peer: string;
    /** The error code of the response. */
    refusal: ErrorCode | undefined;
    trace: Trace | undefined;
    /** Lets the next transfer begin before this one has read or sent a byte. Elsewhere, or a second time, it does nothing. */
    transferBegan: () => void;
    /** Limits other work of transfers that many requests may do at the same time, such as recording their end. */
    transferLanes: TransferLanes;
  }
}
