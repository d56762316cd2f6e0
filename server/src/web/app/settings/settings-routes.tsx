import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { findAccountById } from '../../../domain/accounts/read-accounts.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { newsKinds } from '../../../domain/outbox/news.ts';
import {
  changeNews,
  changeProfile,
  endOtherSessions,
  endOwnSession,
  renamePasskey,
  setShortcuts,
} from '../../../domain/people/change-as-person.ts';
import { readNews } from '../../../domain/people/find-person.ts';
import { listSessions } from '../../../domain/people/sessions.ts';
import { toProviderPaths } from '../../../domain/ports/identity-provider.ts';
import { isSafeName } from '../../../domain/safe-name.ts';
import {
  beginAuthenticatorApp,
  confirmAuthenticatorApp,
  findUnconfirmedApp,
  renewRecoveryCodes,
} from '../../../domain/sign-in/add-authenticator-app.ts';
import { describeAttempt, limitSignIn } from '../../../domain/sign-in/limit-sign-in.ts';
import { minPasswordLength } from '../../../domain/sign-in/password-rules.ts';
import { findPassword, listIdentities, readSignInMethods } from '../../../domain/sign-in/read-sign-in-methods.ts';
import { beginPasskeyRegistration, registerPasskey, setPassword } from '../../../domain/sign-in/register-method.ts';
import { type RemovableMethod, removeMethod } from '../../../domain/sign-in/remove-method.ts';
import type { Identity } from '../../../domain/sign-in/sign-in-method-store.ts';
import type { AppContext, AppRequest, AppRoute, Member, MemberVisit, SignedInVisit } from '../shared/app-route.ts';
import { readFrame } from '../shared/frame.ts';
import { readName, readProfile } from '../shared/profile.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { requireUuid } from '../shared/require-uuid.ts';
import { namePasskey, toPasskeyRequest } from '../sign-in/passkey-request.ts';
import { AuthenticatorPage, authenticatorTitle } from './authenticator-page.tsx';
import { RecoveryCodesPage, recoveryCodesTitle } from './recovery-codes-page.tsx';
import { settingsTitle } from './settings-frame.tsx';
import { findSettingsPart, isSettingsNotice, type SettingsNotice } from './settings-notice.ts';
import { SettingsPersonPage, type SettingsPersonPageProps } from './settings-person-page.tsx';

const path = '/:user/settings';

