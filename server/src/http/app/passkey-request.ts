import { toPasskeySite } from '../../domain/sign-in/passkey-values.ts';
import type { PasskeyRequest } from '../../domain/sign-in/sign-in.ts';
import type { Visit } from './app-route.ts';

/** A passkey belongs to the host name under which the browser reached this server. */
export function toPasskeyRequest({
  engines,
  origin,
}: Pick<Visit, 'engines' | 'origin'>): Omit<PasskeyRequest, 'boundTo'> {
  return { site: toPasskeySite(origin, engines.policy.operatorName), now: new Date() };
}
