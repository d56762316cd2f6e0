import type { FastifyReply } from 'fastify';
import { systemAuthor } from '../../domain/audit/author.ts';
import { record, serverAccountId } from '../../domain/audit/record.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { toProviderPaths } from '../../domain/ports/identity-provider.ts';
import { signInWithProvider } from '../../domain/sign-in/sign-in-with-provider.ts';
import type { SignInNotice } from '../../views/pages/app/sign-in-page.tsx';
import { type AppRoute, askToSignInAgain, isRecent, type Visit } from './app-route.ts';
import { deleteCookie, readCookie, writeCookie } from './cookies.ts';
import { readNextPath } from './next-path.ts';
import { endPrevious, sendSignIn } from './sign-in.tsx';

const paths = toProviderPaths(':provider');
/** Longer than the provider's response is accepted. */
const cookieSeconds = 15 * 60;

/** Sign-in through an identity provider (OpenID Connect). */
export const providerRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: paths.begin,
    access: 'anyone',
    async handle(visit) {
      const { engines, options, request, reply } = visit;
      const { next } = request.query as { next?: string };
      const secure = options.secureCookies;
      const personId = findLinkingPerson(visit);
      // A provider that is added is another way in.
      if (personId !== undefined && visit.signedIn && !isRecent(visit.signedIn.session)) {
        return askToSignInAgain(visit, request.url);
      }
      const begun = await engines.identityProviders.begin(findProvider(visit).id, {
        returnTo: readNextPath(next) ?? '/home',
        personId,
      });
      if ('failure' in begun) return fail(visit, 'provider_failed');
      writeCookie(reply, 'provider', begun.secret, { secure, seconds: cookieSeconds });
      return reply.redirect(begun.url, 303);
    },
  },
  {
    method: 'GET',
    path: paths.callback,
    access: 'anyone',
    async handle(visit) {
      const { engines, options, request, reply, browser } = visit;
      const rules = findProvider(visit);
      const secure = options.secureCookies;
      const completed = await engines.identityProviders.complete(request.url, readCookie(request, 'provider', secure));
      deleteCookie(reply, 'provider', secure);
      if ('failure' in completed || completed.claims.provider !== rules.id) return fail(visit, 'provider_failed');
      // The person who began to add the provider must still be the one in this browser.
      const { personId } = completed;
      if (personId !== undefined && personId !== visit.signedIn?.person.id) return fail(visit, 'provider_failed');
      const signedIn = await signInWithProvider(engines, rules, completed, browser, visit.signedIn);
      if (signedIn.outcome === 'prove_first') return fail(visit, 'link', `${toProviderPaths(rules.id).begin}?link`);
      if (signedIn.outcome === 'refused') {
        request.log.info({ provider: rules.id, reason: signedIn.reason }, 'a sign-in through a provider was refused');
        return fail(visit, 'not_known');
      }
      await endPrevious(visit);
      visit.setSession(signedIn.secret, signedIn.personId);
      return reply.redirect(completed.returnTo, 303);
    },
  },
  {
    method: 'POST',
    path: paths.logout,
    access: 'provider',
    async handle(visit) {
      const { engines, form, reply } = visit;
      const logout = await engines.identityProviders.verifyLogoutToken(
        findProvider(visit).id,
        form.get('logout_token') ?? '',
      );
      if ('failure' in logout) return reply.code(400).send({ error: 'invalid_request' });
      const { issuer, sid, subject, singleUse } = logout;
      await engines.store.transaction(async (tx) => {
        if (!(await tx.usedTokens.use(singleUse.digest, singleUse.seconds)))
          throw new ExchangeError('malformed_request');
        const which = sid === undefined ? (subject === undefined ? undefined : { subject }) : { sid };
        const count = which ? await tx.sessions.endOfProvider(issuer, which) : 0;
        if (count === 0) return;
        const author = systemAuthor('server', visit.request.ip);
        const details = { issuer, count };
        await record(engines, tx, { accountId: serverAccountId, author, action: 'sessions.ended', details });
      });
      return reply.code(200).send();
    },
  },
];

/**
 * The person who adds the provider to their sign-in methods (`?link`). In the session of a mailed link, too: they have
 * proved their address. Only a page of ours may begin it: another site could have signed the browser in at the provider
 * as somebody else, who would then be let in as this person.
 */
function findLinkingPerson({ request, signedIn }: Visit): string | undefined {
  const isAsked = 'link' in (request.query as object) && request.headers['sec-fetch-site'] === 'same-origin';
  return isAsked && signedIn && signedIn.session.stage !== 'second_factor' ? signedIn.person.id : undefined;
}

function findProvider({ engines, request }: Visit) {
  const { provider } = request.params as { provider: string };
  const rules = engines.identityProviders.rules.find(({ id }) => id === provider);
  if (!rules) throw new ExchangeError('not_found');
  return rules;
}

function fail(visit: Visit, kind: 'provider_failed' | 'not_known' | 'link', next?: string): Promise<FastifyReply> {
  const notice: SignInNotice = { kind, provider: findProvider(visit).name };
  return sendSignIn(visit, { notice, next });
}