/** Settings of the person, whichever account they work in: each change is a form of its own. */
export const settingsRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'reader',
    async handle(visit) {
      const { notice } = visit.request.query as { notice?: unknown };
      return replyWithSettings(visit, isSettingsNotice(notice) ? { notice } : {});
    },
  },
  {
    method: 'POST',
    path: `${path}/profile`,
    access: 'reader',
    async handle(visit) {
      const { engines, form, person } = visit;
      const profile = readProfile(form, person);
      const typed = readName(form);
      if (!isSafeName(typed))
        return replyWithSettings({ ...visit, person: { ...person, ...profile, name: typed } }, { isNameRefused: true });
      await changeProfile(engines, visit, profile);
      return returnTo(visit, 'profile_saved');
    },
  },
  change('notifications', 'notifications_saved', async (visit) => {
    const { engines, form, actor, person } = visit;
    const { accountId } = actor;
    const before = await readNews(engines, accountId, person.id);
    // While receipts are switched off for the account, the form cannot say whether the person wants them.
    const keepsReceipts = before.includes('downloaded') && !(await readReceipts(visit));
    const after = newsKinds.filter((kind) => form.has(kind) || (kind === 'downloaded' && keepsReceipts));
    await changeNews(engines, visit, accountId, { before, after });
  }),
  change('shortcuts', 'shortcuts_saved', async (visit) => {
    await setShortcuts(visit.engines, visit, visit.form.has('shortcuts'));
  }),
  change('sessions/end', 'sessions_ended', async (visit) => {
    await endOwnSession(visit.engines, visit, requireUuid(visit.form.get('id')));
  }),
  change('sessions/end-others', 'sessions_ended', async (visit) => {
    await endOtherSessions(visit.engines, visit, visit.session.id);
  }),
  change('passkeys/rename', 'passkey_renamed', async (visit) => {
    const name = (visit.form.get('name') ?? '').trim().slice(0, 100);
    await renamePasskey(visit.engines, visit, readPasskeyId(visit.form), name);
  }),
  remove('passkeys/remove', 'passkey_removed', (form) => ({ passkey: readPasskeyId(form) })),
  remove('password/remove', 'password_removed', () => 'password'),
  remove('authenticator/remove', 'app_off', () => 'authenticator_app'),
  {
    method: 'POST',
    path: `${path}/providers/unlink`,
    access: 'reader',
    recent: 'settings',
    async handle(visit) {
      const { engines, form, person } = visit;
      const identities = await listIdentities(engines, person.id);
      const identity = identities.find((each) => identifyIdentity(each) === form.get('id'));
      if (!identity) throw new ExchangeError('not_found');
      return removeAndReturn(visit, { identity }, 'provider_unlinked');
    },
  },
  {
    method: 'POST',
    path: `${path}/password`,
    access: 'reader',
    recent: 'settings',
    async handle(visit) {
      const { engines, form, browser } = visit;
      if (!(await isOwnPassword(visit, form.get('current_password') ?? ''))) {
        return replyWithSettings(visit, { passwordProblem: 'wrong' });
      }
      const outcome = await setPassword(engines, visit, form.get('new_password') ?? '', browser);
      if ('fault' in outcome) return replyWithSettings(visit, { passwordProblem: outcome.fault });
      visit.setSession(outcome.secret);
      return returnTo(visit, 'password_saved');
    },
  },
  {
    method: 'POST',
    path: `${path}/passkeys/options`,
    access: 'reader',
    recent: 'settings',
    async handle(visit) {
      return visit.reply.send(await beginPasskeyRegistration(visit.engines, visit, toPasskeyRequest(visit)));
    },
  },
  {
    method: 'POST',
    path: `${path}/passkeys`,
    access: 'reader',
    recent: 'settings',
    async handle(visit) {
      const { engines, request, reply, browser } = visit;
      const { response } = (request.body ?? {}) as { response?: unknown };
      const about = { ...toPasskeyRequest(visit), name: namePasskey(browser) };
      visit.setSession(await registerPasskey(engines, visit, response, about, browser));
      return reply.send({ location: toLocation(visit, 'passkey_added') });
    },
  },
  {
    method: 'GET',
    path: `${path}/authenticator`,
    access: 'reader',
    recent: 'settings',
    async handle(visit) {
      // A reload shows the same secret, which may be in the app already.
      const secret = await findUnconfirmedApp(visit.engines, visit.person);
      return secret
        ? replyWithAuthenticator(visit, secret)
        : visit.reply.redirect(`${visit.base}settings#sign-in`, 303);
    },
  },
  {
    method: 'POST',
    path: `${path}/authenticator/begin`,
    access: 'reader',
    recent: 'settings',
    async handle({ engines, person, base, reply }) {
      if (!(await findUnconfirmedApp(engines, person))) await beginAuthenticatorApp(engines, person);
      return reply.redirect(`${base}settings/authenticator`, 303);
    },
  },
  {
    method: 'POST',
    path: `${path}/authenticator`,
    access: 'reader',
    recent: 'settings',
    async handle(visit) {
      const { engines, form, person, browser } = visit;
      const typed = { code: form.get('code') ?? '', now: new Date() };
      try {
        const { secret, recoveryCodes } = await confirmAuthenticatorApp(engines, visit, typed, browser);
        visit.setSession(secret);
        return replyWithRecoveryCodes(visit, recoveryCodes);
      } catch (error) {
        const secret = await findUnconfirmedApp(engines, person);
        if (!(error instanceof ExchangeError) || error.code !== 'sign_in_failed' || !secret) throw error;
        visit.reply.code(401);
        return replyWithAuthenticator(visit, secret, 'wrong');
      }
    },
  },
  {
    method: 'POST',
    path: `${path}/recovery-codes`,
    access: 'reader',
    recent: 'settings',
    async handle(visit) {
      const { secret, recoveryCodes } = await renewRecoveryCodes(visit.engines, visit, visit.browser);
      visit.setSession(secret);
      return replyWithRecoveryCodes(visit, recoveryCodes);
    },
  },
];

async function readReceipts({ engines, actor }: AppContext & Member): Promise<boolean> {
  return (await findAccountById(engines, actor.accountId))?.receipts ?? false;
}

/** Whether this is the person's password, or they have none. Guesses in a stolen session are limited as at sign-in. */
async function isOwnPassword(visit: SignedInVisit, typed: string): Promise<boolean> {
  const { engines, person } = visit;
  const stored = await findPassword(engines, person.id);
  if (stored === undefined) return true;
  try {
    await limitSignIn(engines, await describeAttempt(engines, visit.browser, person.email, 'password'), async () => {
      if (!(await engines.passwords.verify(typed, stored.hash))) throw new ExchangeError('sign_in_failed');
    });
    return true;
  } catch (error) {
    if (error instanceof ExchangeError && error.code === 'sign_in_failed') return false;
    throw error;
  }
}

/** A change that leaves the session as it is. */
function change(name: string, notice: SettingsNotice, make: (visit: MemberVisit) => Promise<void>): AppRoute {
  return {
    method: 'POST',
    path: `${path}/${name}`,
    access: 'reader',
    async handle(visit) {
      await make(visit);
      return returnTo(visit, notice);
    },
  };
}

