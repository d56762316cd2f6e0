import type { JSX } from 'preact';
import type { NewsKind } from '../../../domain/outbox/news.ts';
import { nameBrowser } from '../../../present/texts/name-browser.ts';
import { isolate } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { describeBrowser } from '../../../present/texts/user-agent.ts';
import { Button } from '../../shared/components/button.tsx';
import { Field, Select } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Switch } from '../components/check.tsx';
import { Ago } from './ago.tsx';
import { SaveBar } from './save-bar.tsx';
import { Setting } from './setting.tsx';
import { SettingItem, SettingItems } from './setting-item.tsx';
import { SettingsFrame } from './settings-frame.tsx';
import { describeNotice } from './settings-notice.ts';
import { Facts, SettingForm } from './settings-parts.tsx';
import { SignInSetting, type SignInSettingProps } from './settings-sign-in.tsx';

export interface SettingsSession {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly method: 'link' | 'passkey' | 'password' | 'provider';
  readonly lastUsedAt: Date;
  readonly isThis: boolean;
}

const notificationKinds: readonly NewsKind[] = ['received', 'undeliverable', 'asked', 'downloaded'];

export interface SettingsPersonPageProps extends SignInSettingProps {
  /** Whether the person is an owner of the account in which they work. */
  readonly canManage: boolean;
  readonly profile: {
    readonly name: string;
    readonly email: string;
    readonly language: string;
    /** An IANA name; empty: that of the server. */
    readonly timeZone: string;
  };
  /** Whether the name could be mistaken for an address, so that nothing was saved. */
  readonly isNameRefused?: boolean | undefined;
  readonly languages: readonly { readonly language: string; readonly name: string }[];
  readonly timeZones: readonly string[];
  readonly sessions: readonly SettingsSession[];
  /** The news of the account, of which the person gets these by mail. */
  readonly notifications: {
    readonly wanted: readonly NewsKind[];
    /** Whether the account has another address than the person. */
    readonly isShared: boolean;
    /** Whether the account has switched receipts off for everybody. */
    readonly isWithoutReceipts: boolean;
  };
}

const methodTexts = {
  link: 'settings.session.link',
  passkey: 'settings.session.passkey',
  password: 'settings.session.password',
  provider: 'settings.session.provider',
} as const;
const notificationTexts: Record<NewsKind, { label: string; note: string }> = {
  downloaded: { label: 'settings.notify.downloaded', note: 'settings.notify.downloadedNote' },
  undeliverable: { label: 'settings.notify.undeliverable', note: 'settings.notify.undeliverableNote' },
  received: { label: 'settings.notify.received', note: 'settings.notify.receivedNote' },
  asked: { label: 'settings.notify.asked', note: 'settings.notify.askedNote' },
};

/** Settings of the person, whichever account they work in. Each part is a form that works without a script. */
export function SettingsPersonPage(props: SettingsPersonPageProps): JSX.Element {
  return (
    <SettingsFrame frame={props.frame} tab="you" canManage={props.canManage}>
      <ProfileSetting {...props} />
      <SignInSetting {...props} />
      <SessionsSetting {...props} />
      <NotificationsSetting {...props} />
      <KeyboardSetting {...props} />
    </SettingsFrame>
  );
}

