/** Names that visitors could mistake for the operator's, or for a part of this server. */
const reserved: ReadonlySet<string> = new Set([
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

export type PageNameFault = 'shape' | 'reserved';

/** What is wrong with a name for a public page, if anything. */
export function findPageNameFault(name: string): PageNameFault | undefined {
  if (!isPageName(name)) return 'shape';
  return reserved.has(name) ? 'reserved' : undefined;
}

export function isPageName(name: string): boolean {
  return /^(?!-)[a-z0-9-]{3,40}(?<!-)$/.test(name);
}