function remove(
  name: string,
  notice: SettingsNotice,
  readMethod: (form: URLSearchParams) => RemovableMethod,
): AppRoute {
  return {
    method: 'POST',
    path: `${path}/${name}`,
    access: 'reader',
    recent: 'settings',
    handle: (visit) => removeAndReturn(visit, readMethod(visit.form), notice),
  };
}

async function removeAndReturn(
  visit: MemberVisit,
  method: RemovableMethod,
  notice: SettingsNotice,
): Promise<FastifyReply> {
  try {
    visit.setSession(await removeMethod(visit.engines, visit, method, visit.browser));
    return returnTo(visit, notice);
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.code !== 'invalid_input') throw error;
    return returnTo(visit, 'only_method');
  }
}

/** Names an identity in a form: a provider's subject may contain anything. */
function identifyIdentity({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string {
  return hash('sha256', JSON.stringify([issuer, subject]), 'base64url');
}

function readPasskeyId(form: URLSearchParams): Buffer {
  return Buffer.from((form.get('id') ?? '').slice(0, 1400), 'base64url');
}

function toLocation({ base }: Member, notice: SettingsNotice): string {
  return `${base}settings?notice=${notice}#${findSettingsPart(notice)}`;
}

async function returnTo(visit: AppRequest & Member, notice: SettingsNotice): Promise<FastifyReply> {
  return visit.reply.redirect(toLocation(visit, notice), 303);
}

async function replyWithSettings(
  visit: MemberVisit,
  shown: Pick<SettingsPersonPageProps, 'notice' | 'passwordProblem' | 'isNameRefused'>,
): Promise<FastifyReply> {
  const { engines, options, person, session, translator, reply } = visit;
  if (shown.passwordProblem !== undefined || shown.isNameRefused) reply.code(400);
  const { rules } = engines.identityProviders;
  const frame = await readFrame(visit);
  const [{ passkeys, password, app, recoveryCodesLeft, identities }, own, news, receipts] = await Promise.all([
    readSignInMethods(engines, person.id),
    listSessions(engines, person.id),
    readNews(engines, visit.actor.accountId, person.id),
    readReceipts(visit),
  ]);
  const page = (
    <SettingsPersonPage
      frame={frame}
      now={new Date()}
      canManage={visit.membership.role === 'owner'}
      profile={person}
      languages={options.translator.languages}
      timeZones={Intl.supportedValuesOf('timeZone')}
      passkeys={passkeys.map(({ credentialId, name, createdAt, lastUsedAt }) => ({
        id: credentialId.toString('base64url'),
        name,
        addedAt: createdAt,
        lastUsedAt: lastUsedAt ?? undefined,
      }))}
      passkeyRoutes={{
        optionsHref: `${frame.base}settings/passkeys/options`,
        resultHref: `${frame.base}settings/passkeys`,
      }}
      password={{ changedAt: password?.changedAt, minLength: minPasswordLength }}
      authenticator={{ isOn: app?.isConfirmed ?? false, recoveryCodesLeft }}
      identities={identities.map((identity) => ({
        id: identifyIdentity(identity),
        // A provider that is no longer in the settings is known by its id only.
        provider: rules.find(({ id }) => id === identity.provider)?.name ?? identity.provider,
        label: identity.label || identity.subject,
        at: identity.linkedAt,
        lastUsedAt: identity.lastUsedAt ?? undefined,
      }))}
      providers={rules.map(({ id, name }) => ({
        name,
        linkAction: toProviderPaths(id).link,
        isLinked: identities.some(({ provider }) => provider === id),
      }))}
      sessions={own.map(({ id, userAgent, address, method, seenAt }) => ({
        id,
        userAgent,
        address,
        method,
        lastUsedAt: seenAt,
        isThis: id === session.id,
      }))}
      notifications={{
        wanted: news,
        isShared: visit.actor.email !== person.email,
        isWithoutReceipts: !receipts,
      }}
      {...shown}
    />
  );
  return replyWithAppPage(visit, { title: settingsTitle(translator), page, layout: 'app', script: 'settings' });
}

function replyWithAuthenticator(visit: MemberVisit, secret: { uri: string; secret: string }, problem?: 'wrong') {
  const { translator, csrf, host, base } = visit;
  const settings = `${base}settings`;
  const page = (
    <AuthenticatorPage
      host={host}
      csrf={csrf}
      action={`${settings}/authenticator`}
      cancelHref={settings}
      problem={problem}
      {...secret}
    />
  );
  return replyWithAppPage(visit, { title: authenticatorTitle(translator), page, layout: 'sign-in' });
}

function replyWithRecoveryCodes(visit: MemberVisit, codes: readonly string[]) {
  const { translator, host, base } = visit;
  const page = (
    <RecoveryCodesPage
      host={host}
      codes={codes}
      downloadHref={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\r\n')}\r\n`)}`}
      continueHref={`${base}settings?notice=app_on#sign-in`}
    />
  );
  return replyWithAppPage(visit, { title: recoveryCodesTitle(translator), page, layout: 'sign-in' });
}
