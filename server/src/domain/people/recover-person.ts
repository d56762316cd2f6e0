import type { Author } from '../audit/audit-store.ts';
import { systemAuthor } from '../audit/author.ts';
import { record, serverAccountId } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Person } from './person-store.ts';

/** The job that mails a person a link for a new sign-in method, if there is such a person. */
export const recoverPersonJob = 'recover-person';

const linkSeconds = 60 * 60;
/** Keeps others from filling a mailbox. */
const linksPerHour = 3;

/**
 * Asks for a link for a new sign-in method. Only a job finds out whether there is such a person, so that neither the
 * response nor the time it takes tells.
 */
export async function requestRecovery({ store }: Pick<Engines, 'store'>, email: string): Promise<void> {
  await store.personLinks.requestRecovery(emailAddress(email));
}

export async function recoverPerson(
  { store, random }: Pick<Engines, 'store' | 'random'>,
  email: string,
): Promise<void> {
  await store.transaction(async (tx) => {
    const person = await tx.people.byEmail(email);
    // An invitation that was not accepted can be revoked, so that nothing else may lead to an account.
    if (!person || person.disabled || !(await tx.signInMethods.hasAny(person.id))) return;
    await tx.people.lock(person.id);
    if ((await tx.personLinks.countSince(person.id, 'recovery', 60 * 60)).all >= linksPerHour) return;
    const link = {
      id: random.uuid(),
      personId: person.id,
      purpose: 'recovery',
      invitedBy: '',
      accountId: null,
    } as const;
    // Earlier links stay open: anybody may have asked, also while an administrator hands one over.
    await tx.personLinks.insert({ ...link, lifetimeSeconds: linkSeconds }, true);
    const author = systemAuthor('server');
    await record({ random }, tx, {
      accountId: serverAccountId,
      author,
      action: 'person.recovered',
      addresses: [email],
    });
  });
}

/** Makes a recovery link for an administrator's command, mailed unless the administrator passes it on. */
export async function makeRecoveryLink(
  engines: Pick<Engines, 'store' | 'random' | 'personLinks'>,
  author: Author,
  { id: personId, email, disabled }: Person,
  { mail }: { readonly mail: boolean },
): Promise<string> {
  if (disabled) throw new ExchangeError('invalid_input', `${email} is disabled. Enable the person first.`);
  const id = engines.random.uuid();
  await engines.store.transaction(async (tx) => {
    const link = { id, personId, purpose: 'recovery', invitedBy: '', accountId: null } as const;
    await tx.personLinks.end(personId);
    await tx.personLinks.insert({ ...link, lifetimeSeconds: linkSeconds }, mail);
    await record(engines, tx, { accountId: serverAccountId, author, action: 'person.recovered', addresses: [email] });
  });
  return engines.personLinks.toUrl(id);
}
