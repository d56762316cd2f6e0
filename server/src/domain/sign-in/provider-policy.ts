import { emailAddress } from '../contacts/email-address.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { ProviderClaims, ProviderMembership, ProviderRules } from '../ports/identity-provider.ts';

/** The people that a sign-in through a provider may be about. */
export interface KnownPeople {
  /** Has exactly this issuer and subject. */
  readonly byIdentity: string | undefined;
  /** Has the address that the provider sent, in the form of `findProviderAddress`. */
  readonly byEmail: string | undefined;
  /** Is signed in here, and began this sign-in in order to add the provider. */
  readonly bySession?: string | undefined;
}

export type ProviderDecision =
  | { readonly action: 'sign_in'; readonly personId: string }
  /** The session has proved who they are. */
  | { readonly action: 'link'; readonly personId: string }
  /**
   * A person with this address exists, and proves to be the one by a session of their own in this browser. A mailed link
   * that added the provider by itself would, at a click, let in whoever claims their address.
   */
  | { readonly action: 'prove_address'; readonly personId: string; readonly email: string }
  | { readonly action: 'create'; readonly email: string }
  | { readonly action: 'refuse'; readonly reason: ProviderRefusal };

export type ProviderRefusal =
  | 'identity_of_another_person'
  | 'email_missing'
  | 'email_unusable'
  | 'email_not_verified'
  | 'domain_not_allowed'
  | 'claim_not_allowed'
  | 'creation_off';

/**
 * Decides who signs in. A person is recognised by issuer and subject alone; an address is something that a provider says,
 * and leads to a person only with a proof that does not come from the provider.
 */
export function decideProviderSignIn(
  rules: ProviderRules,
  claims: ProviderClaims,
  known: KnownPeople,
): ProviderDecision {
  const { byIdentity, byEmail, bySession } = known;
  if (bySession !== undefined) {
    if (byIdentity === undefined) return { action: 'link', personId: bySession };
    return byIdentity === bySession
      ? { action: 'sign_in', personId: byIdentity }
      : refuse('identity_of_another_person');
  }
  if (byIdentity !== undefined) return { action: 'sign_in', personId: byIdentity };
  if (claims.email === undefined) return refuse('email_missing');
  const email = findProviderAddress(claims);
  if (email === undefined) return refuse('email_unusable');
  // Also before a mail is sent: nobody may have us write to an address that they only claim.
  if (rules.requireEmailVerified && claims.emailVerified !== true) return refuse('email_not_verified');
  if (byEmail !== undefined) return { action: 'prove_address', personId: byEmail, email };
  const objection = findObjection(rules, claims, email);
  return objection ? refuse(objection) : { action: 'create', email };
}

/** The address in the form in which we store addresses. Undefined if there is none that we can use. */
export function findProviderAddress({ email }: Pick<ProviderClaims, 'email'>): string | undefined {
  if (email === undefined) return undefined;
  try {
    return emailAddress(email);
  } catch (error) {
    if (error instanceof ExchangeError) return undefined;
    throw error;
  }
}

/**
 * The memberships that the person's groups give. Undefined if the provider sent no groups: then those that the person
 * has stay as they are. Of several roles in one account, the first in the settings applies.
 */
export function findProviderMemberships(
  { memberships }: Pick<ProviderRules, 'memberships'>,
  { groups }: Pick<ProviderClaims, 'groups'>,
): readonly ProviderMembership[] | undefined {
  if (groups === undefined) return undefined;
  const given = memberships.filter(({ group }) => groups.includes(group));
  return given.filter(({ account }, index) => given.findIndex((other) => other.account === account) === index);
}

function findObjection(
  { createPeople }: ProviderRules,
  { creationClaim }: ProviderClaims,
  email: string,
): ProviderRefusal | undefined {
  // Without a condition, everyone who has an account at the provider would be let in.
  if (!createPeople || (!createPeople.domains && !createPeople.claim)) return 'creation_off';
  const { domains, claim } = createPeople;
  if (domains && !domains.includes(email.slice(email.lastIndexOf('@') + 1))) return 'domain_not_allowed';
  if (claim && !creationClaim?.some((value) => claim.values.includes(value))) return 'claim_not_allowed';
  return undefined;
}

function refuse(reason: ProviderRefusal): ProviderDecision {
  return { action: 'refuse', reason };
}
