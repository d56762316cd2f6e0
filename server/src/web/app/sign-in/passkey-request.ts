import { isIP } from 'node:net';
import type { Browser } from '../../../domain/people/browser.ts';
import { toPasskeySite } from '../../../domain/sign-in/passkey-values.ts';
import type { PasskeyRequest } from '../../../domain/sign-in/sign-in.ts';
import { describeBrowser } from '../../../present/texts/user-agent.ts';
import type { AppRequest, Visit } from '../shared/app-route.ts';

/** Returns the routes where browsers can use passkeys: under a name, not at an address such as 127.0.0.1. */
export function offerPasskeys<Routes>({ origin }: Pick<AppRequest, 'origin'>, routes: Routes): Routes | undefined {
  return isIP(new URL(origin).hostname.replace(/^\[|\]$/g, '')) === 0 ? routes : undefined;
}

/** A passkey belongs to the host name under which the browser reached this server. */
export function toPasskeyRequest({ engines, origin }: Visit): Omit<PasskeyRequest, 'boundTo'> {
  return { site: toPasskeySite(origin, engines.policy.operatorName), now: new Date() };
}

/** A name by which the person recognises the passkey later, such as `Chrome, macOS`. */
export function namePasskey({ userAgent }: Browser): string {
  const { browser, system } = describeBrowser(userAgent);
  return [browser, system].filter(Boolean).join(', ');
}
