import type { Readable } from 'node:stream';
import { errors } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../../http/shared/app.ts';
import { parseJson } from '../../http/shared/json-body.ts';
import { asExchangeError, logFailure, refuse, replyWithError } from '../../http/shared/json-errors.ts';
import { isClientGone } from '../../http/transfer/client-gone.ts';
import { tusType } from '../../http/transfer/tus.ts';
import { replyWithProblemPage } from '../shared/problem-page.tsx';
import { toProblem } from '../shared/problems.ts';
import { appRoutes } from './routes.ts';
import { type AppContext, type AppRoute, registerAppRoute, wantsDocument } from './shared/app-route.ts';
import { readCookie } from './shared/cookies.ts';

/** The app of people with an account: sign-in, and the screens of the accounts that they belong to. */
export function registerWebApp(app: App, shared: AppContext): void {
  const { options } = shared;
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
    // Nobody receives a response to a form that was cut off.
    if (isClientGone(error, request)) return replyWithError(error, request, reply);
    const { code, retryAfterSeconds } = asExchangeError(error);
    request.refusal = code;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    const isScript = !wantsDocument(request);
    if (code === 'sign_in_required' && !isScript) {
      // Sign-in leads to /home anyway, and somebody who comes from the first page had no session that could have ended.
      const next =
        request.method === 'GET' && request.url !== '/home' ? `?next=${encodeURIComponent(request.url)}` : '';
      return reply.redirect(`/sign-in${next}`, 303);
    }
    // A script gets the same responses as a program does.
    if (isScript && error instanceof ExchangeError) {
      const { message } = refuse(error, request, reply, { errors, challenge: undefined });
      return reply.send({ code, message });
    }
    const { status, reason } = toProblem(error);
    if (status >= 500) logFailure(error, request);
    // The others were led here by the link in a mail.
    const isPerson = readCookie(request, 'session', options.secureCookies) !== undefined;
    return replyWithProblemPage(
      options,
      request,
      reply.code(status),
      reason === 'unknown' && isPerson ? 'not_yours' : reason,
    );
  });
  for (const route of appRoutes) {
    if (route.body === undefined) registerAppRoute(app, shared, route);
    else app.register(async (scope) => registerStream(scope, shared, route));
  }
}

/** In its own scope, where the handler reads the body as it arrives. */
function registerStream(app: App, shared: AppContext, route: AppRoute): void {
  app.addContentTypeParser(
    route.body === 'multipart' ? 'multipart/form-data' : tusType,
    async (_request: unknown, body: Readable) => body,
  );
  registerAppRoute(app, shared, route);
}
