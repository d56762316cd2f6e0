import type { JSX } from 'preact';
import { Ago } from '../../components/ago.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { fillText } from '../../components/fill-text.ts';
import { PasskeyButton, type PasskeyRoutes } from '../../components/passkey-button.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { Setting } from '../../components/setting.tsx';
import { SettingItem, SettingItems } from '../../components/setting-item.tsx';
import { useTranslator } from '../../components/translator-context.ts';
import { isolate, oneLine } from '../../plain.ts';
import { type PasswordProblem, passwordProblem } from './enrolment-page.tsx';
import type { SettingsFrameProps } from './settings-frame.tsx';
import { describeNotice, type SettingsNotice } from './settings-notice.ts';
import { Facts, LastUse, Removal, SettingForm } from './settings-parts.tsx';

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

export interface SignInSettingProps {
  readonly frame: SettingsFrameProps;
  readonly now: Date;
  readonly passkeys: readonly SettingsPasskey[];
  /** Absent if passkeys are switched off. */
  readonly passkeyRoutes?: PasskeyRoutes | undefined;
  /** Absent if passwords are switched off. */
  readonly password?: { readonly changedAt?: Date | undefined; readonly minLength: number } | undefined;
  readonly authenticator: { readonly isOn: boolean; readonly recoveryCodesLeft: number };
  readonly providers: readonly SettingsProvider[];
  readonly notice?: SettingsNotice | undefined;
  /** Why a new password was not accepted. */
  readonly passwordProblem?: 'wrong' | PasswordProblem | undefined;
}

/** The sign-in methods of the person. */
export function SignInSetting(props: SignInSettingProps): JSX.Element {
  const translator = useTranslator();
  const { frame, passkeys, password, providers, passkeyRoutes } = props;
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
          <PasskeyItem key={passkey.id} {...props} passkey={passkey} isOnly={isOnly} />
        ))}
        {linked.map((provider) => (
          <ProviderItem key={provider.id} {...props} provider={provider} isOnly={isOnly} />
        ))}
        {password && <PasswordItem {...props} password={password} isOnly={isOnly} />}
        {password?.changedAt && <AuthenticatorItem {...props} />}
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

interface ItemProps {
  frame: SettingsFrameProps;
  now: Date;
  /** Whether the person could not sign in without it. */
  isOnly: boolean;
}

function PasskeyItem({ frame, now, passkey, isOnly }: ItemProps & { passkey: SettingsPasskey }): JSX.Element {
  const translator = useTranslator();
  const { id, name } = passkey;
  return (
    <SettingItem
      icon="passkey"
      title={<bdi>{oneLine(name)}</bdi>}
      about={
        <Facts>
          {translator.t('settings.passkey')}
          {fillText(translator, 'settings.added', { when: <Ago at={passkey.addedAt} now={now} /> })}
          <LastUse at={passkey.lastUsedAt} now={now} />
        </Facts>
      }
      more={{
        label: translator.t('settings.change'),
        name,
        children: (
          <>
            <SettingForm frame={frame} path="passkeys/rename" class="line-form">
              <input type="hidden" name="id" value={id} />
              <Field
                id={`name-${id}`}
                name="name"
                label={translator.t('settings.passkeyName')}
                value={oneLine(name)}
                maxLength={60}
                required
              />
              <Button>{translator.t('settings.rename')}</Button>
            </SettingForm>
            <Removal
              frame={frame}
              path="passkeys/remove"
              id={id}
              isOnly={isOnly}
              text={translator.t('settings.passkeyRemove')}
            />
          </>
        ),
      }}
    />
  );
}

function ProviderItem({ frame, now, provider, isOnly }: ItemProps & { provider: SettingsProvider }): JSX.Element {
  const translator = useTranslator();
  const { id, name, linked } = provider;
  return (
    <SettingItem
      icon="globe"
      title={<bdi>{oneLine(name)}</bdi>}
      about={
        <Facts>
          {linked && fillText(translator, 'settings.linked', { when: <Ago at={linked.at} now={now} /> })}
          <LastUse at={linked?.lastUsedAt} now={now} />
        </Facts>
      }
      more={{
        label: translator.t('settings.unlink'),
        name,
        children: (
          <Removal
            frame={frame}
            path="providers/unlink"
            id={id}
            isOnly={isOnly}
            text={translator.t('settings.providerRemove')}
            label={translator.t('settings.unlink')}
          />
        ),
      }}
    />
  );
}

function PasswordItem({
  frame,
  now,
  password,
  isOnly,
  passwordProblem: problem,
}: ItemProps & {
  password: NonNullable<SignInSettingProps['password']>;
  passwordProblem?: SignInSettingProps['passwordProblem'];
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

function AuthenticatorItem({ frame, authenticator }: SignInSettingProps): JSX.Element {
  const translator = useTranslator();
  const title = translator.t('settings.app');
  if (!authenticator.isOn) {
    return (
      <SettingItem
        icon="shield"
        title={title}
        about={translator.t('settings.appOff')}
        actions={
          <ButtonLink look="plain" href={`${frame.base}settings/authenticator`}>
            {translator.t('settings.appSetUp')}
          </ButtonLink>
        }
      />
    );
  }
  return (
    <SettingItem
      icon="shield"
      title={title}
      about={translator.t('settings.codesLeft', { count: authenticator.recoveryCodesLeft })}
      more={{
        label: translator.t('settings.change'),
        name: title,
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
      }}
    />
  );
}
