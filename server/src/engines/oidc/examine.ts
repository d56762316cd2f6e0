import type { Finding } from '../../domain/doctor/finding.ts';
import { fault, ok, reachRemedy } from '../../domain/doctor/finding.ts';
import { type Discovered, describeError, discover, findUnreachable, type OidcClient } from './discover.ts';
import { signatureAlgorithms } from './logout-token.ts';

export interface ExaminedProviders {
  readonly providers: readonly (OidcClient & { readonly id: string })[];
  readonly timeoutMs: number;
}

/** Reads metadata and keys. Whether the secret is right shows only when somebody signs in. */
export async function* examineProviders({ providers, timeoutMs }: ExaminedProviders): AsyncGenerator<Finding> {
  for (const provider of providers) yield await examineProvider(provider, provider.id, timeoutMs);
}

async function examineProvider(client: OidcClient, id: string, timeoutMs: number): Promise<Finding> {
  let discovered: Discovered;
  try {
    discovered = await discover(client, timeoutMs);
  } catch (error) {
    const remedy = findUnreachable(error)
      ? 'Check that this machine may connect to the provider, and that the provider runs.'
      : 'Correct "issuer" in WAYBILL_PROVIDERS_FILE: it is exactly the one in the provider’s metadata, including a final slash.';
    const says = `The metadata of ${id} cannot be used: ${describeError(error)}.`;
    return fault('providers.metadata', says, reachRemedy(error, remedy));
  }
  const { metadata, keys } = discovered;
  const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  if (!offered.some((algorithm) => signatureAlgorithms.includes(algorithm))) {
    const remedy = 'Create a signing key (RSA or elliptic curve) at the provider, and let it sign ID tokens with it.';
    return fault(
      'providers.keys',
      `${id} signs ID tokens only in ways that are refused: ${offered.join(', ')}.`,
      remedy,
    );
  }
  try {
    await keys.reload();
  } catch (error) {
    const remedy = 'Look at jwks_uri in the provider’s metadata: this machine must be able to read it.';
    return fault('providers.keys', `The keys of ${id} cannot be read: ${describeError(error)}.`, remedy);
  }
  if (!keys.jwks()?.keys.some(({ kty }) => kty !== 'oct')) {
    const remedy = 'Create a signing key (RSA or elliptic curve) at the provider.';
    return fault('providers.keys', `${id} has no public keys.`, remedy);
  }
  return ok('providers.keys', `${id} responds, and its keys can be used.`);
}
