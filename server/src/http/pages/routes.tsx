import type { Engines } from '../../domain/ports.ts';
import { ErrorPage, errorTitle } from '../../views/pages/error-page.tsx';
import { GonePage, goneTitle } from '../../views/pages/gone-page.tsx';
import type { App } from '../app.ts';
import { serveAssets } from './assets.ts';
import { downloadPages } from './download.tsx';
import { landingPage } from './landing.tsx';
import { type PageOptions, sendPage, wordsFor } from './page.ts';
import { problemOf } from './problems.ts';

export type { PageOptions } from './page.ts';

export type PageEngines = Pick<Engines, 'store' | 'objects' | 'keys' | 'random' | 'policy' | 'failureLimit'>;

const formBytes = 16 * 1024;

/** What receivers see. Everything works without JavaScript; every answer is a page, also a refusal. */
export function receiverPages(app: App, engines: PageEngines, options: PageOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    async (_request: unknown, body: string) => new URLSearchParams(body),
  );
  app.setErrorHandler(async (error, request, reply) => {
    const words = wordsFor(options, request);
    const { status, says } = problemOf(error);
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
  landingPage(app, engines, options);
  downloadPages(app, engines, options);
}
