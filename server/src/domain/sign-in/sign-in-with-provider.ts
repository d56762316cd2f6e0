import type { Author } from '../audit/audit-store.ts';
import { personAuthor, systemAuthor } from '../audit/author.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Browser } from '../people/browser.ts';
import { lockPerson } from '../people/change-as-person.ts';
import { invitePerson, personNameLength } from '../people/invite-person.ts';
import { beginSession, type SignedIn } from '../people/sessions.ts';
import type { CompletedSignIn, ProviderClaims, ProviderLogout, ProviderRules } from '../ports/identity-provider.ts';
import { isSafeName } from '../safe-name.ts';
import type { Store } from '../store.ts';
import type { PendingIdentity } from './pending-identity.ts';
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
  /**
   * Nobody has this identity yet, and it can become this person's: they began to add it, or have the address that the
   * provider named. Nothing was changed: they decide when they are signed in and have seen which identity it is.
   */
  | { readonly outcome: 'pending'; readonly identity: PendingIdentity }
  | { readonly outcome: 'refused'; readonly reason: ProviderRefusal };

const identitiesPerPerson = 20;
const labelLength = 200;

/** Signs in the person whom a provider has recognised; each of its responses is accepted once. */
export async function signInWithProvider(
  engines: Needs,
  rules: ProviderRules,
  { claims, personId: bySession, singleUse, returnTo }: CompletedSignIn,
  browser: Browser,
): Promise<ProviderSignIn> {
  const { issuer, subject } = claims;
  const label = makeLabel(claims);
  return engines.store.transaction(async (tx) => {
    if (!(await tx.usedTokens.use(singleUse.digest, singleUse.seconds))) throw new ExchangeError('sign_in_failed');
    const email = findProviderAddress(claims);
    const decision = decideProviderSignIn(rules, claims, {
      byIdentity: await tx.signInMethods.findPersonId(issuer, subject),
      byEmail: email === undefined ? undefined : (await tx.people.byEmail(email))?.id,
      bySession,
    });
    if (decision.action === 'refuse') return { outcome: 'refused', reason: decision.reason };
    const memberships = findProviderMemberships(rules, claims);
    const sid = claims.sid ?? null;
    const identity = { issuer, subject, provider: claims.provider, label };
    if (decision.action === 'link' || decision.action === 'prove_address') {
      const { personId } = decision;
      const pending = { ...identity, personId, sid, memberships: memberships ?? null, returnTo };
      return { outcome: 'pending', identity: pending };
    }
    const inside = { ...engines, store: tx };
    // The server decides by the claims of the provider.
    const author = systemAuthor('server', browser.address);
    const isNew = decision.action === 'create';
    const personId = isNew ? await createPerson(inside, decision.email, claims, author) : decision.personId;
    const person = await lockPerson(tx, personId);
    if (isNew) {
      const own = personAuthor(person, browser.address);
      const added = await insertIdentity(tx, personId, identity);
      await record(engines, tx, { accountId: serverAccountId, author: own, ...added });
    } else if ((await tx.signInMethods.findPersonId(issuer, subject)) !== personId) {
      // It was removed before the person was locked.
      throw new ExchangeError('sign_in_failed');
    }
    const by = { method: 'provider', provider: { issuer, sid } } as const;
    const { secret } = await beginSession(engines, tx, { personId, stage: 'complete', ...by }, browser);
    await recordSignIn(engines, tx, person, claims.provider, browser);
    await tx.signInMethods.recordIdentityUse(identity);
    await followGroups(inside, rules, memberships, { personId, author });
    return { outcome: 'signed_in', secret, personId };
  });
}

