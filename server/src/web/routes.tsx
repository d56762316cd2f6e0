import type { FastifyRequest } from 'fastify';
import { PublicLog } from '../domain/evidence/public-log.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { EndedLinkError } from '../domain/links/find-link.ts';
import type { Link } from '../domain/links/link-store.ts';
import { toReference } from '../domain/reference.ts';
import type { App } from '../http/shared/app.ts';
import { asExchangeError, logFailure } from '../http/shared/json-errors.ts';
import { clientGone, isClientGone } from '../http/transfer/client-gone.ts';
import type { Transfers } from '../http/transfer/transfers.ts';
import { uploadPages } from './contact/upload-routes.tsx';
import { homePage } from './home/home-routes.tsx';
import { askPage, toAskFormProps } from './links/ask-routes.tsx';
import { codePages } from './links/code-routes.tsx';
import { donePage } from './links/done-routes.tsx';
import { landingPage } from './links/landing-routes.tsx';
import { downloads, findPages, uploads } from './links/link-pages.ts';
import type { PageEngines } from './links/page-engines.ts';
import { requireLink } from './links/session.ts';
import { passphrasePages } from './links/step-routes.tsx';
import { stopPages } from './links/stop-routes.tsx';
import { whichPage } from './links/which-routes.tsx';
import { wholeLinkPage } from './links/whole-link-routes.tsx';
import { downloadPages } from './receiver/download-routes.tsx';
import { type Reference, referencePages } from './reference/reference-routes.tsx';
import { serveAssets } from './shared/assets.ts';
import type { PageOptions } from './shared/page.ts';
import { formBytes } from './shared/person.ts';
import { replyWithProblemPage } from './shared/problem-page.tsx';
import { toProblem } from './shared/problems.ts';
import { verifyPage } from './verify/verify-routes.tsx';

/**
 * Pages for receivers, contacts and programmers who use the API. Everything works without JavaScript; every response is
 * a page, even an error.
 */
export function receiverPages(
  app: App,
  engines: PageEngines,
  transfers: Transfers,
  options: PageOptions,
  createReference: () => Reference,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    async (_request: unknown, body: string) => new URLSearchParams(body),
  );
  app.setErrorHandler(async (cause, request, reply) => {
    const isGone = isClientGone(cause, request);
    if (isGone) request.log.info('the client disconnected before its request was complete');
    const error = isGone ? clientGone(cause) : cause;
    const { status, reason } = toProblem(error);
    const ended = error instanceof EndedLinkError ? error.link : undefined;
    if (ended) request.dropId = ended.dropId;
    request.refusal = asExchangeError(error).code;
    if (error instanceof ExchangeError && error.retryAfterSeconds !== undefined) {
      reply.header('retry-after', String(error.retryAfterSeconds));
    }
    if (status >= 500) logFailure(error, request);
    const why = ended ? chooseReason(reason, ended) : reason;
    return replyWithProblemPage(options, request, reply.code(status), why, ended && toEndedPage(request, ended));
  });
  homePage(app, engines, options);
  wholeLinkPage(app, engines, options);
  referencePages(app, createReference, options);
  const log = new PublicLog(engines);
  verifyPage(app, () => log.readPolicy(), options);
  serveAssets(app, options.assets);
  for (const pages of [downloads, uploads]) {
    landingPage(app, engines, options, pages);
    codePages(app, engines, options, pages);
    passphrasePages(app, engines, options, pages);
    whichPage(app, engines, options, pages);
    donePage(app, engines, options, pages);
    askPage(app, engines, options, `${pages.home}/:handle/ask`, 'link-session', (request) =>
      requireLink(engines, request, pages),
    );
  }
  downloadPages(app, engines, transfers, options);
  app.register(async (scope) => stopPages(scope as unknown as App, engines, options));
  // A scope of its own: only here may a body be anything but a small form.
  app.register(async (scope) => uploadPages(scope as unknown as App, engines, transfers, options));
}

/** A shared link may not have ended itself: it was used as often as it may be, or a rule forbids it now. */
function chooseReason(reason: ReturnType<typeof toProblem>['reason'], { kind, ended, revoked, usedUp }: Link) {
  if (kind === 'receiver' || ended || revoked) return reason;
  return usedUp && reason === 'expired' ? 'used_up' : 'forbidden';
}

/** The page about a link that has ended, in the language of its receiver. */
function toEndedPage(request: FastifyRequest, link: Link) {
  return {
    language: link.language,
    link: {
      kind: findPages(link).kind,
      sender: { name: link.senderName, address: link.sender },
      reference: toReference(link.dropId),
      sentAt: link.createdAt,
      expiresAt: link.expiresAt,
      revokedAt: link.revokedAt,
    },
    asking: toAskFormProps(request, link),
  };
}
