import type { Actor } from '../actor.ts';
import { findDifference, record } from '../audit/record.ts';
import { requireStorable } from '../contacts/contact-from-input.ts';
import type { Engines } from '../engines.ts';
import { query } from '../query.ts';
import type { PublicPage } from './public-page-store.ts';

const maxPageMessageLength = 1_000;

/** An account whose page was never open. */
const none = { name: null, message: '', isOpen: false };

export type PublicPageFault = PageNameFault | 'taken' | 'message' | 'forbidden';

/** Changes the account's public page. Returns what is wrong instead, if anything. */
export async function setPublicPage(
  engines: Pick<Engines, 'store' | 'random' | 'policy'>,
  { accountId, author }: Actor,
  page: PublicPage,
): Promise<PublicPageFault | undefined> {
  const { name, message, isOpen } = page;
  if (isOpen && !engines.policy.publicPage.isAllowed) return 'forbidden';
  const fault = findPageNameFault(name);
  if (fault) return fault;
  if (message.length > maxPageMessageLength) return 'message';
  requireStorable([message]);
  return engines.store.transaction(async (tx) => {
    const before = (await tx.publicPages.ofAccount(accountId)) ?? none;
    if (!(await tx.publicPages.set(accountId, page))) return 'taken';
    if (!isOpen) await tx.publicPages.revokeLinks(accountId);
    const difference = findDifference(before, { name, message, isOpen });
    await record(engines, tx, { accountId, author, action: 'public_page.changed', details: { name }, ...difference });
    return undefined;
  });
}

/** Names that visitors could mistake for the operator's, or for a part of this server. */
const reservedNames: ReadonlySet<string> = new Set([
  'abuse',
  'account',
  'accounts',
  'admin',
  'administrator',
  'api',
  'billing',
  'contact',
  'docs',
  'help',
  'home',
  'info',
  'login',
  'operator',
  'owner',
  'postmaster',
  'privacy',
  'root',
  'security',
  'settings',
  'sign-in',
  'sign-out',
  'status',
  'support',
  'system',
  'test',
  'waybill',
  'webmaster',
  'www',
]);

type PageNameFault = 'shape' | 'reserved';

/** The fault of a name for a public page, if it has one. */
function findPageNameFault(name: string): PageNameFault | undefined {
  if (!isPageName(name)) return 'shape';
  return reservedNames.has(name) ? 'reserved' : undefined;
}

export function isPageName(name: string): boolean {
  return /^(?!-)[a-z0-9-]{3,40}(?<!-)$/.test(name);
}

export const findPublicPage = query((store) => store.publicPages.ofAccount);
