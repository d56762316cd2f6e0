import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Actor } from '../domain/ports/index.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** How a route knows its caller. Every route says; one that does not stops the server from starting. */
export type Authentication = 'nobody' | 'account' | 'account+csrf' | 'link' | 'code-pending' | 'link-session';

declare module 'fastify' {
  interface FastifyContextConfig {
    authentication?: Authentication;
    /** Whether the route moves files: such requests begin in turn. */
    transfer?: boolean;
  }
  interface FastifyRequest {
    actor: Actor | undefined;
    /** To be called when a transfer has begun, so that the next one can. Does nothing elsewhere, or a second time. */
    endTurn: () => void;
    /** Waits for another turn, at the end of a transfer. Returns what ends it. */
    takeTurn: (waitMs?: number) => Promise<() => void>;
  }
}
