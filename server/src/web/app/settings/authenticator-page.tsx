import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Field } from '../../shared/components/field.tsx';
import { CopyField } from '../components/copy-field.tsx';
import { QrCode } from '../components/qr-code.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

export interface AuthenticatorPageProps {
  readonly host: string;
  readonly csrf: string;
  /** Accepts `code`. */
  readonly action: string;
  /** The address for the app, with the secret: `otpauth://totp/…`. */
  readonly uri: string;
  /** The secret in base32. */
  readonly secret: string;
  readonly problem?: 'wrong' | undefined;
  /** Where to go without an app; absent where the server requires one. */
  readonly cancelHref?: string | undefined;
}

export function authenticatorTitle(translator: ViewTranslator): string {
  return translator.t('signIn.app.title');
}

/** Sets up the authenticator app: the secret to scan or copy, and a code that proves that it arrived. */
export function AuthenticatorPage(props: AuthenticatorPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <SignInFrame title={authenticatorTitle(translator)} about={translator.t('signIn.app.about')} host={props.host}>
      <ol class="sign-in-steps">
        <li>
          <h2>{translator.t('signIn.app.scan')}</h2>
          <QrCode text={props.uri} label={translator.t('signIn.app.qr')} />
          <p class="small">
            <a href={props.uri}>{translator.t('signIn.app.open')}</a>
          </p>
          <details class="more small">
            <summary>{translator.t('signIn.app.type')}</summary>
            <CopyField
              value={props.secret}
              shown={props.secret.replace(/(.{4})(?=.)/g, '$1 ')}
              label={translator.t('signIn.app.secret')}
            />
          </details>
        </li>
        <li>
          <h2>{translator.t('signIn.app.enter')}</h2>
          <form method="post" action={props.action} class="sign-in-fields">
            <CsrfField csrf={props.csrf} />
            <Field
              id="code"
              class="code-input"
              name="code"
              label={translator.t('signIn.code.label')}
              problem={props.problem === 'wrong' ? translator.t('signIn.app.wrong') : undefined}
              inputMode="numeric"
              autocomplete="one-time-code"
              pattern="\s*([0-9]\s*){6}"
              title={translator.t('code.problem.shape')}
              maxLength={12}
              dir="ltr"
              spellcheck={false}
              required
              autofocus={props.problem !== undefined}
            />
            <Button look="main">{translator.t('signIn.app.save')}</Button>
          </form>
        </li>
      </ol>
      {props.cancelHref !== undefined && (
        <p class="small">
          <a href={props.cancelHref}>{translator.t('signIn.cancel')}</a>
        </p>
      )}
    </SignInFrame>
  );
}
