import { limits } from '@waybill/protocol';
import type { Account } from '../accounts/account-store.ts';
import { isDisplayName } from '../accounts/set-account-choices.ts';
import type { Author } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { isSafeName } from '../safe-name.ts';
import type { Store } from '../store.ts';
import { addMember } from './change-members.ts';
import type { MemberRole, Person } from './person-store.ts';

const invitationSeconds = 7 * 24 * 60 * 60;
/** Keeps others from filling a mailbox: by each account, and by all together. */
const linksPerHour = { byAccount: 3, all: 10 };
const handleBytes = 32;
export const personNameLength = 100;

export interface Invitation {
  readonly email: string;
  readonly name?: string | undefined;
  readonly language?: string | undefined;
  readonly isAdministrator?: boolean | undefined;
  /** The account that the person joins besides their own. */
  readonly membership?: { readonly accountId: string; readonly role: MemberRole } | undefined;
  /** The domain that the address of somebody who cannot sign in yet must have; undefined: any. */
  readonly domain?: string | undefined;
  /** Whether a provider has signed the person in, who then needs no link. */
  readonly isSignedIn?: boolean | undefined;
  /** False if the caller passes the link on. */
  readonly mail: boolean;
}

/**
 * Invites a person: creates them and an account with their own address, unless they exist, and mails them the link at
 * which they choose how to sign in. A person who can already sign in only gets the membership, or becomes an
 * administrator; so does somebody whom another account or the operator has sent a link that is open.
 */
export async function invitePerson(
  engines: Pick<Engines, 'store' | 'random' | 'personLinks'>,
  author: Author,
  invitation: Invitation,
): Promise<{ person: Person; link: string | undefined; isPromoted: boolean; isPending: boolean }> {
  const email = emailAddress(invitation.email);
  const name = (invitation.name ?? '').trim();
  if (name.length > personNameLength || !isSafeName(name)) {
    throw new ExchangeError(
      'invalid_input',
      `A name has up to ${personNameLength} characters, and no @, quotation marks, < or >.`,
    );
  }
  const language = (invitation.language ?? '').slice(0, limits.languageLength);
  const { random } = engines;
  return engines.store.transaction(async (tx) => {
    const handle = random.bytes(handleBytes);
    const isAdministrator = invitation.isAdministrator ?? false;
    const isNew = await tx.people.insert({ id: random.uuid(), email, name, language, handle, isAdministrator });
    const found = await tx.people.byEmail(email);
    if (!found) throw new Error('the person just inserted is not there');
    await tx.people.lock(found.id);
    const isPending = isNew || !(await tx.signInMethods.hasAny(found.id));
    const { domain } = invitation;
    if (isPending && domain !== undefined && !email.endsWith(`@${domain}`)) {
      throw new ExchangeError('invalid_input', `Only an administrator can invite people from outside ${domain}.`);
    }
    if (found.disabled) throw new ExchangeError('invalid_input', `${email} is disabled. Enable the person first.`);
    const isPromoted = isAdministrator && !found.isAdministrator;
    if (isPromoted) await tx.people.makeAdministrator(found.id);
    const person = { ...found, isAdministrator: isPromoted || found.isAdministrator };
    const account = isNew ? await openOwnAccount(engines, tx, author, person) : undefined;
    const { membership } = invitation;
    if (membership) await addMember(tx, { ...membership, personId: person.id }, { isPending });
    const needsLink = !invitation.isSignedIn && isPending;
    if (isNew || membership || isPromoted || needsLink) {
      await record(engines, tx, {
        accountId: membership?.accountId ?? account?.id ?? serverAccountId,
        author,
        action: isPromoted && !membership ? 'person.made_administrator' : 'person.invited',
        addresses: [email],
        details: {
          personId: person.id,
          ...(membership ? { role: membership.role } : {}),
          ...(isAdministrator ? { isAdministrator } : {}),
          ...(account ? { ownAccountId: account.id } : {}),
        },
      });
    }
    const none = { person, link: undefined, isPromoted, isPending };
    if (!needsLink) return none;
    const accountId = author.kind === 'person' ? (membership?.accountId ?? null) : null;
    if (author.kind === 'person') {
      const open = await tx.personLinks.findOpen(person.id);
      if (open && open.accountId !== accountId) return none;
      const sent = await tx.personLinks.countSince(person.id, 'invitation', 3600, accountId);
      if (sent.byAccount >= linksPerHour.byAccount || sent.all >= linksPerHour.all) {
        throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds: 3600 });
      }
    }
    const id = random.uuid();
    const invitedBy = author.kind === 'command' ? '' : author.name;
    const link = { id, personId: person.id, purpose: 'invitation', invitedBy, accountId } as const;
    await tx.personLinks.end(person.id);
    await tx.personLinks.insert({ ...link, lifetimeSeconds: invitationSeconds }, invitation.mail);
    return { ...none, link: engines.personLinks.toUrl(id) };
  });
}

/**
 * Gives a new person an account with their own address. If programs have used such an account before, only an
 * administrator can make it the person's, and only while it has no members.
 */
async function openOwnAccount(
  engines: Pick<Engines, 'random'>,
  tx: Store,
  author: Author,
  { id: personId, email, language, name }: Person,
): Promise<Pick<Account, 'id'> | undefined> {
  const id = engines.random.uuid();
  if (await tx.accounts.insert({ id, email, phone: '', type: 'user', language })) {
    // A provider lets people choose their names.
    if (name !== '' && isDisplayName(name)) await tx.accounts.setChoices(id, { displayName: name });
    await tx.people.setMembership(id, personId, 'owner');
    return { id };
  }
  if (author.kind !== 'command') return undefined;
  const existing = await tx.accounts.byEmail(email);
  if (
    !existing ||
    existing.deleting ||
    existing.testOf !== null ||
    (await tx.people.members(existing.id, '', 1)).length > 0
  )
    return undefined;
  await tx.people.setMembership(existing.id, personId, 'owner');
  return existing;
}

/** A whole account at once, and then as many a day. */
const invitationRule = { free: 200, firstDelaySeconds: 432, maxDelaySeconds: 432, decaySeconds: 432 };

/** Counts an invitation by an owner: each may create a person with an account, and mails someone who did not ask for it. */
export async function limitInvitations(
  { attemptLimit }: Pick<Engines, 'attemptLimit'>,
  accountId: string,
): Promise<void> {
  const retryAfterSeconds = await attemptLimit.acquire([{ key: `invitations:${accountId}`, rule: invitationRule }]);
  if (retryAfterSeconds > 0) throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds });
}
