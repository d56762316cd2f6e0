import { closeSession } from '../../domain/links/close-session.ts';
import { GonePage, goneTitle } from '../../views/pages/gone-page.tsx';
import type { App } from '../app.ts';
import type { LinkPages } from './link-pages.ts';
import { chooseTranslator, type PageOptions, sendPage } from './page.ts';
import { requireOwnForm } from './person.ts';
import type { PageEngines } from './routes.tsx';
import { endedCookie, readSecret } from './session.ts';

/** "Close this page here": ends the session in this browser and in the database. A second click finds nothing left to end. */
export function donePage(app: App, engines: PageEngines, options: PageOptions, pages: LinkPages): void {
  const config = { authentication: 'code-pending' } as const;
  app.post(`${pages.home}/:handle/done`, { config }, async (request, reply) => {
    requireOwnForm(request);
    const secret = readSecret(request);
    const link = secret === undefined ? undefined : await closeSession(engines, secret);
    const translator = chooseTranslator(options, request, link?.language);
    return sendPage(
      options,
      request,
      reply.header('set-cookie', endedCookie(pages, request, options.secureCookies)),
      translator,
      { title: goneTitle(translator, { reason: 'closed' }), page: <GonePage reason="closed" /> },
    );
  });
}
