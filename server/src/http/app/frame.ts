import type { SettingsFrameProps } from '../../views/pages/app/settings-frame.tsx';
import type { MemberVisit } from './app-route.ts';

/** More accounts than a person chooses among in a menu. */
const maxAccounts = 50;

/** The path of an account in the app. */
export function toAccountPath(account: string): string {
  return `/${encodeURIComponent(account)}/`;
}

/** Reads the content of the frame around every screen of the app. */
export async function readFrame({
  engines,
  options,
  person,
  membership,
  csrf,
}: MemberVisit): Promise<SettingsFrameProps> {
  const memberships = await engines.store.people.memberships(person.id, '', maxAccounts);
  return {
    operator: options.operator,
    person,
    account: { email: membership.account, displayName: membership.accountName },
    accounts: memberships.map(({ account, accountName }) => ({
      email: account,
      displayName: accountName,
      href: `${toAccountPath(account)}settings`,
    })),
    unread: 0,
    csrf,
    base: toAccountPath(membership.account),
  };
}
