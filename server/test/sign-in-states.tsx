import type { ComponentChildren, JSX } from 'preact';
import type { Translator } from '../src/present/texts/translator.ts';
import { AppFrame, type AppFrameProps } from '../src/web/app/components/app-frame.tsx';
import { EmptyState } from '../src/web/app/components/empty-state.tsx';
import { PageHead } from '../src/web/app/components/page-head.tsx';
import { NoAccountPage, noAccountTitle } from '../src/web/app/no-account-page.tsx';
import {
  AuthenticatorPage,
  type AuthenticatorPageProps,
  authenticatorTitle,
} from '../src/web/app/settings/authenticator-page.tsx';
import { RecoveryCodesPage, recoveryCodesTitle } from '../src/web/app/settings/recovery-codes-page.tsx';
import { EndedLinkPage, type EndedLinkPageProps, endedLinkTitle } from '../src/web/app/sign-in/ended-link-page.tsx';
import { EnrolmentPage, type EnrolmentPageProps, enrolmentTitle } from '../src/web/app/sign-in/enrolment-page.tsx';
import {
  LeavePage,
  LinkIdentityPage,
  type LinkIdentityPageProps,
  leaveTitle,
  linkIdentityTitle,
} from '../src/web/app/sign-in/link-identity-page.tsx';
import {
  InvitationPage,
  type InvitationPageProps,
  invitationTitle,
  RecoveryLandingPage,
  recoveryLandingTitle,
} from '../src/web/app/sign-in/mailed-link-page.tsx';
import {
  RecoveryRequestPage,
  type RecoveryRequestPageProps,
  recoveryRequestTitle,
} from '../src/web/app/sign-in/recovery-request-page.tsx';
import {
  SecondFactorPage,
  type SecondFactorPageProps,
  secondFactorTitle,
} from '../src/web/app/sign-in/second-factor-page.tsx';
import { SignInPage, type SignInPageProps, signInTitle } from '../src/web/app/sign-in/sign-in-page.tsx';
import { plainOperator } from './plain-operator.ts';
import { settingsStates } from './settings-states.tsx';
import type { Foreign, PageState } from './view-states.tsx';

const maya = { name: 'Maya Lindqvist', email: 'maya.lindqvist@acme.example', hasShortcuts: true };
const own = { email: maya.email, displayName: maya.name, href: '/maya.lindqvist@acme.example/' };
const orders = {
  email: 'orders@acme.example',
  displayName: 'Plant 2 Orders',
  href: '/orders@acme.example/',
  shared: true,
};

const host = 'files.northwind.example';
const csrf = 'a1b2c3';
const later = new Date('2026-11-18T09:15:00Z');
const passkeyRoutes = { optionsHref: '/passkey/options', resultHref: '/passkey' };
const linkSso = { name: 'Acme SSO', action: '/sign-in/provider/acme/link' };
const sso = { name: 'Acme SSO', href: '/sign-in/with/acme' };
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const recoveryCodes =
  'k7mw-29qd x4tz-8m1n p9wc-55rj v84h-20xn c5mj-93pw h0qs-77lv 6rft-4zda 3qxn-71hf 1tzb-6kqe k2vd-8m4t'.split(' ');

const frameProps = {
  operator: plainOperator,
  person: maya,
  account: own,
  accounts: [own, orders],
  unread: 3,
  csrf,
  base: own.href,
};

/** A screen of the app around some content, for the states of this and other screens. */
export function ExampleFrame(props: Partial<AppFrameProps> & { children: ComponentChildren }): JSX.Element {
  return <AppFrame {...frameProps} current="settings" {...props} />;
}

