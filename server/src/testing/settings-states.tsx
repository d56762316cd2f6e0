import type { JSX } from 'preact';
import { SettingsAccountPage, type SettingsAccountPageProps } from '../views/pages/app/settings-account-page.tsx';
import { type SettingsFrameProps, settingsTitle } from '../views/pages/app/settings-frame.tsx';
import { SettingsPersonPage, type SettingsPersonPageProps } from '../views/pages/app/settings-person-page.tsx';
import type { Translator } from '../views/translator.ts';
import type { Foreign, PageState } from './view-states.tsx';

const now = new Date('2026-11-16T13:05:00Z');
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);
const mac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0';
const languages = ['Deutsch', 'English', 'Español', 'Français', 'Svenska'].map((name) => ({
  name,
  language: { Deutsch: 'de', English: 'en', Español: 'es', Français: 'fr', Svenska: 'sv' }[name] ?? '',
}));

/** The settings of a person and of an account in every state. */
export function settingsStates(
  translator: Translator,
  foreign: Foreign,
  frame: SettingsFrameProps,
): Record<string, PageState> {
  const state = (page: JSX.Element): PageState => ({
    title: settingsTitle(translator),
    page,
    layout: 'app',
    script: 'settings',
  });
  const person = (props: Partial<SettingsPersonPageProps> = {}): PageState =>
    state(
      <SettingsPersonPage
        frame={frame}
        now={now}
        canManage
        profile={{ ...frame.person, language: 'en', timeZone: 'Europe/Stockholm' }}
        languages={languages}
        timeZones={['Europe/Berlin', 'Europe/Stockholm', 'America/New_York']}
        passkeys={[
          { id: 'p1', name: 'MacBook, Touch ID', addedAt: ago(258), lastUsedAt: ago(0.2) },
          { id: 'p2', name: foreign.name, addedAt: ago(12) },
        ]}
        passkeyRoutes={{ optionsHref: '/passkey/options', resultHref: '/passkey' }}
        password={{ changedAt: ago(306), minLength: 12 }}
        authenticator={{ isOn: true, recoveryCodesLeft: 8 }}
        providers={[
          { id: 'acme', name: 'Acme SSO', linked: { at: ago(400), lastUsedAt: ago(3) } },
          { id: 'other', name: foreign.senderName, linkHref: '/sign-in/with/other' },
        ]}
        sessions={[
          { id: 's1', userAgent: mac, address: '198.51.100.20', method: 'passkey', lastUsedAt: now, isThis: true },
          {
            id: 's2',
            userAgent: android,
            address: '2001:db8::7',
            method: 'passkey',
            lastUsedAt: ago(0.1),
            isThis: false,
          },
          {
            id: 's3',
            userAgent: windows,
            address: '203.0.113.80',
            method: 'provider',
            lastUsedAt: ago(2),
            isThis: false,
          },
          { id: 's4', userAgent: '', address: '203.0.113.81', method: 'password', lastUsedAt: ago(9), isThis: false },
        ]}
        notifications={{ downloaded: true, undeliverable: true, received: true, opened: false }}
        {...props}
      />,
    );
  const account = (props: Partial<SettingsAccountPageProps> = {}): PageState =>
    state(
      <SettingsAccountPage
        frame={frame}
        now={now}
        canManage
        choices={{
          displayName: 'Acme Plant 2',
          secondFactor: 'sms',
          receipts: true,
          reminders: false,
          showLinks: true,
        }}
        factors={['', 'off', 'mail', 'sms']}
        ownerCount={1}
        pages={{}}
        members={[
          { id: 'm1', ...frame.person, role: 'owner', since: ago(400), isYou: true },
          {
            id: 'm2',
            name: 'Oskar Håkansson',
            email: 'oskar@acme.example',
            role: 'member',
            since: ago(90),
            isYou: false,
          },
          { id: 'm3', name: foreign.senderName, email: foreign.sender, role: 'reader', since: ago(2), isYou: false },
        ]}
        invitations={[
          { id: 'i1', email: 'lena.wojcik@acme.example', role: 'member', expiresAt: ago(-6) },
          { id: 'i2', email: 'david.brandt@acme.example', role: 'reader', expiresAt: ago(3) },
        ]}
        {...props}
      />,
    );
  return {
    'settings-person': person(),
    'settings-person-saved': person({ notice: 'profile_saved' }),
    'settings-person-password': person({
      passkeys: [],
      providers: [],
      authenticator: { isOn: false, recoveryCodesLeft: 0 },
      notifications: undefined,
      passwordProblem: 'common',
      notice: 'sign_in_failed',
    }),
    'settings-account': account(),
    'settings-account-reader': account({ canManage: false }),
    'settings-account-invitation': account({
      notice: 'last_owner',
      factors: ['', 'sms'],
      displayNameProblem: translator.t('settings.displayNameProblem'),
      pages: { newerHref: '?', olderHref: '?after=x' },
      invitationProblem: { email: 'lena', text: translator.t('signIn.recovery.invalid') },
    }),
  };
}
