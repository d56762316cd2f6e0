import { ExchangeError } from '../../../domain/exchange-error.ts';
import { findPersonLink, openPersonLink } from '../../../domain/people/open-person-link.ts';
import type { PersonLink } from '../../../domain/people/person-link-store.ts';
import { requestRecovery } from '../../../domain/people/recover-person.ts';
import { endPreviousSession } from '../../../domain/people/sessions.ts';
import { limitGuesses } from '../../../http/shared/limit-guesses.ts';
import { askToConfirm, isConfirmed } from '../../shared/confirm.tsx';
import { gestureField } from '../../shared/person.ts';
import type { AppRequest, AppRoute, Visit } from '../shared/app-route.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { EndedLinkPage, endedLinkTitle } from './ended-link-page.tsx';
import { InvitationPage, invitationTitle, RecoveryLandingPage, recoveryLandingTitle } from './mailed-link-page.tsx';
import { RecoveryRequestPage, recoveryRequestTitle } from './recovery-request-page.tsx';

const linkPath = '/sign-in/link/:token';

/** The pages behind links in mails: an invitation, and the recovery of someone who has lost every sign-in method. */
export const mailedLinkRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: linkPath,
    access: 'anyone',
    async handle(visit) {
      const link = await findLink(visit);
      // The person who used it goes on where they were, as long as their session lasts.
      if (isBegun(visit, link)) return visit.reply.redirect('/sign-in/enrolment', 303);
      return link.state === 'open' ? replyWithLanding(visit, link) : replyWithEndedLink(visit, link);
    },
  },
  {
    method: 'POST',
    path: linkPath,
    access: 'anyone',
    async handle(visit) {
      const { engines, options, request, reply, translator, browser, csrf } = visit;
      const link = await findLink(visit);
      if (isBegun(visit, link)) return reply.redirect('/sign-in/enrolment', 303);
      if (link.state !== 'open') return replyWithEndedLink(visit, link);
      // A scanner that posts forms must not use the link up.
      if (!isConfirmed(request, translator)) return askToConfirm(options, request, reply, translator, 'mail', csrf);
      const secret = await openPersonLink(engines, link, browser);
      await endPreviousSession(engines, visit.signedIn);
      visit.setSession(secret);
      return reply.redirect('/sign-in/enrolment', 303);
    },
  },
  {
    method: 'GET',
    path: '/sign-in/recover',
    access: 'anyone',
    handle: (visit) => replyWithRecovery(visit, {}),
  },
  {
    method: 'POST',
    path: '/sign-in/recover',
    access: 'anyone',
    async handle(visit) {
      const { engines, form, request } = visit;
      const email = form.get('email') ?? '';
      const { isExceeded, resetSeconds } = await engines.failureLimit.record(`recovery ${request.peer}`);
      if (isExceeded) throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds: resetSeconds });
      try {
        await requestRecovery(engines, email);
      } catch (error) {
        if (!(error instanceof ExchangeError) || error.code !== 'invalid_input') throw error;
        return replyWithRecovery(visit, { email, problem: { kind: 'invalid' } });
      }
      return replyWithRecovery(visit, { email, requested: true });
    },
  },
];

function isBegun({ signedIn }: AppRequest, { state, person }: PersonLink): boolean {
  return state === 'used' && signedIn?.session.stage === 'enrolment' && signedIn.person.id === person.id;
}

const findLink = ({ engines, request }: Visit) =>
  limitGuesses(engines, request, (token) => findPersonLink(engines, token));

function replyWithLanding(visit: Visit, link: PersonLink) {
  const { purpose, person, invitedBy, inviterName, expiresAt } = link;
  const { translator, options, host, csrf, request } = visit;
  const common = {
    host: host,
    action: request.url,
    gesture: gestureField,
    csrf,
    expiresAt,
  };
  const operator = options.operator.name;
  if (purpose === 'recovery') {
    const page = <RecoveryLandingPage {...common} email={person.email} />;
    return replyWithAppPage(visit, { title: recoveryLandingTitle(translator), page, layout: 'sign-in' });
  }
  const inviter = invitedBy === '' ? undefined : { email: invitedBy, name: inviterName || invitedBy };
  const account = link.account ?? { email: person.email, name: '' };
  const page = <InvitationPage {...common} operator={operator} inviter={inviter} account={account} />;
  return replyWithAppPage(visit, {
    title: invitationTitle(translator, { inviter, operator }),
    page,
    layout: 'sign-in',
  });
}

function replyWithEndedLink(visit: Visit, { purpose: kind, state }: PersonLink) {
  const { translator, host, reply } = visit;
  const reason = state === 'used' ? 'used' : 'expired';
  const page = (
    <EndedLinkPage host={host} kind={kind} reason={reason} signInHref="/sign-in" recoveryHref="/sign-in/recover" />
  );
  reply.code(410);
  return replyWithAppPage(visit, { title: endedLinkTitle(translator, { kind, reason }), page, layout: 'sign-in' });
}

function replyWithRecovery(
  visit: Visit,
  { email, requested = false, problem }: { email?: string; requested?: boolean; problem?: { kind: 'invalid' } },
) {
  const { engines, translator, host, csrf, reply } = visit;
  if (problem) reply.code(400);
  const page = (
    <RecoveryRequestPage
      host={host}
      mailFrom={engines.policy.mailFrom}
      csrf={csrf}
      action="/sign-in/recover"
      signInHref="/sign-in"
      email={email}
      requested={requested}
      problem={problem}
    />
  );
  return replyWithAppPage(visit, { title: recoveryRequestTitle(translator, { requested }), page, layout: 'sign-in' });
}
