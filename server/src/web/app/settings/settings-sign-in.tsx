import type { JSX } from 'preact';
import type { PasswordFault } from '../../../domain/sign-in/password-rules.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Field } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { PasskeyButton, type PasskeyRoutes } from '../components/passkey-button.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { passwordProblem } from '../sign-in/enrolment-page.tsx';
import { Ago } from './ago.tsx';
import { Setting } from './setting.tsx';
import { SettingItem, SettingItems } from './setting-item.tsx';
import type { SettingsFrameProps } from './settings-frame.tsx';
import { describeNotice, type SettingsNotice } from './settings-notice.ts';
import { Facts, LastUse, Removal, SettingForm } from './settings-parts.tsx';

export interface SettingsPasskey {
  readonly id: string;
  readonly name: string;
  readonly addedAt: Date;
  readonly lastUsedAt?: Date | undefined;
}

export interface SettingsIdentity {
  readonly id: string;
  readonly provider: string;
  /** The provider's name for the person. */
  readonly label: string;
  readonly at: Date;
  readonly lastUsedAt?: Date | undefined;
}

export interface SettingsProvider {
  readonly name: string;
  /** Where linking begins. Accepts `next` and the form's token. */
  readonly linkAction: string;
  /** Whether the person has an identity there already. */
  readonly isLinked: boolean;
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
  readonly identities: readonly SettingsIdentity[];
  readonly providers: readonly SettingsProvider[];
  readonly notice?: SettingsNotice | undefined;
  /** Why a new password was not accepted. */
  readonly passwordProblem?: 'wrong' | PasswordFault | undefined;
}

/** The sign-in methods of the person. */
export function SignInSetting(props: SignInSettingProps): JSX.Element {
  const translator = useTranslator();
  const { frame, passkeys, password, identities, providers, passkeyRoutes } = props;
  const isOnly = passkeys.length + identities.length + (password?.changedAt ? 1 : 0) === 1;
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
        {identities.map((identity) => (
          <IdentityItem key={identity.id} {...props} identity={identity} isOnly={isOnly} />
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
        {providers.map(({ name, linkAction, isLinked }) => (
          <form key={linkAction} method="post" action={linkAction}>
            <CsrfField csrf={frame.csrf} />
            <input type="hidden" name="next" value={`${frame.base}settings?notice=provider_linked`} />
            <Button look="plain" icon="globe">
              {translator.t(isLinked ? 'settings.linkAgain' : 'settings.link', { provider: isolate(name) })}
            </Button>
          </form>
        ))}
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

function IdentityItem({ frame, now, identity, isOnly }: ItemProps & { identity: SettingsIdentity }): JSX.Element {
  const translator = useTranslator();
  const { id, provider, label, at, lastUsedAt } = identity;
  return (
    <SettingItem
      icon="globe"
      title={<bdi>{oneLine(provider)}</bdi>}
      about={
        <Facts>
          <bdi>{oneLine(label)}</bdi>
          {fillText(translator, 'settings.linked', { when: <Ago at={at} now={now} /> })}
          <LastUse at={lastUsedAt} now={now} />
        </Facts>
      }
      more={{
        label: translator.t('settings.unlink'),
        name: `${oneLine(provider)}, ${oneLine(label)}`,
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
          <SettingForm frame={frame} path="authenticator/begin">
            <Button look="plain">{translator.t('settings.appSetUp')}</Button>
          </SettingForm>
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
