import { findMembership, findOwnAccounts } from '../../domain/people/find-person.ts';
import { NoAccountPage, noAccountTitle } from './no-account-page.tsx';
import { type AppRequest, type AppRoute, readLastAccount, toAccountPath } from './shared/app-route.ts';
import { replyWithAppPage } from './shared/reply-with-app-page.ts';

/** Leads a person who has signed in to the account in which they worked last, or to the first of theirs. */
export const homeRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/home',
    access: 'complete',
    async handle(visit) {
      const { engines, person, reply, translator, csrf, host } = visit;
      // Somebody who has just accepted an invitation begins with their first steps.
      const own = isFirstVisit(visit) ? await findMembership(engines, person.id, person.email) : undefined;
      if (own) return reply.redirect(`${toAccountPath(own.account)}welcome`, 303);
      const account = readLastAccount(visit);
      const last = account === undefined ? undefined : await findMembership(engines, person.id, account);
      const [first] = last ? [last] : await findOwnAccounts(engines, person);
      if (first) return reply.redirect(toAccountPath(first.account), 303);
      const page = <NoAccountPage host={host} csrf={csrf} person={person} />;
      return replyWithAppPage(visit, { title: noAccountTitle(translator), page, layout: 'sign-in' });
    },
  },
];

const isFirstVisit = ({ request }: Pick<AppRequest, 'request'>) => 'welcome' in (request.query as object);
