import type { JSX } from 'preact';
import type { PasswordFault } from '../../../domain/sign-in/password-rules.ts';
import { isolate } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Field } from '../../shared/components/field.tsx';
import { PasskeyButton, type PasskeyRoutes } from '../components/passkey-button.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

const passwordProblems = {
  too_short: 'signIn.password.too_short',
  too_long: 'signIn.password.too_long',
  unreadable: 'signIn.password.unreadable',
  common: 'signIn.password.common',
  personal: 'signIn.password.personal',
} as const;

export interface EnrolmentPageProps {
  readonly host: string;
  readonly csrf: string;
  /** Whether the person is new, or has lost every way to sign in. */
  readonly reason: 'invitation' | 'recovery';
  readonly email: string;
  /** Asked for in an invitation only: later it is in the settings. */
  readonly name?: string | undefined;
  readonly passkey?: PasskeyRoutes | undefined;
  /** Accepts `name`, `time_zone`, `email` (for the browser's password manager), `password` and `csrftoken`. */
  readonly passwordAction?: string | undefined;
  readonly minPasswordLength: number;
  /** Each accepts the form's token, and leads to the provider. */
  readonly providers: readonly { readonly name: string; readonly action: string }[];
  readonly problem?: 'name_missing' | 'failed' | PasswordFault | undefined;
}

export function enrolmentTitle(translator: ViewTranslator, { reason }: Pick<EnrolmentPageProps, 'reason'>): string {
  return translator.t(reason === 'invitation' ? 'signIn.enrolment.title' : 'signIn.enrolment.titleAgain');
}

/** Explains what is wrong with a new password; undefined if the problem is another one. */
export function passwordProblem(
  translator: ViewTranslator,
  problem: string | undefined,
  minLength: number,
): string | undefined {
  return problem !== undefined && problem in passwordProblems
    ? translator.t(passwordProblems[problem as PasswordFault], { count: minLength })
    : undefined;
}

/** Where a person chooses how to sign in from now on. */
export function EnrolmentPage(props: EnrolmentPageProps): JSX.Element {
  const translator = useTranslator();
  const { passkey, passwordAction, providers, problem, minPasswordLength } = props;
  const wrongPassword = passwordProblem(translator, problem, minPasswordLength);
  return (
    <SignInFrame
      title={enrolmentTitle(translator, props)}
      about={translator.t('signIn.enrolment.about', { email: isolate(props.email) })}
      host={props.host}
    >
      {problem === 'failed' && <Banner tone="bad">{translator.t('signIn.passkey.failed')}</Banner>}
      <form method="post" action={passwordAction ?? ''} class="sign-in-fields">
        <CsrfField csrf={props.csrf} />
        {/* The script fills in the zone of the browser. */}
        <input type="hidden" name="time_zone" value="" data-time-zone />
        {props.reason === 'invitation' && (
          <Field
            id="name"
            name="name"
            label={translator.t('signIn.enrolment.name')}
            hint={translator.t('signIn.enrolment.nameHint')}
            problem={problem === 'name_missing' ? translator.t('signIn.enrolment.nameMissing') : undefined}
            autocomplete="name"
            maxLength={100}
            value={props.name}
            required
          />
        )}
        {passkey && (
          <div class="sign-in-choice sign-in-passkey">
            <h2>{translator.t('signIn.enrolment.passkey')}</h2>
            <p class="small quiet">{translator.t('signIn.enrolment.passkeyText')}</p>
            <PasskeyButton does="register" csrf={props.csrf} {...passkey} />
          </div>
        )}
        {passwordAction !== undefined && (
          <>
            {passkey && <p class="or">{translator.t('signIn.or')}</p>}
            <div class="sign-in-choice">
              <input
                type="email"
                name="email"
                value={props.email}
                autocomplete="username"
                aria-label={translator.t('signIn.email')}
                hidden
                readOnly
              />
              <PasswordField
                id="password"
                name="password"
                label={translator.t('signIn.password.choose')}
                hint={translator.t('signIn.password.hint', { count: minPasswordLength })}
                problem={wrongPassword}
                autocomplete="new-password"
                minLength={minPasswordLength}
              />
              <Button look={passkey ? 'quiet' : 'main'}>{translator.t('signIn.password.save')}</Button>
            </div>
          </>
        )}
      </form>
      {providers.length > 0 && (
        <ul class="sign-in-providers">
          {providers.map((provider) => (
            <li key={provider.action}>
              <form method="post" action={provider.action} class="sign-in-fields">
                <CsrfField csrf={props.csrf} />
                <Button icon="globe">{translator.t('signIn.provider', { provider: isolate(provider.name) })}</Button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </SignInFrame>
  );
}
