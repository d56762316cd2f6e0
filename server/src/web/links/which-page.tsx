import type { JSX } from 'preact';
import { isolate, oneLine } from '../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Banner } from '../shared/components/banner.tsx';
import { Breakable } from '../shared/components/breakable.tsx';
import { Button } from '../shared/components/button.tsx';
import { Card, Fields } from '../shared/components/card.tsx';
import { Disclosure } from '../shared/components/disclosure.tsx';
import { Field } from '../shared/components/field.tsx';
import { fillText } from '../shared/components/fill-text.ts';
import { Moment } from '../shared/components/moment.tsx';
import { fromField, type Sender } from '../shared/components/sender.tsx';
import { type CodePageProps, problemText } from './code-page.tsx';

export interface WhichPageProps {
  readonly sender: Sender;
  readonly until: Date;
  /** The URL that accepts the field `email`. */
  readonly action: string;
  readonly gesture: string;
  /** The text that was typed instead of an address. */
  readonly wrong?: { readonly typed: string } | undefined;
}

export function whichTitle(translator: ViewTranslator, sender: Sender): string {
  return translator.t('which.title', { sender: isolate(sender.name) });
}

/** Asks which of the receivers somebody is, and names none of them, nor a file. */
export function WhichPage({ sender, until, action, gesture, wrong }: WhichPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card
      icon="lock"
      title={whichTitle(translator, sender)}
      about={
        <>
          <p class="lead">{translator.t('which.text')}</p>
          <Fields
            fields={[
              ...fromField(translator, sender),
              [translator.t('common.until'), <Moment at={until} show="deadline" />],
            ]}
          />
        </>
      }
    >
      <form method="post" action={action} data-gesture={gesture} class="stack">
        <input type="hidden" name={gesture} value="" />
        <Field
          label={translator.t('which.email')}
          hint={translator.t('which.emailNote', { sender: isolate(sender.name) })}
          problem={wrong && translator.t('which.problem')}
          id="email"
          name="email"
          type="email"
          autocomplete="email"
          maxLength={254}
          value={wrong?.typed}
          required
          dir="auto"
          spellcheck={false}
        />
        <Button look="main">{translator.t('which.send')}</Button>
      </form>
      <div>
        <Disclosure title={translator.t('which.why')}>{translator.t('which.whyText')}</Disclosure>
        <Disclosure title={translator.t('which.sees')}>{translator.t('which.seesText')}</Disclosure>
      </div>
    </Card>
  );
}

export interface WhichCodePageProps extends Pick<CodePageProps, 'problem' | 'triesLeft'> {
  readonly sender: Sender;
  /** The URL that accepts the field `code`. */
  readonly action: string;
  /** The page on which another address can be entered. */
  readonly otherHref: string;
}

export function whichCodeTitle(translator: ViewTranslator): string {
  return translator.t('which.codeTitle');
}

/** The same whether the address is that of a receiver or not. */
export function WhichCodePage({ sender, action, otherHref, ...told }: WhichCodePageProps): JSX.Element {
  const translator = useTranslator();
  const { problem } = told;
  const isSpent = problem === 'expired' || problem === 'too_many_tries';
  return (
    <Card icon="lock" title={whichCodeTitle(translator)} about={<p class="lead">{translator.t('which.codeText')}</p>}>
      {problem && (
        <Banner tone="bad" id="problem">
          {problemText(translator, told)}
        </Banner>
      )}
      {!isSpent && (
        <form method="post" action={action} class="stack">
          <Field
            label={translator.t('code.label')}
            id="code"
            class="code-input"
            name="code"
            inputMode="numeric"
            autocomplete="one-time-code"
            pattern="\s*([0-9]\s*){6}"
            title={translator.t('code.problem.shape')}
            maxLength={12}
            required
            autofocus
            dir="ltr"
            spellcheck={false}
            aria-invalid={problem === 'wrong' || problem === 'shape' ? 'true' : undefined}
            aria-describedby={problem ? 'problem' : undefined}
          />
          <Button look="main">{translator.t('which.open')}</Button>
        </form>
      )}
      <p class="small quiet">
        {fillText(translator, 'which.none', {
          other: <a href={otherHref}>{translator.t('which.other')}</a>,
          address: (
            <a href={`mailto:${encodeURIComponent(sender.address).replace('%40', '@')}`}>
              <Breakable>{oneLine(sender.address)}</Breakable>
            </a>
          ),
        })}
      </p>
    </Card>
  );
}
