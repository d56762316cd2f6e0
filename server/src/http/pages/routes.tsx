import { ExchangeError } from '../../domain/exchange-error.ts';
import type { Engines } from '../../domain/ports/index.ts';
import type { Intake } from '../../domain/uploads/intake.ts';
import { ErrorPage, errorTitle } from '../../views/pages/error-page.tsx';
import { GonePage, goneTitle } from '../../views/pages/gone-page.tsx';
import type { App } from '../app.ts';
import type { Transfers } from '../shared/transfers.ts';
import { serveAssets } from './assets.ts';
import { codePages } from './code.tsx';
import { donePage } from './done.tsx';
import { downloadPages } from './download.tsx';
import { landingPage } from './landing.tsx';
import { downloads, uploads } from './link-pages.ts';
import { type PageOptions, sendPage, wordsFor } from './page.ts';
import { problemOf } from './problems.ts';
import { uploadPages } from './upload.tsx';

export type { PageOptions } from './page.ts';

export type PageEngines = Pick<
  Engines,
  | 'store'
  | 'objects'
  | 'keys'
  | 'readAhead'
  | 'random'
  | 'policy'
  | 'sms'
  | 'failureLimit'
  | 'messageLimit'
  | 'scanner'
  | 'checkpoint'
> & { readonly intake: Intake };

const formBytes = 16 * 1024;

/** What receivers and contacts see. Everything works without JavaScript; every answer is a page, also a refusal. */
export function receiverPages(app: App, engines: PageEngines, transfers: Transfers, options: PageOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    async (_request: unknown, body: string) => new URLSearchParams(body),
  );
  app.setErrorHandler(async (error, request, reply) => {
    const words = wordsFor(options, request);
    const { status, says } = problemOf(error);
    if (error instanceof ExchangeError && error.retryAfterSeconds !== undefined) {
      reply.header('retry-after', String(error.retryAfterSeconds));
    }
    if (says !== 'error') {
      return sendPage(options, request, reply.code(status), words, {
        title: goneTitle(words, { reason: says }),
        page: <GonePage reason={says} />,
      });
    }
    request.log.error({ err: error }, 'a page failed');
    if (status === 503) reply.header('retry-after', '5');
    return sendPage(options, request, reply.code(status), words, {
      title: errorTitle(words),
      page: <ErrorPage requestId={request.id} />,
    });
  });
  serveAssets(app, options.assets);
  for (const pages of [downloads, uploads]) {
    landingPage(app, engines, options, pages);
    codePages(app, engines, options, pages);
    donePage(app, engines, options, pages);
  }
  downloadPages(app, engines, transfers, options);
  // In a scope of its own: only here may a body be anything but a small form.
  app.register(async (scope) => uploadPages(scope as unknown as App, engines, options));
}
