import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../http/shared/app.ts';
import { wholeLinkPath } from '../shared/components/whole-link.tsx';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { toForm } from '../shared/person.ts';
import type { PageEngines } from './page-engines.ts';
import { readLinkPath } from './read-link-path.ts';
import { WholeLinkPage, wholeLinkTitle } from './whole-link-page.tsx';

/**
 * `/open-link`: takes a link as somebody copied it from a mail, and leads to its path on this server. Nothing is looked up:
 * the page behind the link does that, and limits guesses.
 */
export function wholeLinkPage(app: App, { policy }: Pick<PageEngines, 'policy'>, options: PageOptions): void {
  const config = { authentication: 'nobody' } as const;
  const show = (request: FastifyRequest, reply: FastifyReply, isForeign: boolean) => {
    const translator = chooseTranslator(options, request);
    return replyWithPage(options, request, reply, translator, {
      title: wholeLinkTitle(translator),
      page: <WholeLinkPage isForeign={isForeign} publicUrl={policy.publicUrl} />,
      path: wholeLinkPath,
    });
  };
  app.route({
    method: ['GET', 'HEAD'],
    url: wholeLinkPath,
    config,
    handler: (request, reply) => show(request, reply, false),
  });
  app.post(wholeLinkPath, { config }, async (request, reply) => {
    const hosts = [new URL(policy.publicUrl).host, request.headers.host?.toLowerCase() ?? ''];
    const path = readLinkPath(toForm(request).get('link') ?? '', hosts);
    if (path === undefined) return show(request, reply.code(400), true);
    return reply.redirect(withChosenLanguage(request, path), 303);
  });
}
