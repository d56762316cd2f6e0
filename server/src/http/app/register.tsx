import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../app.ts';
import { parseJson } from '../json-body.ts';
import { asExchangeError } from '../json-errors.ts';
import type { PageOptions } from '../shared/page/page.ts';
import { sendProblemPage } from '../shared/page/problem-page.tsx';
import { toProblem } from '../shared/page/problems.ts';
import { type AppEngines, registerAppRoute } from './app-route.ts';
import { appRoutes } from './routes.ts';

/** The app of people with an account: sign-in, and the screens of the accounts that they belong to. */
export function peoplesApp(app: App, engines: AppEngines, options: PageOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => new URLSearchParams(body),
  );
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(body),
  );
  app.setErrorHandler(async (error, request, reply) => {
    const { code, retryAfterSeconds } = asExchangeError(error);
    request.refusal = code;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    const wantsJson = request.headers.accept === 'application/json';
    if (code === 'sign_in_required' && !wantsJson) {
      const next = request.method === 'GET' ? `?next=${encodeURIComponent(request.url)}` : '';
      return reply.redirect(`/sign-in${next}`, 303);
    }
    const { status, reason } = toProblem(error);
    if (reason === 'error') request.log.error({ err: error }, 'a page failed');
    if (wantsJson && error instanceof ExchangeError) return reply.code(status).send({ message: error.message });
    return sendProblemPage(options, request, reply.code(status), reason, undefined);
  });
  for (const route of appRoutes) registerAppRoute(app, engines, options, route);
}
