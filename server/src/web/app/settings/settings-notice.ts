import type { ViewTranslator } from '../../../present/texts/translator-context.ts';

/** The parts of the settings, which are also the fragments of their addresses. */
type SettingsPart =
  | 'profile'
  | 'sign-in'
  | 'sessions'
  | 'notifications'
  | 'keyboard'
  | 'choices'
  | 'members'
  | 'keys'
  | 'webhooks'
  | 'public-page';

const notices = {
  profile_saved: { part: 'profile', tone: 'good', text: 'settings.notice.profileSaved' },
  passkey_added: { part: 'sign-in', tone: 'good', text: 'settings.notice.passkeyAdded' },
  passkey_renamed: { part: 'sign-in', tone: 'good', text: 'settings.notice.passkeyRenamed' },
  passkey_removed: { part: 'sign-in', tone: 'good', text: 'settings.notice.passkeyRemoved' },
  password_saved: { part: 'sign-in', tone: 'good', text: 'settings.notice.passwordSaved' },
  password_removed: { part: 'sign-in', tone: 'good', text: 'settings.notice.passwordRemoved' },
  app_on: { part: 'sign-in', tone: 'good', text: 'settings.notice.appOn' },
  app_off: { part: 'sign-in', tone: 'good', text: 'settings.notice.appOff' },
  provider_linked: { part: 'sign-in', tone: 'good', text: 'settings.notice.providerLinked' },
  provider_unlinked: { part: 'sign-in', tone: 'good', text: 'settings.notice.providerUnlinked' },
  only_method: { part: 'sign-in', tone: 'bad', text: 'settings.only' },
  sign_in_failed: { part: 'sign-in', tone: 'bad', text: 'settings.notice.failed' },
  sessions_ended: { part: 'sessions', tone: 'good', text: 'settings.notice.sessionsEnded' },
  notifications_saved: { part: 'notifications', tone: 'good', text: 'settings.notice.notificationsSaved' },
  shortcuts_saved: { part: 'keyboard', tone: 'good', text: 'settings.notice.shortcutsSaved' },
  choices_saved: { part: 'choices', tone: 'good', text: 'settings.notice.choicesSaved' },
  role_saved: { part: 'members', tone: 'good', text: 'settings.notice.roleSaved' },
  member_added: { part: 'members', tone: 'good', text: 'settings.notice.memberAdded' },
  member_removed: { part: 'members', tone: 'good', text: 'settings.notice.memberRemoved' },
  last_owner: { part: 'members', tone: 'bad', text: 'settings.member.lastOwner' },
  invitation_sent: { part: 'members', tone: 'good', text: 'settings.notice.invitationSent' },
  invitation_open: { part: 'members', tone: 'good', text: 'settings.notice.invitationOpen' },
  invitation_revoked: { part: 'members', tone: 'good', text: 'settings.notice.invitationRevoked' },
  key_revoked: { part: 'keys', tone: 'good', text: 'settings.notice.keyRevoked' },
  webhook_saved: { part: 'webhooks', tone: 'good', text: 'settings.notice.webhookSaved' },
  webhook_removed: { part: 'webhooks', tone: 'good', text: 'settings.notice.webhookRemoved' },
  webhook_enabled: { part: 'webhooks', tone: 'good', text: 'settings.notice.webhookEnabled' },
  webhook_disabled: { part: 'webhooks', tone: 'good', text: 'settings.notice.webhookDisabled' },
  test_sent: { part: 'webhooks', tone: 'good', text: 'settings.notice.testSent' },
  event_replayed: { part: 'webhooks', tone: 'good', text: 'settings.notice.eventReplayed' },
  public_page_saved: { part: 'public-page', tone: 'good', text: 'settings.notice.publicPageSaved' },
  sender_unblocked: { part: 'public-page', tone: 'good', text: 'settings.notice.senderUnblocked' },
} as const satisfies Record<string, { part: SettingsPart; tone: 'good' | 'bad'; text: string }>;

/** The result of the last change. The address of the page may name it, so that it can be shown after a redirect. */
export type SettingsNotice = keyof typeof notices;

export function isSettingsNotice(name: unknown): name is SettingsNotice {
  return typeof name === 'string' && Object.hasOwn(notices, name);
}

/** The part of the page that the notice is about: its fragment. */
export function findSettingsPart(notice: SettingsNotice): SettingsPart {
  return notices[notice].part;
}

/** Describes the notice for the part that shows it; undefined for every other part. */
export function describeNotice(
  translator: ViewTranslator,
  notice: SettingsNotice | undefined,
  part: SettingsPart,
): { tone: 'good' | 'bad'; text: string } | undefined {
  if (notice === undefined || notices[notice].part !== part) return undefined;
  const { tone, text } = notices[notice];
  return { tone, text: translator.t(text) };
}
