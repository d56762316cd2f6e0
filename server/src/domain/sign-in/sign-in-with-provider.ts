import type { Author } from '../audit/audit-store.ts';
import { personAuthor, systemAuthor } from '../audit/author.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Browser } from '../people/browser.ts';
import { invitePerson } from '../people/invite-person.ts';
import { beginSession, type SignedIn } from '../people/sessions.ts';
import type { CompletedSignIn, ProviderClaims, ProviderRules } from '../ports/identity-provider.ts';
import {
  decideProviderSignIn,
  findProviderAddress,
  findProviderMemberships,
  type ProviderRefusal,
} from './provider-policy.ts';
import { changeMethods } from './register-method.ts';
import { recordSignIn } from './sign-in.ts';

type Needs = Pick<Engines, 'store' | 'random' | 'personLinks'> & { readonly pepper: Buffer };

export type ProviderSignIn =
  | { readonly outcome: 'signed_in'; readonly secret: string; readonly personId: string }
  /** A person with this address exists, and has to sign in with a method that they have before the provider is added. */
  | { readonly outcome: 'prove_first' }
  | { readonly outcome: 'refused'; readonly reason: ProviderRefusal };

/**
 * Signs in the person whom a provider has recognised; each of its responses is accepted once. `current` is the session in
 * which a person began to add the provider to their methods.
 */
export async function signInWithProvider(
  engines: Needs,
  rules: ProviderRules,
  { claims, personId: bySession, singleUse }: CompletedSignIn,
  browser: Browser,
  current: SignedIn | undefined,
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
    const inside = { ...engines, store: tx };
    // The server decides by the claims of the provider.
    const author = systemAuthor('server', browser.address);
    const personId =
      decision.action === 'create' ? await createPerson(inside, decision.email, claims, author) : decision.personId;
    const person = await tx.people.byId(personId);
    if (!person || person.disabled) throw new ExchangeError('sign_in_failed');
    const by = { method: 'provider', provider: { issuer, sid: claims.sid ?? null } } as const;
    const addIdentity = async () => {
      const identity = { issuer, subject, provider: claims.provider };
      if (!(await tx.signInMethods.insertIdentity(personId, identity))) throw new ExchangeError('sign_in_failed');
      return { action: 'identity.added', details: { issuer } } as const;
    };
    let secret: string;
    if (decision.action === 'link') {
      if (current?.person.id !== personId) throw new ExchangeError('sign_in_failed');
      secret = await changeMethods(inside, current, by, browser, addIdentity);
    } else {
      if (decision.action === 'create') {
        const own = personAuthor(person, browser.address);
        await record(engines, tx, { accountId: serverAccountId, author: own, ...(await addIdentity()) });
      }
      ({ secret } = await beginSession(engines, tx, { personId, stage: 'complete', ...by }, browser));
      await recordSignIn(engines, tx, person, claims.provider, browser);
    }
    await tx.signInMethods.recordIdentityUse(issuer, subject);
    await followGroups(inside, rules, claims, personId, author);
    return { outcome: 'signed_in', secret, personId };
  });
}

async function createPerson(
  engines: Needs,
  email: string,
  { name, language }: ProviderClaims,
  author: Author,
): Promise<string> {
  const invitation = { email, name, language, isSignedIn: true, mail: false };
  const { person } = await invitePerson(engines, author, invitation);
  return person.id;
}

/**
 * The accounts that the provider's settings name follow its groups; if it sent none, everything stays as it is. The last
 * owner of an account stays its owner.
 */
async function followGroups(
  { store: tx, random }: Needs,
  rules: ProviderRules,
  claims: ProviderClaims,
  personId: string,
  author: Author,
): Promise<void> {
  const { provider } = claims;
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
    await record({ random }, tx, {
      accountId: found.id,
      author,
      ...(given
        ? { action: 'member.set', details: { personId, provider }, after: { role: given.role } }
        : { action: 'member.removed', details: { personId, provider } }),
      before: { role: current?.role ?? null },
    });
  }
}
