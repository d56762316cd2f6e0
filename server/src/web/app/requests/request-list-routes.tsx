import { countOpenRequests, summarizeRequests } from '../../../domain/drops/find-sent-drops.ts';
import { findPublicPage } from '../../../domain/public-page/set-public-page.ts';
import { listRoutes, makeLines } from '../sent/sent-list-routes.tsx';
import type { AppRoute } from '../shared/app-route.ts';
import { requestFormRoutes } from './request-form-routes.tsx';
import { type RequestLine, RequestsPage } from './request-list-page.tsx';
import { oneRequestRoutes } from './request-routes.tsx';

/** More than this many say the same: there is a lot open. */
const maxOpen = 1000;

/** The requests for files of an account, and what can be done with several of them at once. */
export const requestRoutes: readonly AppRoute[] = [
  ...requestFormRoutes,
  ...listRoutes<RequestLine>({
    screen: 'requests',
    parts: { open: [{ state: 'live' }], closed: [{ state: 'expired' }, { state: 'revoked' }], all: [{}] },
    async toLines({ engines, actor }, requests) {
      const ids = requests.map(({ id }) => id);
      const summaries = await summarizeRequests(engines, actor.accountId, ids);
      return makeLines(requests, summaries, (about, { title, message, reusable, receiverCount }, summary) => ({
        ...about,
        ...summary,
        title,
        message,
        reusable,
        receivers: receiverCount,
        waiting: receiverCount - summary.fulfilled,
        isRestorable: false,
      }));
    },
    countWaiting: ({ engines, actor }) => countOpenRequests(engines, actor.accountId, maxOpen),
    async toPage({ engines, actor }, props) {
      const publicPage = await findPublicPage(engines, actor.accountId);
      const isPublic = publicPage?.isOpen && engines.policy.publicPage.isAllowed;
      const address = isPublic ? `${engines.policy.publicUrl}/to/${publicPage.name}` : undefined;
      return <RequestsPage {...props} publicPage={address} />;
    },
  }),
  ...oneRequestRoutes,
];
