import type { JSX } from 'preact';
import type { WebhookAttempt } from '../src/domain/webhooks/webhook-store.ts';
import type { Translator } from '../src/present/texts/translator.ts';
import { SettingsAccountPage, type SettingsAccountPageProps } from '../src/web/app/settings/settings-account-page.tsx';
import { type SettingsFrameProps, settingsTitle } from '../src/web/app/settings/settings-frame.tsx';
import { SettingsKeysPage, type SettingsKeysPageProps } from '../src/web/app/settings/settings-keys-page.tsx';
import { SettingsPersonPage, type SettingsPersonPageProps } from '../src/web/app/settings/settings-person-page.tsx';
import { SettingsWebhookPage, type SettingsWebhookPageProps } from '../src/web/app/settings/settings-webhook-page.tsx';
import {
  type SettingsWebhook,
  SettingsWebhooksPage,
  type SettingsWebhooksPageProps,
} from '../src/web/app/settings/settings-webhooks-page.tsx';
import type { Foreign, PageState } from './view-states.tsx';

const now = new Date('2026-11-16T13:05:00Z');
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);
const mac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0';
const endless = { networks: null, createdAt: ago(400), expiresAt: null, lastUsedAt: null };
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
          { id: 'p2', name: 'Pixel 9', addedAt: ago(12) },
        ]}
        passkeyRoutes={{ optionsHref: '/passkey/options', resultHref: '/passkey' }}
        password={{ changedAt: ago(306), minLength: 12 }}
        authenticator={{ isOn: true, recoveryCodesLeft: 8 }}
        identities={[
          { id: 'i1', provider: 'Acme SSO', label: 'maya.lindqvist@acme.example', at: ago(400), lastUsedAt: ago(3) },
          { id: 'i2', provider: foreign.senderName, label: foreign.senderName, at: ago(2) },
        ]}
        providers={[
          { name: 'Acme SSO', linkAction: '/sign-in/provider/acme/link', isLinked: true },
          { name: foreign.senderName, linkAction: '/sign-in/provider/other/link', isLinked: false },
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
        notifications={{
          wanted: ['undeliverable', 'asked', 'received', 'downloaded'],
          isShared: false,
          isWithoutReceipts: false,
        }}
        {...props}
      />,
    );
  const shared = frame.accounts.find((each) => each.shared) ?? frame.account;
  const account = (props: Partial<SettingsAccountPageProps> = {}): PageState =>
    state(
      <SettingsAccountPage
        frame={{ ...frame, account: shared, base: `/${shared.email}/` }}
        now={now}
        canManage
        choices={{
          displayName: 'Plant 2 Orders',
          secondFactor: 'sms',
          receipts: true,
          attachReceipts: false,
          reminders: false,
          showLinks: true,
          defaultDays: 14,
        }}
        days={{ offered: [3, 7, 14, 30], usual: 7 }}
        factors={['', 'off', 'mail', 'sms']}
        ownerCount={1}
        publicPage={{
          isOpen: true,
          name: 'plant-2-orders',
          message: 'Please send drawings as PDF.',
          url: 'https://files.acme.example/to/',
          isAllowed: true,
          blocked: [{ email: foreign.sender, blockedAt: ago(3) }],
        }}
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
  const keys = (props: Partial<SettingsKeysPageProps> = {}): PageState =>
    state(
      <SettingsKeysPage
        frame={frame}
        now={now}
        keys={[
          {
            id: 'k1',
            name: 'ERP export',
            hint: 'wb_9vK2mQ',
            scopes: ['send', 'history'],
            networks: ['192.0.2.0/24', '2001:db8::/32'],
            createdAt: ago(200),
            expiresAt: ago(-90),
            lastUsedAt: ago(0.1),
            isLive: true,
          },
          { ...endless, id: 'k2', name: foreign.name, hint: 'wb_a11Xyz', scopes: null, isLive: true },
          { ...endless, id: 'k3', name: '', hint: 'wb_77Qrst', scopes: ['receive'], isLive: false },
        ]}
        {...props}
      />,
    );
  const webhook: SettingsWebhook & { version: number } = {
    id: 'w1',
    version: 3,
    url: 'https://erp.acme.example/hooks/waybill',
    description: foreign.name,
    types: ['drop.created', 'drop.completed', 'inbox.received'],
    createdAt: ago(90),
    disabled: null,
    failingSince: null,
  };
  const eventTypes = ['drop.created', 'drop.opened', 'drop.completed', 'request.received', 'inbox.received'];
  const fields = { description: '', types: ['drop.created'] };
  const webhooks = (props: Partial<SettingsWebhooksPageProps> = {}): PageState =>
    state(
      <SettingsWebhooksPage
        frame={frame}
        now={now}
        eventTypes={eventTypes}
        webhooks={[
          webhook,
          { ...webhook, id: 'w2', types: null, failingSince: ago(0.2), description: '' },
          { ...webhook, id: 'w3', disabled: { at: ago(3), reason: 'failing' }, failingSince: ago(8) },
        ]}
        {...props}
      />,
    );
  const attempt: WebhookAttempt = {
    id: 'a1',
    eventId: 'e1',
    type: 'drop.completed',
    attempt: 1,
    at: ago(0.01),
    status: 204,
    failure: null,
    durationMs: 84,
  };
  const oneWebhook = (props: Partial<SettingsWebhookPageProps> = {}): PageState =>
    state(
      <SettingsWebhookPage
        frame={frame}
        now={now}
        webhook={webhook}
        eventTypes={eventTypes}
        attempts={[
          attempt,
          { ...attempt, id: 'a2', attempt: 3, status: 503, at: ago(0.1), durationMs: 1112 },
          {
            ...attempt,
            id: 'a3',
            type: 'webhook.test',
            status: null,
            failure: 'timeout',
            at: ago(1),
            durationMs: 10_000,
          },
        ]}
        pages={{ olderHref: '?before=a3' }}
        {...props}
      />,
    );
  return {
    'settings-keys': keys(),
    'settings-keys-created': keys({
      created: { name: foreign.name, secret: `wb_${'9vK2mQ7xT4pLr8sDn3Hc'.repeat(2)}` },
    }),
    'settings-keys-refused': keys({
      keys: [],
      refused: { name: 'ERP export', scopes: [], networks: '192.0.2.0/24', expires: '2027-01-31', problem: 'scopes' },
    }),
    'settings-webhooks': webhooks({ notice: 'webhook_removed' }),
    'settings-webhooks-created': webhooks({
      created: { url: webhook.url, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
    }),
    'settings-webhooks-refused': webhooks({
      webhooks: [],
      refused: { ...fields, url: 'http://localhost/', problem: 'url' },
    }),
    'settings-webhook': oneWebhook({ notice: 'test_sent' }),
    'settings-webhook-overtaken': oneWebhook({ isOvertaken: true }),
    'settings-webhook-off': oneWebhook({
      attempts: [],
      webhook: { ...webhook, types: null, disabled: { at: ago(1), reason: 'owner' } },
      secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
    'settings-person': person(),
    'settings-person-saved': person({
      passkeys: [{ id: 'p1', name: foreign.name, addedAt: ago(12) }],
      notice: 'profile_saved',
      notifications: { wanted: ['undeliverable', 'asked'], isShared: true, isWithoutReceipts: false },
    }),
    'settings-person-password': person({
      passkeys: [],
      identities: [],
      providers: [],
      authenticator: { isOn: false, recoveryCodesLeft: 0 },
      notifications: { wanted: ['undeliverable'], isShared: false, isWithoutReceipts: true },
      passwordProblem: 'common',
      notice: 'sign_in_failed',
    }),
    'settings-account': account(),
    'settings-account-reader': account({ canManage: false }),
    'settings-account-public-page': account({
      publicPage: {
        isOpen: true,
        name: 'Support',
        message: '',
        url: 'https://files.acme.example/to/',
        isAllowed: true,
        problem: 'reserved',
        blocked: [],
      },
    }),
    'settings-account-no-public-page': account({
      publicPage: {
        isOpen: false,
        name: '',
        message: '',
        url: 'https://files.acme.example/to/',
        isAllowed: false,
        blocked: [],
      },
    }),
    'settings-account-invitation': account({
      notice: 'last_owner',
      factors: ['', 'sms'],
      isRefused: true,
      pages: { newerHref: '?', olderHref: '?after=x' },
      refusedInvitation: { email: 'lena' },
    }),
  };
}
