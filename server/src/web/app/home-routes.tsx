import { findOwnAccounts } from '../../domain/people/find-person.ts';
import { NoAccountPage, noAccountTitle } from './no-account-page.tsx';
import { type AppRoute, toAccountPath } from './shared/app-route.ts';
import { replyWithAppPage } from './shared/reply-with-app-page.ts';

/** Leads a person who has signed in to the first of their accounts. */
export const homeRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/home',
    access: 'complete',
    async handle(visit) {
      const { engines, person, reply, translator, csrf, host } = visit;
      const [first] = await findOwnAccounts(engines, person);
      if (first) return reply.redirect(toAccountPath(first.account), 303);
      const page = <NoAccountPage host={host} csrf={csrf} person={person} />;
      return replyWithAppPage(visit, { title: noAccountTitle(translator), page, layout: 'sign-in' });
    },
  },
];
