import { listArrivals, listSentReceivers } from '../../../domain/drops/find-sent-drops.ts';
import { itemRoutes } from '../sent/sent-item-routes.tsx';
import type { AppRoute } from '../shared/app-route.ts';
import { RequestPage, requestTitle } from './request-page.tsx';

/** The number of arrivals that are shown, the last ones; all of them are in the inbox. */
const maxArrivals = 100;

/** The page of one request for files, and what can be done with it. */
export const oneRequestRoutes: readonly AppRoute[] = itemRoutes({
  screen: 'requests',
  readArrivals: ({ engines, actor }, { id }) => listArrivals(engines, actor.accountId, id, maxArrivals),
  async toPage({ engines, actor, translator }, { receivers, arrivals = [], ...about }) {
    const contacts = await listSentReceivers(engines, actor.accountId, about.item.id);
    // A name in the contacts counts where none was chosen for the request.
    const named = contacts.map((contact, index) => ({ ...contact, ...receivers[index] }));
    const props = { ...about, receivers: named, arrivals };
    return { title: requestTitle(translator, props), page: <RequestPage {...props} /> };
  },
});