/** Adds the identity that a person has seen, and signs them in with it; returns the secret of the next session. */
export async function addIdentity(
  engines: Needs,
  rules: ProviderRules,
  current: SignedIn,
  { personId, sid, memberships, ...identity }: PendingIdentity,
  browser: Browser,
): Promise<string> {
  if (current.person.id !== personId) throw new ExchangeError('sign_in_failed');
  const by = { method: 'provider', provider: { issuer: identity.issuer, sid } } as const;
  return await changeMethods(engines, current, by, browser, async (tx) => {
    if ((await tx.signInMethods.identities(personId)).length >= identitiesPerPerson) {
      const most = `A person has at most ${identitiesPerPerson} identities at providers.`;
      throw new ExchangeError('invalid_input', `${most} Remove one first.`);
    }
    const added = await insertIdentity(tx, personId, identity);
    const author = systemAuthor('server', browser.address);
    await followGroups({ ...engines, store: tx }, rules, memberships ?? undefined, { personId, author });
    const { label } = identity;
    return { ...added, added: { kind: 'identity', provider: rules.name, label } };
  });
}

/** Ends the sessions that a logout token of a provider names; each token is accepted once. */
export async function endProviderSessions(
  engines: Pick<Engines, 'store' | 'random'>,
  { issuer, sid, subject, singleUse }: ProviderLogout,
  address: string | undefined,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.usedTokens.use(singleUse.digest, singleUse.seconds))) throw new ExchangeError('malformed_request');
    const which = sid === undefined ? (subject === undefined ? undefined : { subject }) : { sid };
    const count = which ? await tx.sessions.endOfProvider(issuer, which) : 0;
    if (count === 0) return;
    const author = systemAuthor('server', address);
    const details = { issuer, count };
    await record(engines, tx, { accountId: serverAccountId, author, action: 'sessions.ended', details });
  });
}

async function insertIdentity(
  tx: Pick<Store, 'signInMethods'>,
  personId: string,
  { issuer, subject, provider, label }: Pick<PendingIdentity, 'issuer' | 'subject' | 'provider' | 'label'>,
) {
  const identity = { issuer, subject, provider, label };
  if (!(await tx.signInMethods.insertIdentity(personId, identity))) throw new ExchangeError('sign_in_failed');
  return { action: 'identity.added', details: { issuer } } as const;
}

/** The name by which a person recognises their identity: the address at the provider, or else the name. */
function makeLabel({ email, name }: ProviderClaims): string {
  return (email ?? name ?? '').toWellFormed().replaceAll(/\p{C}/gu, '').trim().slice(0, labelLength).toWellFormed();
}

async function createPerson(
  engines: Needs,
  email: string,
  { name = '', language }: ProviderClaims,
  author: Author,
): Promise<string> {
  // A provider lets people choose their names: they choose another one here, if this is none.
  const usable = name.length <= personNameLength && isSafeName(name) ? name : '';
  const invitation = { email, name: usable, language, isSignedIn: true, mail: false };
  const { person } = await invitePerson(engines, author, invitation);
  return person.id;
}

/**
 * The accounts that the provider's settings name follow its groups; if it sent none, everything stays as it is. The last
 * owner of an account stays its owner.
 */
async function followGroups(
  { store: tx, random }: Pick<Needs, 'store' | 'random'>,
  rules: ProviderRules,
  memberships: PendingIdentity['memberships'] | undefined,
  { personId, author }: { readonly personId: string; readonly author: Author },
): Promise<void> {
  if (!memberships) return;
  for (const account of new Set(rules.memberships.map((each) => each.account))) {
    const found = await tx.accounts.byEmail(account);
    // A test account has no members.
    if (!found || found.deleting || found.testOf !== null) continue;
    await tx.accounts.lock(found.id);
    const given = memberships.find((each) => each.account === account)?.role;
    // Also in an account that is disabled: it may be enabled again, and then needs its owner.
    const current = await tx.people.role(found.id, personId);
    const isLastOwner = current === 'owner' && (await tx.people.countMembers(found.id)).owners === 1;
    if (isLastOwner || current === given) continue;
    if (given) await tx.people.setMembership(found.id, personId, given);
    else await tx.people.removeMembership(found.id, personId);
    const details = { personId, provider: rules.id };
    await record({ random }, tx, {
      accountId: found.id,
      author,
      ...(given ? { action: 'member.set', details, after: { role: given } } : { action: 'member.removed', details }),
      before: { role: current ?? null },
    });
  }
}
