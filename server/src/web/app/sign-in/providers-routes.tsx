import type { FastifyReply } from 'fastify';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { SignedIn } from '../../../domain/people/sessions.ts';
import { endPreviousSession } from '../../../domain/people/sessions.ts';
import { toProviderPaths } from '../../../domain/ports/identity-provider.ts';
import {
  openPendingIdentity,
  type PendingIdentity,
  pendingIdentitySeconds,
  sealPendingIdentity,
} from '../../../domain/sign-in/pending-identity.ts';
import { addIdentity, endProviderSessions, signInWithProvider } from '../../../domain/sign-in/sign-in-with-provider.ts';
import { type AppRequest, type AppRoute, askToSignInAgain, isRecent, type Visit } from '../shared/app-route.ts';
import { deleteCookie, readCookie, writeCookie } from '../shared/cookies.ts';
import { isLinkingPath, readNextPath, withNext } from '../shared/next-path.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { replyWithLeave } from './leave.tsx';
import { LinkIdentityPage, linkIdentityTitle } from './link-identity-page.tsx';
import type { SignInNotice } from './sign-in-page.tsx';
import { replyWithSignIn } from './sign-in-routes.tsx';

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
      const { request, reply } = visit;
      const next = readNextPath((request.query as { next?: string }).next);
      // Somebody could have signed the browser in at the provider as somebody else, and have sent a link to here: the
      // person decides on our page first. Old browsers do not say where a request comes from.
      const { 'sec-fetch-site': site = 'same-origin' } = request.headers;
      if (site !== 'same-origin') return reply.redirect(withNext('/sign-in', next), 303);
      const url = await begin(visit, { returnTo: next ?? '/home', personId: undefined });
      return url === undefined ? fail(visit, 'provider_failed') : reply.redirect(url, 303);
    },
  },
  {
    method: 'POST',
    path: paths.link,
    access: 'anyone',
    async handle(visit) {
      const { form } = visit;
      const { person } = requirePerson(visit);
      const url = await begin(visit, { returnTo: readNextPath(form.get('next')) ?? '/home', personId: person.id });
      if (url === undefined) return fail(visit, 'provider_failed');
      return replyWithLeave(visit, { provider: findProvider(visit).name, url });
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
      const signedIn = await signInWithProvider(engines, rules, completed, browser);
      if (signedIn.outcome === 'pending') {
        const { identity } = signedIn;
        const pending = { ...identity, returnTo: findReturnPath(visit, identity.returnTo) };
        const sealed = sealPendingIdentity(engines, pending, Date.now());
        writeCookie(reply, 'identity', sealed, { secure, seconds: pendingIdentitySeconds });
        const { confirm } = toProviderPaths(rules.id);
        const isHere =
          visit.signedIn?.person.id === identity.personId && visit.signedIn.session.stage !== 'second_factor';
        return isHere ? reply.redirect(confirm, 303) : fail(visit, 'link', confirm);
      }
      if (signedIn.outcome === 'refused') {
        request.log.info({ provider: rules.id, reason: signedIn.reason }, 'a sign-in through a provider was refused');
        return fail(visit, 'not_known');
      }
      await endPreviousSession(engines, visit.signedIn);
      visit.setSession(signedIn.secret, signedIn.personId);
      return reply.redirect(completed.returnTo, 303);
    },
  },
  {
    method: 'GET',
    path: paths.confirm,
    access: 'anyone',
    handle: (visit) => withPending(visit, (identity) => replyWithLinkIdentity(visit, identity)),
  },
  {
    method: 'POST',
    path: paths.confirm,
    access: 'anyone',
    handle: (visit) =>
      withPending(visit, async (identity, signedIn) => {
        const { engines, options, reply, browser } = visit;
        visit.setSession(
          await addIdentity(engines, findProvider(visit), signedIn, identity, browser),
          identity.personId,
        );
        deleteCookie(reply, 'identity', options.secureCookies);
        return reply.redirect(identity.returnTo, 303);
      }),
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
      await endProviderSessions(engines, logout, visit.request.peer);
      return reply.code(200).send();
    },
  },
];

