import type { FastifyReply, FastifyRequest } from 'fastify';
import { findLink } from '../../domain/links/find-link.ts';
import type { Link } from '../../domain/links/link-store.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { codeTarget } from '../../domain/links/second-factor.ts';
import type { App } from '../../http/shared/app.ts';
import { limitGuesses } from '../../http/shared/limit-guesses.ts';
import { askToConfirm, isConfirmed } from '../shared/confirm.tsx';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { gestureField, isOwnForm } from '../shared/person.ts';
import { askPage } from './ask-routes.tsx';
import { LinkLandingPage, linkLandingTitle } from './link-landing-page.tsx';
import type { LinkPages } from './link-pages.ts';
import type { PageEngines } from './page-engines.ts';
import { sessionCookie, sessionPath } from './session.ts';
import { replyWithWhich, sendFirstCode } from './which-routes.tsx';

/**
 * `/d/{token}` and `/u/{token}`: the pages that mails link to. A visit changes nothing, because scanners visit every
 * link; a person's click exchanges the link for a cookie and a URL without a secret in it.
 */
export function landingPage(app: App, engines: PageEngines, options: PageOptions, pages: LinkPages): void {
  const config = { authentication: 'link' } as const;
  const url = `${pages.landing}/:token`;
  const { kind } = pages;
  const find = async (request: FastifyRequest) => {
    const link = await limitGuesses(engines, request, (token) => findLink(engines, token, pages.type));
    request.dropId = link.dropId;
    return link;
  };
  const land = (request: FastifyRequest, reply: FastifyReply, link: Link) => {
    if (link.kind === 'named' && !link.hasPassphrase) return replyWithWhich(options, request, reply, link, request.url);
    const translator = chooseTranslator(options, request, link.language);
    const props = {
      kind,
      isUnsolicited: link.isUnsolicited,
      isMessage: kind === 'download' && link.fileCount === 0,
      sender: { name: link.senderName, address: link.sender },
      sentAt: link.createdAt,
      hasPassphrase: link.hasPassphrase,
      shared: link.kind === 'anybody' ? { maxDownloads: link.maxDownloads } : undefined,
      codeChannel: codeTarget(engines, link)?.channel,
      action: request.url,
      gesture: gestureField,
    };
    return replyWithPage(options, request, reply, translator, {
      title: linkLandingTitle(translator, props),
      page: <LinkLandingPage {...props} />,
    });
  };

  app.get(url, { config }, async (request, reply) => land(request, reply, await find(request)));
  app.head(url, { config }, async (request, reply) => {
    await find(request);
    return reply.type('text/html; charset=utf-8').send();
  });

  askPage(app, engines, options, `${url}/ask`, 'link', find);

  app.post(url, { config }, async (request, reply) => {
    const link = await find(request);
    if (!isOwnForm(request)) return land(request, reply, link);
    const translator = chooseTranslator(options, request, link.language);
    if (!isConfirmed(request, translator)) return askToConfirm(options, request, reply, translator, kind);
    const secret = await openLink(engines, link, request.peer);
    if (link.kind === 'named' && !link.hasPassphrase) await sendFirstCode(engines, request, secret, pages);
    // If something has to be entered, a shared computer must not stay signed in for the next person.
    const isAsked = link.hasPassphrase || link.kind === 'named' || codeTarget(engines, link) !== undefined;
    const expires = isAsked ? undefined : link.expiresAt;
    return reply
      .header('set-cookie', sessionCookie(pages, secret, expires, options.secureCookies))
      .redirect(withChosenLanguage(request, sessionPath(pages, secret)), 303);
  });
}
