import { closeSession } from '../../domain/links/open-link.ts';
import type { App } from '../../http/shared/app.ts';
import { GonePage, goneTitle } from '../shared/gone-page.tsx';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { requireOwnForm } from '../shared/person.ts';
import type { LinkPages } from './link-pages.ts';
import type { PageEngines } from './page-engines.ts';
import { endedCookie, readSecret } from './session.ts';

/**
 * "Close this page here": ends the session in this browser and in the database. A second click finds nothing left to end.
 * The page that says so has its own address, which can be reloaded and read in another language.
 */
export function donePage(app: App, engines: PageEngines, options: PageOptions, pages: LinkPages): void {
  const config = { authentication: 'code-pending' } as const;
  const url = `${pages.home}/:handle/done`;
  app.post(url, { config }, async (request, reply) => {
    requireOwnForm(request);
    const secret = readSecret(request);
    const link = secret === undefined ? undefined : await closeSession(engines, secret);
    const { language } = chooseTranslator(options, request, link?.language);
    return reply
      .header('set-cookie', endedCookie(pages, request, options.secureCookies))
      .redirect(`done?lang=${encodeURIComponent(language)}`, 303);
  });

  app.get(url, { config }, async (request, reply) => {
    if (readSecret(request) !== undefined) return reply.redirect(withChosenLanguage(request, './'), 303);
    const translator = chooseTranslator(options, request);
    const content = { title: goneTitle(translator, { reason: 'closed' }), page: <GonePage reason="closed" /> };
    return replyWithPage(options, request, reply, translator, content);
  });
}
