import { personAuthor } from '../audit/author.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Browser } from './browser.ts';
import { lockPerson } from './change-as-person.ts';
import type { PersonLink } from './person-link-store.ts';
import { beginSession } from './sessions.ts';

/** Finds the link that a token belongs to, open or not. */
export async function findPersonLink(
  { store, personLinks }: Pick<Engines, 'store' | 'personLinks'>,
  token: string,
): Promise<PersonLink> {
  const id = personLinks.findId(token);
  const link = id === undefined ? undefined : await store.personLinks.byId(id);
  if (!link) throw new ExchangeError('not_found');
  return link;
}

/**
 * Uses the link up, with every other one of the person, and begins a session in which the person can do nothing but register a sign-in method. Returns the
 * secret for the browser's cookie.
 */
export async function openPersonLink(
  engines: Pick<Engines, 'store' | 'random'>,
  { id, person, purpose }: PersonLink,
  browser: Browser,
): Promise<string> {
  return engines.store.transaction(async (tx) => {
    await lockPerson(tx, person.id);
    if (!(await tx.personLinks.use(id))) throw new ExchangeError('link_ended');
    await tx.personLinks.end(person.id);
    const start = { personId: person.id, stage: 'enrolment', method: 'link' } as const;
    const { secret } = await beginSession(engines, tx, start, browser);
    await record(engines, tx, {
      accountId: serverAccountId,
      author: personAuthor(person, browser.address),
      action: 'person.link_opened',
      details: { purpose },
    });
    return secret;
  });
}
