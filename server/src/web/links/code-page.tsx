import type { JSX } from 'preact';
import { isolate } from '../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Banner } from '../shared/components/banner.tsx';
import { Button } from '../shared/components/button.tsx';
import { Card } from '../shared/components/card.tsx';
import { Field } from '../shared/components/field.tsx';
import { fillText } from '../shared/components/fill-text.ts';
import { Moment } from '../shared/components/moment.tsx';
import type { LinkKind } from '../shared/gone-page.tsx';

export interface CodePageProps {
  readonly kind: LinkKind;
  /** The name of the sender, which anyone with the link has seen. */
  readonly sender: string;
  readonly channel: 'sms' | 'mail';
  /** The number or address, masked. */
  readonly target: string;
  /** The URL that accepts the field `code`. */
  readonly action: string;
  readonly resendAction: string;
  /** The expiry of the code that was sent last. */
  readonly sentAt?: Date | undefined;
  readonly validUntil?: Date | undefined;
  /** Whether the reader has just asked for another code. */
  readonly isNew?: boolean | undefined;
  readonly problem?: 'shape' | 'wrong' | 'expired' | 'too_many_tries' | 'too_many_codes' | undefined;
  readonly triesLeft?: number | undefined;
}

const texts = {
  sms: { sent: 'code.sms', delay: 'code.delay.sms' },
  mail: { sent: 'code.mail', delay: 'code.delay.mail' },
} as const;
const opens = { download: 'code.download', upload: 'code.upload' } as const;
const problems = {
  shape: 'code.problem.shape',
  wrong: 'code.problem.wrong',
  expired: 'code.problem.expired',
  too_many_tries: 'code.problem.too_many_tries',
  too_many_codes: 'code.problem.too_many_codes',
} as const;

export function codeTitle(translator: ViewTranslator): string {
  return translator.t('code.title');
}

export function CodePage(props: CodePageProps): JSX.Element {
  const translator = useTranslator();
  const { channel, problem } = props;
  // A used-up code has no input field, and if no more codes may be requested there is no button for it.
  const spent = problem === 'expired' || problem === 'too_many_tries';
  const mayResend = problem !== 'too_many_codes';
  return (
    <Card
      icon="lock"
      title={translator.t('code.title')}
      about={
        <p class="lead">
          {translator.t(opens[props.kind], { sender: isolate(props.sender) })}{' '}
          {translator.t(texts[channel].sent, { target: isolate(props.target) })}
        </p>
      }
    >
      {problem && (
        <Banner tone="bad" id="problem">
          {problemText(translator, props)}
        </Banner>
      )}
      {props.isNew && !problem && props.sentAt && (
        <Banner tone="good" id="new-code" announced>
          {fillText(translator, 'code.newSent', { sentAt: <Moment at={props.sentAt} show="time" /> })}
        </Banner>
      )}
      {!spent && (
        <form method="post" action={props.action} class="stack">
          <Field
            label={translator.t('code.label')}
            hint={
              <>
                {props.sentAt &&
                  props.validUntil &&
                  fillText(translator, 'code.times', {
                    sentAt: <Moment at={props.sentAt} show="time" />,
                    validUntil: <Moment at={props.validUntil} show="time" />,
                  })}{' '}
                {mayResend && translator.t(texts[channel].delay)}
              </>
            }
            id="code"
            class="code-input"
            name="code"
            inputMode="numeric"
            autocomplete="one-time-code"
            pattern="\s*([0-9]\s*){6}"
            title={translator.t('code.problem.shape')}
            maxLength={12}
            required
            // The only action on this page.
            autofocus
            dir="ltr"
            spellcheck={false}
            aria-invalid={problem === 'wrong' || problem === 'shape' ? 'true' : undefined}
            aria-describedby={problem ? 'problem' : props.isNew ? 'new-code' : undefined}
          />
          <Button look="main">{translator.t('common.continue')}</Button>
        </form>
      )}
      {mayResend && (
        <form method="post" action={props.resendAction} class="resend">
          <Button look={spent ? 'main' : 'plain'}>{translator.t('code.resend')}</Button>
        </form>
      )}
    </Card>
  );
}

export function problemText(
  translator: ViewTranslator,
  { problem, triesLeft }: Pick<CodePageProps, 'problem' | 'triesLeft'>,
): string {
  if (!problem) return '';
  const text = translator.t(problems[problem]);
  return problem === 'wrong' && triesLeft !== undefined
    ? `${text} ${translator.t('code.problem.triesLeft', { count: triesLeft })}`
    : text;
}
