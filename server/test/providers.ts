import type { BegunSignIn, CompletedSignIn, ProviderFailure } from '../src/domain/ports/identity-provider.ts';
import {
  type IdentityProvidersOptions,
  identityProviders,
  type OidcProvider,
} from '../src/engines/oidc/identity-providers.ts';
import { deterministicRandom } from './random.ts';

export const publicUrl = 'https://files.example.org';

/** A provider as the settings describe it, with the defaults of everything that is not given. */
export function toProvider(given: Pick<OidcProvider, 'issuer'> & Partial<OidcProvider>): OidcProvider {
  return {
    id: 'staff',
    name: 'Staff',
    clientId: 'waybill',
    clientSecret: 'TheSecretOfTheClientAtTheTestProvider',
    clientAuthentication: undefined,
    scopes: ['openid', 'email', 'profile'],
    requireEmailVerified: true,
    createPeople: undefined,
    groupsClaim: undefined,
    memberships: [],
    endSession: false,
    ...given,
  };
}

/** The engine with these providers, and everything that it writes to the log. */
export function openProviders(providers: readonly OidcProvider[], options: Partial<IdentityProvidersOptions> = {}) {
  const warnings: Readonly<Record<string, string | number>>[] = [];
  const engine = identityProviders({
    providers,
    publicUrl,
    pepper: Buffer.alloc(32, 1),
    random: deterministicRandom('providers'),
    logger: {
      warn: (event, details) => void warnings.push({ event, ...details }),
      info: () => undefined,
    },
    ...options,
  });
  return { ...engine, warnings };
}

export function requireBegun(begun: BegunSignIn | ProviderFailure): BegunSignIn {
  if ('failure' in begun) throw new Error(`The sign-in did not begin: ${begun.failure}`);
  return begun;
}

export function requireCompleted(completed: CompletedSignIn | ProviderFailure): CompletedSignIn {
  if ('failure' in completed) throw new Error(`The sign-in did not complete: ${completed.failure}`);
  return completed;
}

/** The path and the query with which the browser returns. */
export function toRequestTarget(url: string): string {
  if (!url.startsWith(`${publicUrl}/`)) throw new Error(`${url} is not one of ours.`);
  return url.slice(publicUrl.length);
}
