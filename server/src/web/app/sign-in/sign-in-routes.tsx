import { ExchangeError } from '../../../domain/exchange-error.ts';
import { signOut } from '../../../domain/people/change-as-person.ts';
import { endPreviousSession, type SignedIn } from '../../../domain/people/sessions.ts';
import { toProviderPaths } from '../../../domain/ports/identity-provider.ts';
import { describeAttempt, limitSignIn } from '../../../domain/sign-in/limit-sign-in.ts';
import { listIdentities } from '../../../domain/sign-in/read-sign-in-methods.ts';
import {
  beginPasskeySignIn,
  passSecondFactor,
  signInWithPasskey,
  signInWithPassword,
} from '../../../domain/sign-in/sign-in.ts';
import type { AppContext, AppRequest, AppRoute, Visit } from '../shared/app-route.ts';
import { readNextPath, withNext } from '../shared/next-path.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { replyWithLeave } from './leave.tsx';
import { offerPasskeys, toPasskeyRequest } from './passkey-request.ts';
import { SecondFactorPage, secondFactorTitle } from './second-factor-page.tsx';
import { type SignInNotice, SignInPage, signInTitle } from './sign-in-page.tsx';

/** The pages on which a person signs in and out. */
export const signInRoutes: readonly AppRoute[] = [
  // The address that people type: for those who have signed in, the app, and the same page for everybody else.
  ...(['GET', 'HEAD'] as const).map(
    (method): AppRoute => ({
      method,
      path: '/',
      access: 'anyone',
      handle: async (visit) => leadOn(visit, undefined) ?? replyWithSignIn(visit, { path: '/' }),
    }),
  ),
  {
    method: 'GET',
    path: '/sign-in',
    access: 'anyone',
    async handle(visit) {
      const { next, ...query } = visit.request.query as { next?: string };
      const asked = readNextPath(next);
      // An important change needs a fresh sign-in, also of somebody who has signed in.
      const isLedOn = !('confirm' in query);
      return (isLedOn && leadOn(visit, asked)) || replyWithSignIn(visit, { next: asked });
    },
  },
  {
    method: 'POST',
    path: '/sign-in',
    access: 'anyone',
    async handle(visit) {
      const { engines, form, reply, browser } = visit;
      const [email, password] = [form.get('email') ?? '', form.get('password') ?? ''];
      const next = readNextPath(form.get('next'));
      try {
        const attempt = await describeAttempt(engines, browser, email, 'password');
        const begun = await limitSignIn(engines, attempt, () =>
          signInWithPassword(engines, { email, password }, browser),
        );
        await endPreviousSession(engines, visit.signedIn);
        visit.setSession(begun.secret, begun.isComplete ? begun.personId : undefined);
        return reply.redirect(begun.isComplete ? (next ?? '/home') : withNext('/sign-in/code', next), 303);
      } catch (error) {
        const notice = toNotice(error);
        if (!notice) throw error;
        return replyWithSignIn(visit, { next, email, notice });
      }
    },
  },
  {
    method: 'POST',
    path: '/sign-in/passkey/options',
    access: 'anyone',
    async handle(visit) {
      const { engines, csrf, reply } = visit;
      return reply.send(await beginPasskeySignIn(engines, { ...toPasskeyRequest(visit), boundTo: csrf }));
    },
  },
  {
    method: 'POST',
    path: '/sign-in/passkey',
    access: 'anyone',
    async handle(visit) {
      const { engines, csrf, reply, request, form, browser } = visit;
      const { response } = (request.body ?? {}) as { response?: unknown };
      try {
        const asked = { ...toPasskeyRequest(visit), boundTo: csrf };
        const attempt = { ...anybody, address: browser.address, step: 'passkey' } as const;
        const { secret, personId } = await limitSignIn(engines, attempt, () =>
          signInWithPasskey(engines, response, asked, browser),
        );
        await endPreviousSession(engines, visit.signedIn);
        visit.setSession(secret, personId);
        return reply.send({ location: readNextPath(form.get('next')) ?? '/home' });
      } catch (error) {
        if (toNotice(error)?.kind !== 'wrong') throw error;
        return reply.code(401).send({ message: visit.translator.t('signIn.passkey.failed') });
      }
    },
  },
  {
    method: 'GET',
    path: '/sign-in/code',
    access: 'second_factor',
    async handle(visit) {
      const { next } = visit.request.query as { next?: string };
      return replyWithCode(visit, { next: readNextPath(next) });
    },
  },
  {
    method: 'POST',
    path: '/sign-in/code',
    access: 'second_factor',
    async handle(visit) {
      const { engines, form, reply, browser, person } = visit;
      const recoveryCode = form.get('recovery_code');
      const typed = recoveryCode === null ? { code: form.get('code') ?? '' } : { recoveryCode };
      const next = readNextPath(form.get('next'));
      try {
        const attempt = await describeAttempt(engines, browser, person.email, 'code');
        const secret = await limitSignIn(engines, attempt, () =>
          passSecondFactor(engines, visit, typed, browser, new Date()),
        );
        visit.setSession(secret, person.id);
        return reply.redirect(next ?? '/home', 303);
      } catch (error) {
        const notice = toNotice(error);
        if (notice?.kind === 'too_many') return replyWithCode(visit, { next, problem: notice });
        if (!notice) throw error;
        return replyWithCode(visit, { next, problem: { kind: recoveryCode === null ? 'wrong' : 'recovery_wrong' } });
      }
    },
  },
  {
    method: 'POST',
    path: '/sign-out',
    access: 'complete',
    async handle(visit) {
      const { engines, session, endSession, reply } = visit;
      const left = await findProviderToLeave(visit);
      await signOut(engines, visit, session.id);
      endSession();
      if (left) return replyWithLeave(visit, { ...left, isSignedOut: true });
      return reply.redirect('/sign-in?signed-out', 303);
    },
  },
];

