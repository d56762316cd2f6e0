import type { Scope } from '@waybill/protocol/v1';
import type { FastifyRequest } from 'fastify';
import { authenticateBearer } from '../../domain/accounts/authenticate.ts';
import type { KeyActor } from '../../domain/actor.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { limitFailures } from '../shared/limit-failures.ts';
import type { V1Engines } from './route.ts';

/**
 * Requires a live API key as a Bearer token (RFC 6750). No cookie authenticates a request, because another site could
 * make a browser send it.
 */
export async function requireKey(engines: V1Engines, request: FastifyRequest, scope: Scope | null): Promise<KeyActor> {
  const [, key] = /^bearer ([\x21-\x7e]{1,200})$/i.exec(request.headers.authorization ?? '') ?? [];
  const caller = await limitFailures(engines, request, async () => {
    if (key === undefined) throw new ExchangeError('unauthorized');
    return await authenticateBearer(engines, key, request.peer);
  });
  const { scopes } = caller.key;
  if (scope !== null && scopes !== null && !scopes.includes(scope)) {
    throw new ExchangeError('scope_missing', `The key needs the scope ${scope}.`);
  }
  return caller;
}
