import type { AuditAction } from '../audit/actions.ts';
import { personAuthor } from '../audit/author.ts';
import { findDifference, record, serverAccountId, type UnattributedChange } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { NewsKind } from '../outbox/news.ts';
import type { Store } from '../store.ts';
import type { Browser } from './browser.ts';
import type { Person, Profile } from './person-store.ts';

type Changing = Pick<Engines, 'store' | 'random'>;
/** The person who changes something about themselves, and where they are. */
interface PersonHere {
  readonly person: Person;
  readonly browser: Browser;
}

/**
 * Makes a change that a person makes about themselves, and records it with where they were. A session that ends by it is
 * not continued by one that replaces it at that moment.
 */
export async function changeAsPerson(
  engines: Changing,
  { person, browser }: PersonHere,
  action: AuditAction,
  change: (tx: Store) => Promise<Omit<UnattributedChange, 'action'>>,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    await lockPerson(tx, person.id);
    const changed = await change(tx);
    const author = personAuthor(person, browser.address);
    await record(engines, tx, { accountId: serverAccountId, author, action, ...changed });
  });
}

/**
 * Locks a person, until the transaction ends, before their session begins or goes on: a change of their sign-in methods
 * that has ended all sessions must not be followed by one that was under way. Returns the person as they are then.
 */
export async function lockPerson(tx: Pick<Store, 'people'>, personId: string): Promise<Person> {
  await tx.people.lock(personId);
  const person = await tx.people.byId(personId);
  if (!person || person.disabled) throw new ExchangeError('sign_in_failed');
  return person;
}

export async function changeProfile(engines: Changing, here: PersonHere, profile: Profile): Promise<void> {
  const { id, name, language, timeZone } = here.person;
  await changeAsPerson(engines, here, 'person.changed', async (tx) => {
    await tx.people.setProfile(id, profile);
    return findDifference({ name, language, timeZone }, profile);
  });
}

export async function setShortcuts(engines: Changing, here: PersonHere, hasShortcuts: boolean): Promise<void> {
  const { id, hasShortcuts: before } = here.person;
  await changeAsPerson(engines, here, 'person.changed', async (tx) => {
    await tx.people.setShortcuts(id, hasShortcuts);
    return { before: { hasShortcuts: before }, after: { hasShortcuts } };
  });
}

/** Chooses the news of an account that the person gets by mail. */
export async function changeNews(
  engines: Changing,
  here: PersonHere,
  accountId: string,
  { before, after }: { readonly before: readonly NewsKind[]; readonly after: readonly NewsKind[] },
): Promise<void> {
  await changeAsPerson(engines, here, 'notifications.changed', async (tx) => {
    await tx.people.setNews(accountId, here.person.id, after);
    return { details: { accountId }, before: { news: before }, after: { news: after } };
  });
}

export async function signOut(engines: Changing, here: PersonHere, sessionId: string): Promise<void> {
  await changeAsPerson(engines, here, 'person.signed_out', async (tx) => {
    await tx.sessions.end(here.person.id, { id: sessionId });
    return {};
  });
}

/** Ends a session of the person in another browser. */
export async function endOwnSession(engines: Changing, here: PersonHere, sessionId: string): Promise<void> {
  await changeAsPerson(engines, here, 'session.ended', async (tx) => {
    if ((await tx.sessions.end(here.person.id, { id: sessionId })) === 0) throw new ExchangeError('not_found');
    return { details: { sessionId } };
  });
}

export async function endOtherSessions(engines: Changing, here: PersonHere, sessionId: string): Promise<void> {
  await changeAsPerson(engines, here, 'sessions.ended', async (tx) => ({
    details: { count: await tx.sessions.end(here.person.id, { except: sessionId }) },
  }));
}

export async function renamePasskey(engines: Changing, here: PersonHere, id: Buffer, name: string): Promise<void> {
  const personId = here.person.id;
  await changeAsPerson(engines, here, 'passkey.renamed', async (tx) => {
    const before = (await tx.signInMethods.passkeys(personId)).find(({ credentialId }) => credentialId.equals(id));
    if (!before || name === '') throw new ExchangeError('not_found');
    await tx.signInMethods.renamePasskey(personId, id, name);
    return findDifference({ name: before.name }, { name });
  });
}