/** Begins a sign-in at the provider; returns where it goes on, or undefined if the provider cannot be used. */
async function begin(
  visit: Visit,
  attempt: { readonly returnTo: string; readonly personId: string | undefined },
): Promise<string | undefined> {
  const { engines, options, reply } = visit;
  const begun = await engines.identityProviders.begin(findProvider(visit).id, attempt);
  if ('failure' in begun) return undefined;
  writeCookie(reply, 'provider', begun.secret, { secure: options.secureCookies, seconds: cookieSeconds });
  return begun.url;
}

/**
 * Where the person goes on once the identity is added. If they chose a provider on the way to add one, that is where they
 * were going before: once it is added, the page that asks has nothing to ask.
 */
function findReturnPath({ engines, options, request }: Visit, returnTo: string): string {
  if (!isLinkingPath(returnTo)) return returnTo;
  const cookie = readCookie(request, 'identity', options.secureCookies);
  return openPendingIdentity(engines.pepper, cookie, Date.now())?.returnTo ?? '/home';
}

/** The person of this browser, who is signed in or came by a mailed link: both prove who they are. */
function requirePerson({ signedIn }: AppRequest): SignedIn {
  if (!signedIn || signedIn.session.stage === 'second_factor') throw new ExchangeError('sign_in_required');
  return signedIn;
}

/** Runs `decide` with the identity that waits in this browser, for the person to whom it may be added. */
async function withPending(
  visit: Visit,
  decide: (identity: PendingIdentity, signedIn: SignedIn) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { engines, options, request, reply } = visit;
  const { id } = findProvider(visit);
  const cookie = readCookie(request, 'identity', options.secureCookies);
  const identity = openPendingIdentity(engines.pepper, cookie, Date.now());
  if (identity?.provider !== id) return fail(visit, 'too_old');
  const { confirm } = toProviderPaths(id);
  const { signedIn } = visit;
  if (!signedIn || signedIn.session.stage === 'second_factor')
    return reply.redirect(withNext('/sign-in', confirm), 303);
  if (signedIn.person.id !== identity.personId) return fail(visit, 'too_old');
  // It is another way in. A mailed link is as recent as its session.
  if (signedIn.session.stage === 'complete' && !isRecent(signedIn.session)) return askToSignInAgain(visit, confirm);
  return decide(identity, signedIn);
}

function replyWithLinkIdentity(visit: Visit, { label, subject }: PendingIdentity): Promise<FastifyReply> {
  const { translator, host, csrf } = visit;
  const { name: provider, id } = findProvider(visit);
  const page = (
    <LinkIdentityPage
      host={host}
      csrf={csrf}
      provider={provider}
      action={toProviderPaths(id).confirm}
      cancelHref={requirePerson(visit).session.stage === 'enrolment' ? '/sign-in/enrolment' : '/home'}
      label={label}
      subject={subject}
      email={requirePerson(visit).person.email}
    />
  );
  return replyWithAppPage(visit, { title: linkIdentityTitle(translator, { provider }), page, layout: 'sign-in' });
}

function findProvider({ engines, request }: Visit) {
  const { provider } = request.params as { provider: string };
  const rules = engines.identityProviders.rules.find(({ id }) => id === provider);
  if (!rules) throw new ExchangeError('not_found');
  return rules;
}

function fail(visit: Visit, kind: 'provider_failed' | 'not_known' | 'link' | 'too_old', next?: string) {
  // Somebody who came by a mailed link has no other way in yet.
  if (visit.signedIn?.session.stage === 'enrolment') return visit.reply.redirect('/sign-in/enrolment?failed', 303);
  const notice: SignInNotice = { kind, provider: findProvider(visit).name };
  return replyWithSignIn(visit, { notice, next });
}