/** The frame of the app, sign-in and settings in every state. */
export function signInStates(translator: Translator, foreign: Foreign): Record<string, PageState> {
  const frame = (props: Partial<AppFrameProps>): PageState => ({
    title: translator.t('frame.inbox'),
    layout: 'app',
    script: 'frame',
    page: (
      <ExampleFrame current="inbox" {...props}>
        <PageHead title={translator.t('frame.inbox')} about={maya.email} />
        <EmptyState icon="inbox" title={translator.t('frame.inbox')}>
          {translator.t('settings.notifyAbout')}
        </EmptyState>
      </ExampleFrame>
    ),
  });
  const toState = (title: string, page: JSX.Element): PageState => ({
    title,
    page,
    layout: 'sign-in',
    script: 'sign-in',
  });
  const signIn = (props: Partial<SignInPageProps> = {}): PageState =>
    toState(
      signInTitle(translator),
      <SignInPage
        host={host}
        mailFrom="files@northwind.example"
        csrf={csrf}
        next="/maya.lindqvist@acme.example/sent"
        passwordAction="/sign-in"
        passkey={passkeyRoutes}
        providers={[sso]}
        recoveryHref="/recovery"
        {...props}
      />,
    );
  const linkIdentity = (props: Partial<LinkIdentityPageProps>): PageState => {
    const all = {
      host,
      csrf,
      provider: sso.name,
      action: '/sign-in/provider/acme/confirm',
      cancelHref: '/home',
      label: '',
      subject: '0f6c1b1e-3a7d-4b0f-9a5e-2f1f0d7f6a11',
      email: maya.email,
      ...props,
    };
    return toState(linkIdentityTitle(translator, all), <LinkIdentityPage {...all} />);
  };
  const code = (problem?: SecondFactorPageProps['problem']): PageState =>
    toState(
      secondFactorTitle(translator),
      <SecondFactorPage host={host} csrf={csrf} action="/sign-in/code" cancelHref="/sign-in" problem={problem} />,
    );
  const invitation = (
    inviter?: InvitationPageProps['inviter'],
    account = { email: orders.email, name: orders.displayName },
  ): PageState => {
    const about = { inviter, account, operator: 'Northwind Files' };
    return toState(
      invitationTitle(translator, about),
      <InvitationPage
        host={host}
        csrf={csrf}
        action="/invitation/open"
        gesture="gesture"
        expiresAt={later}
        {...about}
      />,
    );
  };
  const enrolment = (props: Partial<EnrolmentPageProps> = {}): PageState => {
    const all: EnrolmentPageProps = {
      host,
      csrf,
      reason: 'invitation',
      email: maya.email,
      passkey: passkeyRoutes,
      passwordAction: '/enrolment/password',
      minPasswordLength: 12,
      providers: [],
      ...props,
    };
    return toState(enrolmentTitle(translator, all), <EnrolmentPage {...all} />);
  };
  const authenticator = (props: Partial<AuthenticatorPageProps> = {}): PageState =>
    toState(
      authenticatorTitle(translator),
      <AuthenticatorPage
        host={host}
        csrf={csrf}
        action="/settings/authenticator"
        uri={`otpauth://totp/Northwind%20Files:${maya.email}?secret=${secret}&issuer=Northwind%20Files`}
        secret={secret}
        cancelHref="/settings"
        {...props}
      />,
    );
  const recovery = (props: Partial<RecoveryRequestPageProps> = {}): PageState => {
    const all: RecoveryRequestPageProps = {
      host,
      csrf,
      mailFrom: 'files@northwind.example',
      action: '/recovery',
      signInHref: '/sign-in',
      requested: false,
      ...props,
    };
    return toState(recoveryRequestTitle(translator, all), <RecoveryRequestPage {...all} />);
  };
  const ended = (kind: EndedLinkPageProps['kind'], reason: EndedLinkPageProps['reason']): PageState =>
    toState(
      endedLinkTitle(translator, { kind, reason }),
      <EndedLinkPage host={host} kind={kind} reason={reason} signInHref="/sign-in" recoveryHref="/recovery" />,
    );
  const strange = { email: foreign.sender, displayName: foreign.senderName, href: '/strange/', shared: true };
  return {
    'frame-inbox': frame({}),
    'frame-send': frame({ current: 'send', unread: 1200 }),
    'frame-settings': frame({ current: 'settings', unread: 0, account: orders, base: orders.href }),
    'frame-one-account': frame({ accounts: [own] }),
    'frame-foreign': frame({ account: strange, accounts: [own, orders, strange] }),
    'sign-in': signIn(),
    'sign-in-providers': signIn({
      passwordAction: undefined,
      passkey: undefined,
      recoveryHref: undefined,
      providers: [sso, { name: foreign.senderName, href: '/sign-in/with/other' }],
    }),
    'sign-in-password': signIn({ passkey: undefined, providers: [] }),
    'sign-in-wrong': signIn({ email: maya.email, notice: { kind: 'wrong' } }),
    'sign-in-too-many': signIn({ email: maya.email, notice: { kind: 'too_many', retryAt: later } }),
    'sign-in-session-ended': signIn({ notice: { kind: 'session_ended' } }),
    'sign-in-needed': signIn({ notice: { kind: 'needed' } }),
    'sign-in-signed-out': signIn({ notice: { kind: 'signed_out' } }),
    'sign-in-provider-failed': signIn({ notice: { kind: 'provider_failed', provider: foreign.senderName } }),
    'sign-in-not-known': signIn({ notice: { kind: 'not_known', provider: sso.name } }),
    'sign-in-confirm': signIn({ email: maya.email, notice: { kind: 'confirm' } }),
    'sign-in-link': signIn({ notice: { kind: 'link', provider: sso.name } }),
    'sign-in-too-old': signIn({ notice: { kind: 'too_old', provider: sso.name } }),
    'link-identity': linkIdentity({ label: maya.email }),
    'link-identity-foreign': linkIdentity({
      provider: foreign.senderName,
      label: foreign.senderName,
      subject: 'x'.repeat(60),
    }),
    'leave-for-provider': toState(
      leaveTitle(translator, { provider: sso.name }),
      <LeavePage host={host} provider={sso.name} href="https://id.acme.example/authorize" />,
    ),
    'leave-after-signing-out': toState(
      leaveTitle(translator, { provider: sso.name }),
      <LeavePage host={host} provider={sso.name} href="https://id.acme.example/logout" isSignedOut />,
    ),
    'second-factor': code(),
    'second-factor-wrong': code({ kind: 'wrong' }),
    'second-factor-used': code({ kind: 'used' }),
    'second-factor-recovery': code({ kind: 'recovery_wrong' }),
    'second-factor-too-many': code({ kind: 'too_many', retryAt: later }),
    invitation: invitation(),
    'invitation-from': invitation({ name: foreign.senderName, email: foreign.sender }),
    enrolment: enrolment(),
    'enrolment-common': enrolment({ name: maya.name, problem: 'common' }),
    'enrolment-nameless': enrolment({ problem: 'name_missing', providers: [linkSso] }),
    'enrolment-recovery': enrolment({ reason: 'recovery', problem: 'failed' }),
    'enrolment-password': enrolment({ passkey: undefined, problem: 'too_short' }),
    authenticator: authenticator(),
    'authenticator-wrong': authenticator({ problem: 'wrong', cancelHref: undefined }),
    'recovery-codes': toState(
      recoveryCodesTitle(translator),
      <RecoveryCodesPage
        host={host}
        codes={recoveryCodes}
        downloadHref="/settings/recovery-codes.txt"
        continueHref="/settings"
      />,
    ),
    recovery: recovery(),
    'recovery-invalid': recovery({ email: 'maya', problem: { kind: 'invalid' } }),
    'recovery-too-many': recovery({ email: maya.email, problem: { kind: 'too_many', retryAt: later } }),
    'recovery-requested': recovery({ email: foreign.sender, requested: true }),
    'recovery-landing': toState(
      recoveryLandingTitle(translator),
      <RecoveryLandingPage
        host={host}
        csrf={csrf}
        action="/recovery/open"
        gesture="gesture"
        email={maya.email}
        expiresAt={later}
      />,
    ),
    'ended-invitation-expired': ended('invitation', 'expired'),
    'ended-invitation-used': ended('invitation', 'used'),
    'ended-recovery-expired': ended('recovery', 'expired'),
    'ended-recovery-used': ended('recovery', 'used'),
    ...settingsStates(translator, foreign, frameProps),
    'no-account': toState(noAccountTitle(translator), <NoAccountPage host={host} csrf={csrf} person={maya} />),
  };
}
