import type { ComponentChildren, JSX } from 'preact';
import { isolate } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Field } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Moment } from '../../shared/components/moment.tsx';
import type { Tone } from '../../shared/components/tone.ts';
import { PasskeyButton, type PasskeyRoutes } from '../components/passkey-button.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

/** Why the page is shown, if not because somebody came to sign in. */
export type SignInNotice =
  /** The address or the password: it does not say which. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too_many'; readonly retryAt: Date }
  | { readonly kind: 'session_ended' }
  /** Only members see the page that was asked for. */
  | { readonly kind: 'needed' }
  | { readonly kind: 'signed_out' }
  | { readonly kind: 'provider_failed'; readonly provider: string }
  /** The provider has the person, but nobody here has an account for them. */
  | { readonly kind: 'not_known'; readonly provider: string }
  /** An important change needs a fresh sign-in. */
  | { readonly kind: 'confirm' }
  /** The provider is linked after the person has signed in with a method that they had before. */
  | { readonly kind: 'link'; readonly provider: string }
  /** The identity that was to be linked is not known any more. */
  | { readonly kind: 'too_old'; readonly provider: string };

export interface SignInPageProps {
  readonly host: string;
  /** The address that mails come from. */
  readonly mailFrom: string;
  readonly csrf: string;
  /** Where to go after sign-in: a path of this server. */
  readonly next?: string | undefined;
  /** Accepts `email`, `password`, `next` and `csrftoken`. Without it, nobody signs in with a password. */
  readonly passwordAction?: string | undefined;
  readonly passkey?: PasskeyRoutes | undefined;
  /** Links: a form that leads to another origin is blocked by the content policy. */
  readonly providers: readonly { readonly name: string; readonly href: string }[];
  readonly recoveryHref?: string | undefined;
  readonly email?: string | undefined;
  readonly notice?: SignInNotice | undefined;
}

const notices: Record<SignInNotice['kind'], { text: string; tone: Tone }> = {
  wrong: { text: 'signIn.notice.wrong', tone: 'bad' },
  too_many: { text: 'signIn.notice.tooMany', tone: 'bad' },
  session_ended: { text: 'signIn.notice.session_ended', tone: 'warn' },
  needed: { text: 'signIn.notice.needed', tone: 'calm' },
  signed_out: { text: 'signIn.notice.signed_out', tone: 'good' },
  provider_failed: { text: 'signIn.notice.provider_failed', tone: 'bad' },
  not_known: { text: 'signIn.notice.not_known', tone: 'bad' },
  confirm: { text: 'signIn.notice.confirm', tone: 'calm' },
  link: { text: 'signIn.notice.link', tone: 'calm' },
  too_old: { text: 'signIn.notice.too_old', tone: 'warn' },
};

export function signInTitle(translator: ViewTranslator): string {
  return translator.t('signIn.title');
}

export function SignInPage(props: SignInPageProps): JSX.Element {
  const translator = useTranslator();
  const { passkey, passwordAction, providers, notice } = props;
  const hasOthers = passwordAction !== undefined || providers.length > 0;
  // Where a password was just refused, the way on is to type it again.
  const wantsPassword = notice?.kind === 'wrong' || passkey === undefined;
  return (
    <SignInFrame
      title={signInTitle(translator)}
      about={translator.t('signIn.about')}
      host={props.host}
      forReceivers={{ mailFrom: props.mailFrom }}
    >
      {notice && (
        <Banner tone={notices[notice.kind].tone} id="notice">
          {noticeText(translator, notice)}
        </Banner>
      )}
      {passkey && (
        <>
          <PasskeyButton
            does="sign-in"
            look={wantsPassword ? 'quiet' : 'main'}
            csrf={props.csrf}
            next={props.next}
            autofill={passwordAction !== undefined}
            {...passkey}
          />
          {hasOthers && <p class="or">{translator.t('signIn.or')}</p>}
        </>
      )}
      {passwordAction !== undefined && (
        <form method="post" action={passwordAction} class="sign-in-fields">
          <CsrfField csrf={props.csrf} />
          {props.next !== undefined && <input type="hidden" name="next" value={props.next} />}
          <Field
            id="email"
            name="email"
            type="email"
            label={translator.t('signIn.email')}
            autocomplete="username webauthn"
            value={props.email}
            dir="ltr"
            required
            aria-describedby={notice?.kind === 'wrong' ? 'notice' : undefined}
          />
          <PasswordField
            id="password"
            name="password"
            label={translator.t('signIn.password')}
            autocomplete="current-password"
            aria-invalid={notice?.kind === 'wrong' ? 'true' : undefined}
            aria-describedby={notice?.kind === 'wrong' ? 'notice' : undefined}
          />
          <Button look={wantsPassword ? 'main' : 'quiet'}>{translator.t('common.continue')}</Button>
        </form>
      )}
      {providers.length > 0 && (
        <ul class="sign-in-providers">
          {providers.map(({ name, href }) => (
            <li key={href}>
              <ButtonLink href={href} icon="globe" look={passkey || passwordAction !== undefined ? 'quiet' : 'main'}>
                {translator.t('signIn.provider', { provider: isolate(name) })}
              </ButtonLink>
            </li>
          ))}
        </ul>
      )}
      <div class="small quiet sign-in-last">
        {props.recoveryHref !== undefined && (
          <p>
            {translator.t('signIn.lost')} <a href={props.recoveryHref}>{translator.t('signIn.lostLink')}</a>
          </p>
        )}
        <p>{translator.t('signIn.noAccount')}</p>
      </div>
    </SignInFrame>
  );
}

function noticeText(translator: ViewTranslator, notice: SignInNotice): ComponentChildren {
  const { text } = notices[notice.kind];
  if (notice.kind === 'too_many') {
    return fillText(translator, text, { time: <Moment at={notice.retryAt} show="time" /> });
  }
  return 'provider' in notice ? translator.t(text, { provider: isolate(notice.provider) }) : translator.t(text);
}
