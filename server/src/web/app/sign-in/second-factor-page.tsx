import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Field } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Moment } from '../../shared/components/moment.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

export interface SecondFactorPageProps {
  readonly host: string;
  readonly csrf: string;
  readonly next?: string | undefined;
  /** Accepts `code`, or `recovery_code`. */
  readonly action: string;
  /** Goes back to sign-in, as somebody else. */
  readonly cancelHref: string;
  readonly problem?:
    | { readonly kind: 'wrong' | 'recovery_wrong' | 'used' }
    | { readonly kind: 'too_many'; readonly retryAt: Date }
    | undefined;
}

export function secondFactorTitle(translator: ViewTranslator): string {
  return translator.t('signIn.code.title');
}

export function SecondFactorPage(props: SecondFactorPageProps): JSX.Element {
  const translator = useTranslator();
  const { problem, next } = props;
  const isRecovering = problem?.kind === 'recovery_wrong';
  const hidden = (
    <>
      <CsrfField csrf={props.csrf} />
      {next !== undefined && <input type="hidden" name="next" value={next} />}
    </>
  );
  return (
    <SignInFrame title={secondFactorTitle(translator)} about={translator.t('signIn.code.about')} host={props.host}>
      {problem?.kind === 'too_many' && (
        <Banner tone="bad">
          {fillText(translator, 'signIn.notice.tooMany', { time: <Moment at={problem.retryAt} show="time" /> })}
        </Banner>
      )}
      <form method="post" action={props.action} class="sign-in-fields">
        {hidden}
        <Field
          id="code"
          class="code-input"
          name="code"
          label={translator.t('signIn.code.label')}
          problem={
            problem?.kind === 'wrong'
              ? translator.t('signIn.code.wrong')
              : problem?.kind === 'used'
                ? translator.t('signIn.code.used')
                : undefined
          }
          inputMode="numeric"
          autocomplete="one-time-code"
          pattern="\s*([0-9]\s*){6}"
          title={translator.t('code.problem.shape')}
          maxLength={12}
          dir="ltr"
          spellcheck={false}
          required
          // The only action on this page.
          autofocus={!isRecovering}
        />
        <Button look="main">{translator.t('common.continue')}</Button>
      </form>
      <details class="more" open={isRecovering}>
        <summary>{translator.t('signIn.code.lost')}</summary>
        <form method="post" action={props.action} class="sign-in-fields">
          {hidden}
          <Field
            id="recovery-code"
            class="secret-input"
            name="recovery_code"
            label={translator.t('signIn.code.recovery')}
            hint={translator.t('signIn.code.recoveryHint')}
            problem={isRecovering ? translator.t('signIn.code.recoveryWrong') : undefined}
            autocomplete="off"
            autocapitalize="none"
            maxLength={40}
            dir="ltr"
            spellcheck={false}
            required
            autofocus={isRecovering}
          />
          <Button>{translator.t('signIn.code.useRecovery')}</Button>
        </form>
      </details>
      <p class="small">
        <a href={props.cancelHref}>{translator.t('signIn.code.cancel')}</a>
      </p>
    </SignInFrame>
  );
}