/** Leads somebody who has signed in to where they go on. Who has only begun to may want to be somebody else. */
function leadOn({ signedIn, reply }: Visit, next: string | undefined) {
  return signedIn?.session.stage === 'complete' ? reply.redirect(next ?? '/home', 303) : undefined;
}

/** The provider that began the session, if signing out leads to its own sign-out page. */
async function findProviderToLeave({ engines, session, person }: AppContext & SignedIn) {
  if (!session.provider) return undefined;
  const { issuer } = session.provider;
  const identity = (await listIdentities(engines, person.id)).find((each) => each.issuer === issuer);
  const rules = engines.identityProviders.rules.find(({ id }) => id === identity?.provider);
  const url = rules && (await engines.identityProviders.findEndSessionUrl(rules.id));
  return url === undefined ? undefined : { provider: rules?.name ?? '', url };
}

function toNotice(error: unknown): (SignInNotice & { kind: 'wrong' | 'too_many' }) | undefined {
  if (!(error instanceof ExchangeError)) return undefined;
  const { code, retryAfterSeconds = 60 } = error;
  if (code === 'too_many_requests')
    return { kind: 'too_many', retryAt: new Date(Date.now() + retryAfterSeconds * 1000) };
  return code === 'sign_in_failed' ? { kind: 'wrong' } : undefined;
}

/** A passkey comes without an address. */
const anybody = { email: '', personId: undefined, device: undefined };

export function replyWithSignIn(
  visit: Visit,
  {
    next,
    email,
    notice,
    path = withNext('/sign-in', next),
  }: { next?: string | undefined; email?: string; notice?: SignInNotice | undefined; path?: string },
) {
  const { engines, translator, csrf, host, request, reply } = visit;
  if (notice) reply.code(notice.kind === 'too_many' ? 429 : 401);
  const query = request.query as object;
  const asked: SignInNotice | undefined =
    'signed-out' in query ? { kind: 'signed_out' } : 'confirm' in query ? { kind: 'confirm' } : undefined;
  const page = (
    <SignInPage
      host={host}
      mailFrom={engines.policy.mailFrom}
      csrf={csrf}
      next={next}
      passwordAction="/sign-in"
      passkey={offerPasskeys(visit, { optionsHref: '/sign-in/passkey/options', resultHref: '/sign-in/passkey' })}
      providers={engines.identityProviders.rules.map(({ id, name }) => ({
        name,
        href: withNext(toProviderPaths(id).begin, next),
      }))}
      recoveryHref="/sign-in/recover"
      email={email ?? (asked?.kind === 'confirm' ? visit.signedIn?.person.email : undefined)}
      notice={notice ?? asked ?? (next === undefined ? undefined : explainSignIn(visit))}
    />
  );
  return replyWithAppPage(visit, { title: signInTitle(translator), page, layout: 'sign-in', path });
}

/** Says why somebody who asked for another page is here. Nobody has been signed out of a browser that is new. */
function explainSignIn({ browser: { deviceCookie } }: AppRequest): SignInNotice {
  return { kind: deviceCookie === undefined ? 'needed' : 'session_ended' };
}

function replyWithCode(
  visit: Visit,
  {
    next,
    problem,
  }: {
    next?: string | undefined;
    problem?: { kind: 'wrong' | 'recovery_wrong' } | { kind: 'too_many'; retryAt: Date };
  },
) {
  const { translator, csrf, host, reply } = visit;
  if (problem) reply.code(problem.kind === 'too_many' ? 429 : 401);
  const page = (
    <SecondFactorPage
      host={host}
      csrf={csrf}
      next={next}
      action="/sign-in/code"
      cancelHref="/sign-in"
      problem={problem}
    />
  );
  return replyWithAppPage(visit, { title: secondFactorTitle(translator), page, layout: 'sign-in' });
}
