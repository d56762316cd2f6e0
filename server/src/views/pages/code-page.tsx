import type { JSX } from 'preact';
import { Card, Problem } from '../components/card.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface CodePageProps {
  readonly channel: 'sms' | 'mail';
  /** The number or address, masked. */
  readonly target: string;
  /** Takes the field `code`. */
  readonly action: string;
  readonly resendAction: string;
  readonly problem?: 'wrong' | 'expired' | 'too_many_tries' | 'too_many_codes' | undefined;
  readonly triesLeft?: number | undefined;
}

const texts = {
  sms: { sent: 'code.sms', delay: 'code.delay.sms' },
  mail: { sent: 'code.mail', delay: 'code.delay.mail' },
} as const;
const problems = {
  wrong: 'code.problem.wrong',
  expired: 'code.problem.expired',
  too_many_tries: 'code.problem.too_many_tries',
  too_many_codes: 'code.problem.too_many_codes',
} as const;

export function codeTitle(words: Words): string {
  return words.t('code.title');
}

export function CodePage(props: CodePageProps): JSX.Element {
  const words = useWords();
  const { channel, problem } = props;
  // A code that is spent has no field to type it into, and who may ask for no more codes has no button for it.
  const spent = problem === 'expired' || problem === 'too_many_tries';
  const mayResend = problem !== 'too_many_codes';
  return (
    <Card
      icon="lock"
      title={words.t('code.title')}
      about={<p class="lead">{words.t(texts[channel].sent, { target: isolate(props.target) })}</p>}
    >
      {problem && <Problem id="problem">{problemText(words, props)}</Problem>}
      {!spent && (
        <form method="post" action={props.action} class="stack">
          <div class="field">
            <label for="code">{words.t('code.label')}</label>
            <input
              id="code"
              class="code-input"
              name="code"
              type="text"
              inputMode="numeric"
              autocomplete="one-time-code"
              pattern="[0-9 ]*"
              maxLength={12}
              required
              dir="ltr"
              spellcheck={false}
              aria-invalid={problem === 'wrong' ? 'true' : undefined}
              aria-describedby={problem ? 'problem' : undefined}
            />
          </div>
          <button class="button button-main" type="submit">
            {words.t('common.continue')}
          </button>
        </form>
      )}
      {mayResend && (
        <form method="post" action={props.resendAction} class="resend">
          {!spent && <p class="quiet small">{words.t(texts[channel].delay)}</p>}
          <button class={`button ${spent ? 'button-main' : 'button-plain'}`} type="submit">
            {words.t('code.resend')}
          </button>
        </form>
      )}
    </Card>
  );
}

function problemText(words: ViewWords, { problem, triesLeft }: CodePageProps): string {
  if (!problem) return '';
  const text = words.t(problems[problem]);
  return problem === 'wrong' && triesLeft !== undefined
    ? `${text} ${words.t('code.problem.triesLeft', { count: triesLeft })}`
    : text;
}
