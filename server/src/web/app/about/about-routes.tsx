import { readUsage } from '../../../domain/accounts/read-accounts.ts';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { listSentDrops, summarizeDrops } from '../../../domain/drops/find-sent-drops.ts';
import { findFileSizeLimit } from '../../../domain/uploads/find-file-size-limit.ts';
import type { AppRoute } from '../shared/app-route.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import { AboutPage, aboutTitle } from './about-page.tsx';

const shownDrops = 5;

/** The page about the server, with the limits of the account in view. */
export const aboutRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/:user/about',
    access: 'reader',
    async handle(visit) {
      const { engines, options, membership, translator, base } = visit;
      const { accountId, account, accountName } = membership;
      const [policy, usage, drops] = await Promise.all([
        readPolicy(engines, accountId),
        readUsage(engines, accountId),
        listSentDrops(engines, accountId, 'downloadfiles', { part: 'underway' }, { byExpiry: true }, shownDrops),
      ]);
      const summaries = await summarizeDrops(
        engines,
        accountId,
        drops.map(({ id }) => id),
      );
      const byId = new Map(summaries.map((summary) => [summary.dropId, summary]));
      const next = drops.flatMap((drop) => {
        const summary = byId.get(drop.id);
        return summary ? [{ ...drop, ...summary }] : [];
      });
      const page = (
        <AboutPage
          base={base}
          operator={options.operator}
          account={accountName || account}
          policy={policy}
          maxFileBytes={findFileSizeLimit({ ...engines, policy }).bytes}
          usage={usage}
          next={next}
        />
      );
      return replyWithScreen(visit, { screen: 'about', title: aboutTitle(translator), page });
    },
  },
];
