import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { OpenPage } from '../../../domain/public-page/public-page-store.ts';
import { findPublicPage, requestPublicLink } from '../../../domain/public-page/request-public-link.ts';
import type { AppRoute, Visit } from '../shared/app-route.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { PublicPage, type PublicPageProps, publicPageTitle } from './public-page.tsx';

const path = '/to/:name';
/** Longer than any address or name: more is not shown again. */
const fieldLength = 320;

/** The page on which anyone can begin to send files to an account that has opened it. */
export const publicPageRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'anyone',
    handle: async (visit) => replyWithPublicPage(visit, await findPage(visit), { requested: false }),
  },
  {
    method: 'POST',
    path,
    access: 'anyone',
    async handle(visit) {
      const { engines, form, request, translator } = visit;
      const page = await findPage(visit);
      const email = (form.get('email') ?? '').trim().slice(0, fieldLength);
      const name = (form.get('name') ?? '').trim().slice(0, fieldLength);
      const input = { email, name, language: translator.language, address: request.peer };
      try {
        await requestPublicLink(engines, page, input);
      } catch (error) {
        if (!(error instanceof ExchangeError) || error.code !== 'invalid_input') throw error;
        visit.reply.code(400);
        const problem = error.faults[0]?.field === 'name' ? 'name' : 'email';
        return replyWithPublicPage(visit, page, { email, name, problem, requested: false });
      }
      return replyWithPublicPage(visit, page, { email, requested: true });
    },
  },
];

function findPage({ engines, request }: Visit): Promise<OpenPage> {
  return findPublicPage(engines, (request.params as { name: string }).name);
}

function replyWithPublicPage(
  visit: Visit,
  { name, account, accountName, message }: OpenPage,
  shown: Pick<PublicPageProps, 'email' | 'name' | 'problem' | 'requested'>,
) {
  const { options, translator, csrf } = visit;
  const props: PublicPageProps = {
    receiver: { name: accountName, address: account },
    message,
    operator: options.operator.name,
    csrf,
    action: `/to/${name}`,
    ...shown,
  };
  return replyWithAppPage(visit, { title: publicPageTitle(translator, props), page: <PublicPage {...props} /> });
}
