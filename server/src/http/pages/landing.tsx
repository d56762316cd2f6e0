import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { findLink } from '../../domain/links/find-link.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { codeTarget } from '../../domain/links/second-factor.ts';
import type { Link } from '../../domain/ports/index.ts';
import { ConfirmPage, confirmTitle } from '../../views/pages/confirm-page.tsx';
import { LinkLandingPage, linkLandingTitle } from '../../views/pages/link-landing-page.tsx';
import type { App } from '../app.ts';
import type { LinkPages } from './link-pages.ts';
import { inChosenLanguage, type PageOptions, sendPage, wordsFor } from './page.ts';
import { formOf, gestureField, isOwnForm, isPersonsClick } from './person.ts';
import type { PageEngines } from './routes.tsx';
import { sessionCookie, sessionPath } from './session.ts';

/** Typed by a person whose browser cannot show that they pressed the button. */
const confirmation = 'OPEN';

/**
 * `/d/{token}` and `/u/{token}`: what the mails point to. To look at it changes nothing, for scanners look at every
 * link; a person's click swaps the link for a cookie and an address without a secret in it.
 */
export function landingPage(app: App, engines: PageEngines, options: PageOptions, pages: LinkPages): void {
  const config = { authentication: 'link' } as const;
  const url = `${pages.landing}/:token`;
  const { kind } = pages;
  const find = async (request: FastifyRequest) => {
    const { token } = request.params as { token: string };
    try {
      return await findLink(engines, token, pages.type);
    } catch (error) {
      // Guessing is hopeless, but need not be free.
      if (!(error instanceof ExchangeError) || error.code !== 'not_found') throw error;
      const waitSeconds = await engines.failureLimit.record(`link:${request.ip}`);
      if (waitSeconds === 0) throw error;
      throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds: waitSeconds });
    }
  };
  const land = (request: FastifyRequest, reply: FastifyReply, link: Link) => {
    const words = wordsFor(options, request, link.language);
    return sendPage(options, request, reply, words, {
      title: linkLandingTitle(words, { kind }),
      page: <LinkLandingPage kind={kind} sender={link.sender} action={request.url} gesture={gestureField} />,
    });
  };

  app.get(url, { config }, async (request, reply) => land(request, reply, await find(request)));
  app.head(url, { config }, async (request, reply) => {
    await find(request);
    return reply.type('text/html; charset=utf-8').send();
  });

  app.post(url, { config }, async (request, reply) => {
    const link = await find(request);
    if (!isOwnForm(request)) return land(request, reply, link);
    const form = formOf(request);
    const typed = form.get('word');
    if (!isPersonsClick(request, form) && typed?.trim().toUpperCase() !== confirmation) {
      const words = wordsFor(options, request, link.language);
      const confirm = { kind, word: confirmation, action: request.url, wrong: typed !== null };
      return sendPage(options, request, reply, words, {
        title: confirmTitle(words),
        page: <ConfirmPage {...confirm} />,
      });
    }
    const secret = await openLink(engines, link);
    // Where a code is required, a shared computer must not stay signed in for whoever comes next.
    const expires = codeTarget(engines, link) ? undefined : link.expiresAt;
    return reply
      .header('set-cookie', sessionCookie(pages, secret, expires, options.secureCookies))
      .redirect(inChosenLanguage(request, sessionPath(pages, secret)), 303);
  });
}