function ProfileSetting(props: SettingsPersonPageProps): JSX.Element {
  const translator = useTranslator();
  const { frame, profile, languages, timeZones, notice, now, isNameRefused } = props;
  const isListed = profile.language === '' || languages.some(({ language }) => language === profile.language);
  return (
    <Setting
      id="profile"
      title={translator.t('settings.profile')}
      about={translator.t('settings.profileAbout')}
      notice={describeNotice(translator, notice, 'profile')}
    >
      <SettingForm frame={frame} path="profile" class="form-grid">
        <Field
          id="name"
          name="name"
          label={translator.t('settings.name')}
          value={profile.name}
          problem={isNameRefused && translator.t('settings.displayNameProblem')}
          autocomplete="name"
          maxLength={100}
          required
        />
        <Field
          id="email"
          type="email"
          label={translator.t('signIn.email')}
          value={profile.email}
          hint={translator.t('settings.emailHint')}
          disabled
          dir="ltr"
        />
        <Select id="language" name="language" label={translator.t('common.language')}>
          <option value="" selected={profile.language === ''}>
            {translator.t('settings.languageBrowser')}
          </option>
          {!isListed && (
            <option value={profile.language} selected>
              {profile.language}
            </option>
          )}
          {languages.map(({ language, name }) => (
            <option key={language} value={language} lang={language} selected={language === profile.language}>
              {name}
            </option>
          ))}
        </Select>
        <Select
          id="time-zone"
          name="time_zone"
          label={translator.t('settings.timeZone')}
          hint={translator.t('settings.timeZoneNow', { time: formatClock(translator, now, profile.timeZone) })}
        >
          <option value="" selected={profile.timeZone === ''}>
            {translator.t('settings.timeZoneServer')}
          </option>
          {/* Browsers and servers name some zones differently. */}
          {[...new Set([...timeZones, ...(profile.timeZone === '' ? [] : [profile.timeZone])])].map((zone) => (
            <option key={zone} value={zone} selected={zone === profile.timeZone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </Select>
        <SaveBar />
      </SettingForm>
    </Setting>
  );
}

function SessionsSetting({ frame, sessions, now, notice }: SettingsPersonPageProps): JSX.Element {
  const translator = useTranslator();
  const others = sessions.filter(({ isThis }) => !isThis).length;
  return (
    <Setting
      id="sessions"
      title={translator.t('settings.sessions')}
      about={translator.t('settings.sessionsAbout')}
      notice={describeNotice(translator, notice, 'sessions')}
    >
      <SettingItems label={translator.t('settings.sessions')}>
        {sessions.map((session) => {
          const name = nameBrowser(translator, session.userAgent);
          const { isPhone } = describeBrowser(session.userAgent);
          return (
            <SettingItem
              key={session.id}
              icon={isPhone ? 'phone' : 'computer'}
              title={
                <>
                  {name} {session.isThis && <span class="tag tone-calm">{translator.t('settings.session.this')}</span>}
                </>
              }
              about={
                <Facts>
                  <bdi>{session.address}</bdi>
                  {!session.isThis &&
                    fillText(translator, 'settings.session.active', {
                      when: <Ago at={session.lastUsedAt} now={now} />,
                    })}
                  {translator.t(methodTexts[session.method])}
                </Facts>
              }
              actions={
                !session.isThis && (
                  <SettingForm frame={frame} path="sessions/end">
                    <input type="hidden" name="id" value={session.id} />
                    <Button look="plain">
                      {translator.t('frame.signOut')}
                      <span class="unseen"> {name}</span>
                    </Button>
                  </SettingForm>
                )
              }
            />
          );
        })}
      </SettingItems>
      {others > 0 && (
        <SettingForm frame={frame} path="sessions/end-others">
          <Button look="danger" icon="leave">
            {translator.t('settings.sessionsEnd')}
          </Button>
        </SettingForm>
      )}
    </Setting>
  );
}

function KeyboardSetting({ frame, notice }: SettingsPersonPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Setting
      id="keyboard"
      title={translator.t('settings.keyboard')}
      notice={describeNotice(translator, notice, 'keyboard')}
    >
      <SettingForm frame={frame} path="shortcuts" class="stack-s">
        <Switch
          id="shortcuts-on"
          name="shortcuts"
          value="on"
          defaultChecked={frame.person.hasShortcuts}
          label={translator.t('settings.shortcuts')}
          note={translator.t('settings.shortcutsNote')}
        />
        <SaveBar />
      </SettingForm>
    </Setting>
  );
}

function NotificationsSetting({
  frame,
  notifications: { wanted, isShared, isWithoutReceipts },
  notice,
}: SettingsPersonPageProps): JSX.Element {
  const translator = useTranslator();
  const about = [
    translator.t(isShared ? 'settings.notifyShared' : 'settings.notifyOwn', {
      account: isolate(frame.account.displayName),
    }),
    translator.t('settings.notifyAbout'),
  ];
  return (
    <Setting
      id="notifications"
      title={translator.t('settings.notify')}
      about={about.join(' ')}
      notice={describeNotice(translator, notice, 'notifications')}
    >
      <SettingForm frame={frame} path="notifications" class="stack-s">
        {notificationKinds.map((kind) => (
          <Switch
            key={kind}
            id={`notify-${kind}`}
            name={kind}
            value="on"
            defaultChecked={wanted.includes(kind) && !(kind === 'downloaded' && isWithoutReceipts)}
            disabled={kind === 'downloaded' && isWithoutReceipts}
            label={translator.t(notificationTexts[kind].label)}
            note={translator.t(
              kind === 'downloaded' && isWithoutReceipts ? 'settings.notify.noReceipts' : notificationTexts[kind].note,
            )}
          />
        ))}
        <SaveBar />
      </SettingForm>
    </Setting>
  );
}

function formatClock(translator: ViewTranslator, now: Date, timeZone: string): string {
  if (timeZone === '') return translator.formatTime(now);
  const clock = new Intl.DateTimeFormat(translator.locale, { hour: 'numeric', minute: '2-digit', timeZone });
  return clock.format(now);
}
