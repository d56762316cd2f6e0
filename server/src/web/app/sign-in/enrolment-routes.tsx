import { setProfile } from '../../../domain/people/find-person.ts';
import { toProviderPaths } from '../../../domain/ports/identity-provider.ts';
import { minPasswordLength } from '../../../domain/sign-in/password-rules.ts';
import { hasSignInMethod } from '../../../domain/sign-in/read-sign-in-methods.ts';
import { beginPasskeyRegistration, registerPasskey, setPassword } from '../../../domain/sign-in/register-method.ts';
import type { AppRoute, SignedInVisit } from '../shared/app-route.ts';
import { readProfile } from '../shared/profile.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { EnrolmentPage, type EnrolmentPageProps, enrolmentTitle } from './enrolment-page.tsx';
import { namePasskey, offerPasskeys, toPasskeyRequest } from './passkey-request.ts';

const path = '/sign-in/enrolment';

/** Where a person who came by a mailed link chooses how to sign in. */
export const enrolmentRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'enrolment',
    handle: (visit) => replyWithEnrolment(visit, 'failed' in (visit.request.query as object) ? 'failed' : undefined),
  },
  {
    method: 'POST',
    path: `${path}/password`,
    access: 'enrolment',
    async handle(visit) {
      const { engines, form, reply, browser } = visit;
      const person = await saveProfile(visit);
      const next = await findNext(visit);
      const outcome = await setPassword(engines, { ...visit, person }, form.get('password') ?? '', browser);
      if ('fault' in outcome) return replyWithEnrolment({ ...visit, person }, outcome.fault);
      visit.setSession(outcome.secret, person.id);
      return reply.redirect(next, 303);
    },
  },
  {
    method: 'POST',
    path: `${path}/passkey/options`,
    access: 'enrolment',
    async handle(visit) {
      const person = await saveProfile(visit);
      const options = await beginPasskeyRegistration(visit.engines, { ...visit, person }, toPasskeyRequest(visit));
      return visit.reply.send(options);
    },
  },
  {
    method: 'POST',
    path: `${path}/passkey`,
    access: 'enrolment',
    async handle(visit) {
      const { engines, request, reply, browser } = visit;
      const { response } = (request.body ?? {}) as { response?: unknown };
      const about = { ...toPasskeyRequest(visit), name: namePasskey(browser) };
      const next = await findNext(visit);
      visit.setSession(await registerPasskey(engines, visit, response, about, browser), visit.person.id);
      return reply.send({ location: next });
    },
  },
];

/** The page after the first sign-in method is that of a first visit; after a recovery, the person knows their way. */
async function findNext({ engines, person }: SignedInVisit): Promise<string> {
  return (await hasSignInMethod(engines, person.id)) ? '/home' : '/home?welcome';
}

/** Stores what the form says about the person, before anything can go wrong with the method. */
async function saveProfile({ engines, form, person }: SignedInVisit) {
  const profile = readProfile(form, person);
  await setProfile(engines, person.id, profile);
  return { ...person, ...profile };
}

async function replyWithEnrolment(visit: SignedInVisit, problem?: EnrolmentPageProps['problem']) {
  const { engines, translator, csrf, host, person, reply } = visit;
  if (problem) reply.code(400);
  // Someone who has a method, and came by a mailed link, has lost it.
  const reason = (await hasSignInMethod(engines, person.id)) ? 'recovery' : 'invitation';
  const page = (
    <EnrolmentPage
      host={host}
      csrf={csrf}
      reason={reason}
      email={person.email}
      name={person.name}
      passkey={offerPasskeys(visit, { optionsHref: `${path}/passkey/options`, resultHref: `${path}/passkey` })}
      passwordAction={`${path}/password`}
      minPasswordLength={minPasswordLength}
      providers={engines.identityProviders.rules.map(({ id, name }) => ({
        name,
        action: toProviderPaths(id).link,
      }))}
      problem={problem}
    />
  );
  return replyWithAppPage(visit, { title: enrolmentTitle(translator, { reason }), page, layout: 'sign-in' });
}
