import { countUnread } from '../../../domain/inbox/find-entry.ts';
import { listMemberships } from '../../../domain/people/find-person.ts';
import type { AppFrameProps } from '../components/app-frame.tsx';
import { type MemberVisit, toAccountPath } from './app-route.ts';

/** One more than the frame shows as a number. */
const maxUnread = 100;

/** Reads the content of the frame around every screen of the app. */
export async function readFrame({
  engines,
  options,
  person,
  membership,
  csrf,
  base,
  eventsRead,
  request,
}: MemberVisit): Promise<Omit<AppFrameProps, 'current' | 'children'>> {
  const [memberships, unread] = await Promise.all([
    listMemberships(engines, person),
    countUnread(engines, membership.accountId, maxUnread),
  ]);
  return {
    operator: options.operator,
    person,
    account: { email: membership.account, displayName: membership.accountName },
    accounts: memberships.map(({ account, accountName }) => ({
      email: account,
      displayName: accountName,
      href: toAccountPath(account),
    })),
    unread,
    csrf,
    base,
    isAgain: 'again' in (request.query as object),
    events: eventsRead && `${base}events?after=${eventsRead}`,
  };
}
