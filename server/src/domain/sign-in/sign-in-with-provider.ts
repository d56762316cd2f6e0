import { systemAuthor } from '../audit/author.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Browser } from '../people/browser.ts';
import { invitePerson } from '../people/invite-person.ts';
import { beginSession } from '../people/sessions.ts';
import type { CompletedSignIn, ProviderClaims, ProviderRules } from '../ports/identity-provider.ts';
import type { Store } from '../store.ts';
import {
  decideProviderSignIn,
  findProviderAddress,
  findProviderMemberships,
  type ProviderRefusal,
} from './provider-policy.ts';
import { recordSignIn } from './sign-in.ts';

type Needs = Pick<Engines, 'store' | 'random' | 'personLinks'> & { readonly pepper: Buffer };

export type ProviderSignIn =
  | { readonly outcome: 'signed_in'; readonly secret: string; readonly personId: string }
  /** A person with this address exists, and has to sign in with a method that they have before the provider is added. */
  | { readonly outcome: 'prove_first' }
  | { readonly outcome: 'refused'; readonly reason: ProviderRefusal };

/** Signs in the person whom a provider has recognised; each of its responses is accepted once. */
export async function signInWithProvider(
  engines: Needs,
  rules: ProviderRules,
  { claims, personId: bySession, singleUse }: CompletedSignIn,
  browser: Browser,
): Promise<ProviderSignIn> {
  const { issuer, subject } = claims;
  return engines.store.transaction(async (tx) => {
    if (!(await tx.usedTokens.use(singleUse.digest, singleUse.seconds))) throw new ExchangeError('sign_in_failed');
    const email = findProviderAddress(claims);
    const decision = decideProviderSignIn(rules, claims, {
      byIdentity: await tx.signInMethods.findPersonId(issuer, subject),
      byEmail: email === undefined ? undefined : (await tx.people.byEmail(email))?.id,
      bySession,
    });
    if (decision.action === 'refuse') return { outcome: 'refused', reason: decision.reason };
    if (decision.action === 'prove_address') return { outcome: 'prove_first' };
    const personId =
      decision.action === 'create'
        ? await createPerson({ ...engines, store: tx }, decision.email, claims)
        : decision.personId;
    if (decision.action !== 'sign_in') {
      await tx.people.lock(personId);
      const identity = { issuer, subject, provider: claims.provider };
      if (!(await tx.signInMethods.insertIdentity(personId, identity))) throw new ExchangeError('sign_in_failed');
    }
    const person = await tx.people.byId(personId);
    if (!person || person.disabled) throw new ExchangeError('sign_in_failed');
    await tx.signInMethods.recordIdentityUse(issuer, subject);
    await followGroups(tx, rules, claims, personId);
    const provider = { issuer, sid: claims.sid ?? null };
    const { secret } = await beginSession(
      engines,
      tx,
      { personId, stage: 'complete', method: 'provider', provider },
      browser,
    );
    await recordSignIn(engines, tx, person, claims.provider, browser);
    return { outcome: 'signed_in', secret, personId };
  });
}

async function createPerson(engines: Needs, email: string, { name, language }: ProviderClaims): Promise<string> {
  const invitation = { email, name, language, isSignedIn: true, mail: false };
  const { person } = await invitePerson(engines, systemAuthor('server'), invitation);
  return person.id;
}

/**
 * The accounts that the provider's settings name follow its groups; if it sent none, everything stays as it is. The last
 * owner of an account stays its owner.
 */
async function followGroups(tx: Store, rules: ProviderRules, claims: ProviderClaims, personId: string): Promise<void> {
  const memberships = findProviderMemberships(rules, claims);
  if (memberships === undefined) return;
  for (const account of new Set(rules.memberships.map((each) => each.account))) {
    const found = await tx.accounts.byEmail(account);
    if (!found || found.deleting) continue;
    await tx.accounts.lock(found.id);
    const given = memberships.find((each) => each.account === account);
    const current = await tx.people.membership(personId, account);
    const isLastOwner = current?.role === 'owner' && (await tx.people.countMembers(found.id)).owners === 1;
    if (isLastOwner || current?.role === given?.role) continue;
    if (given) await tx.people.setMembership(found.id, personId, given.role);
    else await tx.people.removeMembership(found.id, personId);
  }
}
