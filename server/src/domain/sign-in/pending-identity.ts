import { deriveKey } from '../derive-key.ts';
import { LostKey, unwrapWith, wrapWith } from '../keys/wrapping.ts';
import type { ProviderMembership } from '../ports/identity-provider.ts';
import type { Random } from '../ports/random.ts';
import type { Identity } from './sign-in-method-store.ts';

/** An identity that a provider has recognised, and that a person is asked whether to add to their sign-in methods. */
export interface PendingIdentity extends Pick<Identity, 'issuer' | 'subject' | 'provider' | 'label'> {
  /** The person who is asked: nobody else can add it. */
  readonly personId: string;
  readonly sid: string | null;
  /** The memberships that the groups of the provider give; null if nothing is known of them. */
  readonly memberships: readonly Omit<ProviderMembership, 'group'>[] | null;
  /** A path of our own. */
  readonly returnTo: string;
}

interface Sealed extends PendingIdentity {
  /** In milliseconds. */
  readonly expiresAt: number;
}

/** Long enough to sign in once more before it is added. */
export const pendingIdentitySeconds = 15 * 60;
const context = 'identity to be added';
/** Browsers store no longer cookies. */
const maxLength = 3_800;

/** Seals it for the browser of the person, which keeps it until they decide. */
export function sealPendingIdentity(
  { pepper, random }: { readonly pepper: Buffer; readonly random: Random },
  identity: PendingIdentity,
  now: number,
): string {
  const seal = (content: PendingIdentity) => {
    const sealed: Sealed = { ...content, expiresAt: now + pendingIdentitySeconds * 1000 };
    return wrapWith(deriveKey(pepper, context), Buffer.from(JSON.stringify(sealed)), context, random).toString(
      'base64url',
    );
  };
  const whole = seal(identity);
  // The next sign-in through the provider brings them.
  return whole.length <= maxLength ? whole : seal({ ...identity, memberships: null });
}

/** Undefined unless it is one of ours that has not expired. */
export function openPendingIdentity(
  pepper: Buffer,
  sealed: string | undefined,
  now: number,
): PendingIdentity | undefined {
  if (sealed === undefined || sealed.length > maxLength) return undefined;
  try {
    const content = unwrapWith(deriveKey(pepper, context), Buffer.from(sealed, 'base64url'), context);
    const { expiresAt, ...identity } = JSON.parse(content.toString()) as Sealed;
    return now < expiresAt ? identity : undefined;
  } catch (error) {
    if (error instanceof LostKey) return undefined;
    throw error;
  }
}
