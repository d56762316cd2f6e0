import type { FastifyRequest } from 'fastify';
import { PublicLog } from '../../domain/evidence/public-log.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { EndedLinkError } from '../../domain/links/find-link.ts';
import type { Link } from '../../domain/links/link-store.ts';
import { toReference } from '../../domain/reference.ts';
import type { App } from '../app.ts';
import { asExchangeError, logFailure } from '../json-errors.ts';
import { clientGone, isClientGone } from '../shared/client-gone.ts';
import { serveAssets } from '../shared/page/assets.ts';
import type { PageOptions } from '../shared/page/page.ts';
import { formBytes } from '../shared/page/person.ts';
import { replyWithProblemPage } from '../shared/page/problem-page.tsx';
import { toProblem } from '../shared/page/problems.ts';
import type { Transfers } from '../shared/transfers.ts';
import { askPage, toAskFormProps } from './ask.tsx';
import { codePages } from './code.tsx';
import { donePage } from './done.tsx';
import { downloadPages } from './download.tsx';
import { homePage } from './home.tsx';
import { landingPage } from './landing.tsx';
import { downloads, findPages, uploads } from './link-pages.ts';
import type { PageEngines } from './page-engines.ts';
import { type Reference, referencePages } from './reference.tsx';
import { requireLink } from './session.ts';
import { stopPages } from './stop.tsx';
import { uploadPages } from './upload.tsx';
import { verifyPage } from './verify.tsx';

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
    return replyWithProblemPage(options, request, reply.code(status), reason, ended && toEndedPage(request, ended));
  });
  homePage(app, engines, options);
  referencePages(app, createReference, options);
  const log = new PublicLog(engines);
  verifyPage(app, () => log.readPolicy(), options);
  serveAssets(app, options.assets);
  for (const pages of [downloads, uploads]) {
    landingPage(app, engines, options, pages);
    codePages(app, engines, options, pages);
    donePage(app, engines, options, pages);
    askPage(app, engines, options, `${pages.home}/:handle/ask`, 'link-session', (request) =>
      requireLink(engines, request, pages),
    );
  }
  downloadPages(app, engines, transfers, options);
  app.register(async (scope) => stopPages(scope as unknown as App, engines, options));
  // A scope of its own: only here may a body be anything but a small form.
  app.register(async (scope) => uploadPages(scope as unknown as App, engines, options));
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
