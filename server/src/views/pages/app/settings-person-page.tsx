import type { ComponentChildren, JSX } from 'preact';
import { Ago } from '../../components/ago.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { CsrfField } from '../../components/csrf-field.tsx';
import { Field, Select } from '../../components/field.tsx';
import { fillText } from '../../components/fill-text.ts';
import { nameBrowser } from '../../components/name-browser.ts';
import { PasskeyButton, type PasskeyRoutes } from '../../components/passkey-button.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { Setting } from '../../components/setting.tsx';
import { SettingItem, SettingItems } from '../../components/setting-item.tsx';
import { Switch } from '../../components/switch.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { describeBrowser } from '../../components/user-agent.ts';
import { isolate, oneLine } from '../../plain.ts';
import { type PasswordProblem, passwordProblem } from './enrolment-page.tsx';
import { SettingsFrame, type SettingsFrameProps } from './settings-frame.tsx';
import { describeNotice, type SettingsNotice } from './settings-notice.ts';

export interface SettingsPasskey {
  readonly id: string;
  readonly name: string;
  readonly addedAt: Date;
  readonly lastUsedAt?: Date | undefined;
}

export interface SettingsProvider {
  readonly id: string;
  readonly name: string;
  /** Absent if the person has not linked it. */
  readonly linked?: { readonly at: Date; readonly lastUsedAt?: Date | undefined } | undefined;
  /** The link with which linking begins; absent if the provider cannot be linked now. */
  readonly linkHref?: string | undefined;
}

export interface SettingsSession {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly method: 'link' | 'passkey' | 'password' | 'provider';
  readonly lastUsedAt: Date;
  readonly isThis: boolean;
}

