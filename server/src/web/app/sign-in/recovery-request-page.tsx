import type { JSX } from 'preact';
import { isolate } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Field } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Moment } from '../../shared/components/moment.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

export interface RecoveryRequestPageProps {
  readonly host: string;
  /** The address that mails come from. */
  readonly mailFrom: string;
  readonly csrf: string;
  /** Accepts `email`. */
  readonly action: string;
  readonly signInHref: string;
  readonly email?: string | undefined;
  /** Whether a mail was sent, if the address belongs to somebody: the page is the same if it does not. */
  readonly requested: boolean;
  readonly problem?: { readonly kind: 'invalid' } | { readonly kind: 'too_many'; readonly retryAt: Date } | undefined;
}

export function recoveryRequestTitle(
  translator: ViewTranslator,
  { requested }: Pick<RecoveryRequestPageProps, 'requested'>,
): string {
  return translator.t(requested ? 'signIn.recovery.sentTitle' : 'signIn.recovery.title');
}

export function RecoveryRequestPage(props: RecoveryRequestPageProps): JSX.Element {
  const translator = useTranslator();
  const { requested, problem, email = '' } = props;
  return (
    <SignInFrame
      title={recoveryRequestTitle(translator, props)}
      about={
        requested
          ? translator.t('signIn.recovery.sentAbout', { email: isolate(email) })
          : translator.t('signIn.recovery.about')
      }
      host={props.host}
      forReceivers={requested ? undefined : { mailFrom: props.mailFrom }}
    >
      {problem?.kind === 'too_many' && (
        <Banner tone="bad">
          {fillText(translator, 'signIn.notice.tooMany', { time: <Moment at={problem.retryAt} show="time" /> })}
        </Banner>
      )}
      {requested ? (
        <p class="quiet">{translator.t('signIn.recovery.sentHint')}</p>
      ) : (
        <form method="post" action={props.action} class="sign-in-fields">
          <CsrfField csrf={props.csrf} />
          <Field
            id="email"
            name="email"
            type="email"
            label={translator.t('signIn.email')}
            problem={problem?.kind === 'invalid' ? translator.t('signIn.recovery.invalid') : undefined}
            autocomplete="username"
            value={email}
            dir="ltr"
            required
            // The only action on this page.
            autofocus
          />
          <Button look="main">{translator.t('signIn.recovery.button')}</Button>
        </form>
      )}
      <p class="small">
        <a href={props.signInHref}>{translator.t('signIn.back')}</a>
      </p>
    </SignInFrame>
  );
}
