import { hash } from 'node:crypto';
import { toSubscriber } from '../accounts/network.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError, invalidField } from '../exchange-error.ts';
import type { AttemptCount } from '../ports/limits.ts';
import { isSafeName } from '../safe-name.ts';
import type { OpenPage } from './public-page-store.ts';
import { isPageName } from './set-public-page.ts';

const maxVisitorNameLength = 100;

/** A page that is closed, or whose account is disabled, looks as if it never existed. */
export async function findPublicPage(
  { store, policy }: Pick<Engines, 'store' | 'policy'>,
  name: string,
): Promise<OpenPage> {
  const isPossible = policy.publicPage.isAllowed && isPageName(name);
  const page = isPossible ? await store.publicPages.byName(name) : undefined;
  if (!page) throw new ExchangeError('not_found');
  return page;
}

/**
 * Asks for a mail with a link through which the visitor can send files. Only a job finds out whether the address may be
 * sent one, so that neither the response nor the time it takes tells whether it was used or blocked before.
 */
export async function requestPublicLink(
  { store, policy, attemptLimit }: Pick<Engines, 'store' | 'policy' | 'attemptLimit'>,
  { accountId }: OpenPage,
  input: { readonly email: string; readonly name: string; readonly language: string; readonly address: string },
): Promise<void> {
  const visitor = { email: emailAddress(input.email), name: visitorName(input.name), language: input.language };
  const { mailsPerNetwork, mailsPerPage } = policy.publicPage;
  const retryAfterSeconds = await attemptLimit.acquire([
    countPerDay('network', toSubscriber(input.address), mailsPerNetwork),
    countPerDay('page', accountId, mailsPerPage),
  ]);
  if (retryAfterSeconds > 0) throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds });
  await store.publicPages.requestLink(accountId, visitor);
}

/**
 * Returns a visitor's name without addresses: as a sender's name, one could be mistaken for the address that files come
 * from.
 */
function visitorName(text: string): string {
  const name = text.trim();
  if (name.length > maxVisitorNameLength || !isSafeName(name)) {
    throw invalidField('name', 'A name has no @, quotation marks, < or >.');
  }
  return name;
}

const daySeconds = 24 * 60 * 60;

/** Allows this many a day: all of them at once, and then one after another. */
export function countPerDay(about: 'address' | 'network' | 'page', subject: string, perDay: number): AttemptCount {
  const pauseSeconds = Math.ceil(daySeconds / perDay);
  const rule = {
    free: perDay - 1,
    firstDelaySeconds: pauseSeconds,
    maxDelaySeconds: pauseSeconds,
    decaySeconds: pauseSeconds,
  };
  return { key: `public page ${about}:${hash('sha256', subject, 'base64url')}`, rule };
}