export const notificationKinds = ['downloaded', 'undeliverable', 'received', 'opened'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export interface SettingsPersonPageProps {
  readonly frame: SettingsFrameProps;
  readonly now: Date;
  /** Whether the person is an owner of the account in which they work. */
  readonly canManage: boolean;
  readonly profile: {
    readonly name: string;
    readonly email: string;
    readonly language: string;
    /** An IANA name; empty: that of the server. */
    readonly timeZone: string;
  };
  readonly languages: readonly { readonly language: string; readonly name: string }[];
  readonly timeZones: readonly string[];
  readonly passkeys: readonly SettingsPasskey[];
  /** Absent if passkeys are switched off. */
  readonly passkeyRoutes?: PasskeyRoutes | undefined;
  /** Absent if passwords are switched off. */
  readonly password?: { readonly changedAt?: Date | undefined; readonly minLength: number } | undefined;
  readonly authenticator: { readonly isOn: boolean; readonly recoveryCodesLeft: number };
  readonly providers: readonly SettingsProvider[];
  readonly sessions: readonly SettingsSession[];
  /** Absent where the server does not keep such choices. */
  readonly notifications?: Readonly<Record<NotificationKind, boolean>> | undefined;
  readonly notice?: SettingsNotice | undefined;
  /** Why a new password was not accepted. */
  readonly passwordProblem?: 'wrong' | PasswordProblem | undefined;
}

const methodTexts = {
  link: 'settings.session.link',
  passkey: 'settings.session.passkey',
  password: 'settings.session.password',
  provider: 'settings.session.provider',
} as const;
const notificationTexts: Record<NotificationKind, { label: string; note: string }> = {
  downloaded: { label: 'settings.notify.downloaded', note: 'settings.notify.downloadedNote' },
  undeliverable: { label: 'settings.notify.undeliverable', note: 'settings.notify.undeliverableNote' },
  received: { label: 'settings.notify.received', note: 'settings.notify.receivedNote' },
  opened: { label: 'settings.notify.opened', note: 'settings.notify.openedNote' },
};

/** Settings of the person, whichever account they work in. Each part is a form that works without a script. */
export function SettingsPersonPage(props: SettingsPersonPageProps): JSX.Element {
  return (
    <SettingsFrame frame={props.frame} tab="you" canManage={props.canManage}>
      <ProfileSetting {...props} />
      <SignInSetting {...props} />
      <SessionsSetting {...props} />
      {props.notifications && <NotificationsSetting {...props} notifications={props.notifications} />}
    </SettingsFrame>
  );
}

function ProfileSetting({ frame, profile, languages, timeZones, notice, now }: SettingsPersonPageProps): JSX.Element {
  const translator = useTranslator();
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
          {timeZones.map((zone) => (
            <option key={zone} value={zone} selected={zone === profile.timeZone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </Select>
        <Save />
      </SettingForm>
    </Setting>
  );
}

function SignInSetting(props: SettingsPersonPageProps): JSX.Element {
  const translator = useTranslator();
  const { frame, passkeys, password, authenticator, providers, now, passkeyRoutes } = props;
  const linked = providers.filter((provider) => provider.linked !== undefined);
  const isOnly = passkeys.length + linked.length + (password?.changedAt ? 1 : 0) === 1;
  return (
    <Setting
      id="sign-in"
      title={translator.t('settings.signIn')}
      about={translator.t('settings.signInAbout')}
      notice={describeNotice(translator, props.notice, 'sign-in')}
    >
      <SettingItems label={translator.t('settings.signIn')}>
        {passkeys.map((passkey) => (
          <SettingItem
            key={passkey.id}
            icon="passkey"
            title={<bdi>{oneLine(passkey.name)}</bdi>}
            about={
              <Facts>
                {translator.t('settings.passkey')}
                {fillText(translator, 'settings.added', { when: <Ago at={passkey.addedAt} now={now} /> })}
                <LastUse at={passkey.lastUsedAt} now={now} />
              </Facts>
            }
            more={{
              label: translator.t('settings.change'),
              name: passkey.name,
              children: (
                <>
                  <SettingForm frame={frame} path="passkeys/rename" class="line-form">
                    <input type="hidden" name="id" value={passkey.id} />
                    <Field
                      id={`name-${passkey.id}`}
                      name="name"
                      label={translator.t('settings.passkeyName')}
                      value={oneLine(passkey.name)}
                      maxLength={60}
                      required
                    />
                    <Button>{translator.t('settings.rename')}</Button>
                  </SettingForm>
                  <Removal
                    frame={frame}
                    path="passkeys/remove"
                    id={passkey.id}
                    isOnly={isOnly}
                    text={translator.t('settings.passkeyRemove')}
                  />
                </>
              ),
            }}
          />
        ))}
        {linked.map((provider) => (
          <SettingItem
            key={provider.id}
            icon="globe"
            title={<bdi>{oneLine(provider.name)}</bdi>}
            about={
              <Facts>
                {provider.linked &&
                  fillText(translator, 'settings.linked', { when: <Ago at={provider.linked.at} now={now} /> })}
                <LastUse at={provider.linked?.lastUsedAt} now={now} />
              </Facts>
            }
            more={{
              label: translator.t('settings.change'),
              name: provider.name,
              children: (
                <Removal
                  frame={frame}
                  path="providers/unlink"
                  id={provider.id}
                  isOnly={isOnly}
                  text={translator.t('settings.providerRemove')}
                  label={translator.t('settings.unlink')}
                />
              ),
            }}
          />
        ))}
        {password && <PasswordItem {...props} password={password} isOnly={isOnly} />}
        {password?.changedAt && (
          <SettingItem
            icon="shield"
            title={translator.t('settings.app')}
            about={
              authenticator.isOn
                ? translator.t('settings.codesLeft', { count: authenticator.recoveryCodesLeft })
                : translator.t('settings.appOff')
            }
            actions={
              authenticator.isOn ? undefined : (
                <ButtonLink look="plain" href={`${frame.base}settings/authenticator`}>
                  {translator.t('settings.appSetUp')}
                </ButtonLink>
              )
            }
            more={
              authenticator.isOn
                ? {
                    label: translator.t('settings.change'),
                    name: translator.t('settings.app'),
                    children: (
                      <>
                        <SettingForm frame={frame} path="recovery-codes" class="line-form">
                          <p>{translator.t('settings.codesNewText')}</p>
                          <Button>{translator.t('settings.codesNew')}</Button>
                        </SettingForm>
                        <Removal
                          frame={frame}
                          path="authenticator/remove"
                          text={translator.t('settings.appRemove')}
                          label={translator.t('settings.switchOff')}
                        />
                      </>
                    ),
                  }
                : undefined
            }
          />
        )}
      </SettingItems>
      <div class="actions">
        {passkeyRoutes && (
          <PasskeyButton
            does="register"
            csrf={frame.csrf}
            look="quiet"
            label={translator.t('settings.passkeyAdd')}
            {...passkeyRoutes}
          />
        )}
        {providers.map(
          ({ id, name, linked: link, linkHref }) =>
            !link &&
            linkHref !== undefined && (
              <ButtonLink key={id} look="plain" icon="globe" href={linkHref}>
                {translator.t('settings.link', { provider: isolate(name) })}
              </ButtonLink>
            ),
        )}
      </div>
    </Setting>
  );
}

function PasswordItem({
  frame,
  now,
  password,
  isOnly,
  passwordProblem: problem,
}: SettingsPersonPageProps & {
  password: NonNullable<SettingsPersonPageProps['password']>;
  isOnly: boolean;
}): JSX.Element {
  const translator = useTranslator();
  const { changedAt, minLength } = password;
  const wrongPassword = passwordProblem(translator, problem, minLength);
  return (
    <SettingItem
      icon="key"
      title={translator.t('signIn.password')}
      about={
        changedAt
          ? fillText(translator, 'settings.changed', { when: <Ago at={changedAt} now={now} /> })
          : translator.t('settings.passwordNone')
      }
      more={{
        label: translator.t(changedAt ? 'settings.change' : 'settings.passwordSet'),
        name: translator.t('signIn.password'),
        open: problem !== undefined,
        children: (
          <>
            <SettingForm frame={frame} path="password" class="form-grid">
              {changedAt && (
                <PasswordField
                  id="current-password"
                  name="current_password"
                  label={translator.t('settings.passwordNow')}
                  problem={problem === 'wrong' ? translator.t('settings.passwordWrong') : undefined}
                  autocomplete="current-password"
                />
              )}
              <PasswordField
                id="new-password"
                name="new_password"
                label={translator.t('settings.passwordNew')}
                hint={translator.t('signIn.password.hint', { count: minLength })}
                problem={wrongPassword}
                autocomplete="new-password"
                minLength={minLength}
              />
              <div class="form-end">
                <Button>{translator.t('signIn.password.save')}</Button>
              </div>
            </SettingForm>
            {changedAt && (
              <Removal
                frame={frame}
                path="password/remove"
                isOnly={isOnly}
                text={translator.t('settings.passwordRemove')}
              />
            )}
          </>
        ),
      }}
    />
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

function NotificationsSetting({
  frame,
  notifications,
  notice,
}: SettingsPersonPageProps & { notifications: Readonly<Record<NotificationKind, boolean>> }): JSX.Element {
  const translator = useTranslator();
  return (
    <Setting
      id="notifications"
      title={translator.t('settings.notify')}
      about={translator.t('settings.notifyAbout')}
      notice={describeNotice(translator, notice, 'notifications')}
    >
      <SettingForm frame={frame} path="notifications" class="stack-s">
        {notificationKinds.map((kind) => (
          <Switch
            key={kind}
            id={`notify-${kind}`}
            name={kind}
            value="on"
            defaultChecked={notifications[kind]}
            label={translator.t(notificationTexts[kind].label)}
            note={translator.t(notificationTexts[kind].note)}
          />
        ))}
        <Save />
      </SettingForm>
    </Setting>
  );
}

/** A form that sends to a path below the settings of the account in which the person works. */
export function SettingForm({
  frame,
  path,
  class: look,
  children,
}: {
  frame: Pick<SettingsFrameProps, 'base' | 'csrf'>;
  path: string;
  class?: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form method="post" action={`${frame.base}settings/${path}`} class={look}>
      <CsrfField csrf={frame.csrf} />
      {children}
    </form>
  );
}

export function Save(): JSX.Element {
  const translator = useTranslator();
  return (
    <div class="form-end">
      <Button>{translator.t('settings.save')}</Button>
    </div>
  );
}

/** Says what is lost before the button that removes it. */
export function Removal({
  frame,
  path,
  id,
  text,
  label,
  isOnly,
}: {
  frame: SettingsFrameProps;
  path: string;
  id?: string;
  text: string;
  label?: string;
  /** Whether the person could not sign in without it. */
  isOnly?: boolean;
}): JSX.Element {
  const translator = useTranslator();
  if (isOnly) return <p class="quiet">{translator.t('settings.only')}</p>;
  return (
    <SettingForm frame={frame} path={path} class="line-form">
      {id !== undefined && <input type="hidden" name="id" value={id} />}
      <p>{text}</p>
      <Button look="danger">{label ?? translator.t('settings.remove')}</Button>
    </SettingForm>
  );
}

/** Facts in one line, with a dot between them. */
export function Facts({ children }: { children: ComponentChildren }): JSX.Element {
  const facts = (Array.isArray(children) ? children : [children]).filter(Boolean) as ComponentChildren[];
  return (
    <span class="facts">
      {facts.map((fact) => (
        <span>{fact}</span>
      ))}
    </span>
  );
}

export function LastUse({ at, now }: { at: Date | undefined; now: Date }): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      {at
        ? fillText(translator, 'settings.used', { when: <Ago at={at} now={now} /> })
        : translator.t('settings.unused')}
    </>
  );
}

function formatClock(translator: ViewTranslator, now: Date, timeZone: string): string {
  if (timeZone === '') return translator.formatTime(now);
  const clock = new Intl.DateTimeFormat(translator.locale, { hour: 'numeric', minute: '2-digit', timeZone });
  return clock.format(now);
}
