import type { FastifyRequest } from 'fastify';
import { authenticate } from '../../domain/accounts/authenticate.ts';
import type { KeyActor } from '../../domain/actor.ts';
import type { Engines } from '../../domain/engines.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { limitFailures } from '../shared/limit-failures.ts';

export type AuthenticationEngines = Pick<Engines, 'store' | 'csrfTokens' | 'failureLimit'> & {
  readonly pepper: Buffer;
};

const longestCredentials = 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** docs/api.md#authentication: HTTP Basic, and the account in the path must be the one that authenticated. */
export async function requireAccount(engines: AuthenticationEngines, request: FastifyRequest): Promise<KeyActor> {
  const { authorization } = request.headers;
  if (authorization === undefined) throw new ExchangeError('unauthorized');
  const actor = await limitFailures(engines, request, async () => {
    const credentials = parseBasic(authorization);
    if (!credentials) throw new ExchangeError('unauthorized');
    return await authenticate(engines, credentials.user, credentials.apiKey, request.peer);
  });
  // The same response whether or not the other account exists.
  if ((request.params as { user?: string }).user !== actor.email) throw new ExchangeError('wrong_account');
  return actor;
}

/** docs/api.md#csrf-token */
export async function requireCsrfToken(
  engines: AuthenticationEngines,
  request: FastifyRequest,
  actor: KeyActor,
): Promise<void> {
  const token = request.headers['csrf-token'];
  const shaped = typeof token === 'string' && /^[A-Za-z0-9_-]{43}$/.test(token);
  if (!shaped || !(await engines.csrfTokens.accept(actor.accountId, token))) throw new ExchangeError('csrf_rejected');
}

/** RFC 7617. Only canonical base64: a value that two decoders could read differently is rejected. */
export function parseBasic(authorization: string): { user: string; apiKey: string } | undefined {
  if (authorization.length > longestCredentials) return undefined;
  const [, base64] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  if (!base64) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) return undefined;
  try {
    const [, user, apiKey] = /^([^:\p{Cc}]+):(\P{Cc}+)$/u.exec(utf8.decode(bytes)) ?? [];
    return user && apiKey ? { user, apiKey } : undefined;
  } catch {
    return undefined;
  }
}
