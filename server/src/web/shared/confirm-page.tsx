import type { JSX } from 'preact';
import type { Translator } from '../../present/texts/translator.ts';
import { useTranslator } from '../../present/texts/translator-context.ts';
import { Banner } from './components/banner.tsx';
import { Button } from './components/button.tsx';
import { Card } from './components/card.tsx';
import { CsrfField } from './components/csrf-field.tsx';
import { Field } from './components/field.tsx';
import type { IconName } from './components/icon.tsx';

export interface ConfirmPageProps {
  readonly icon: IconName;
  readonly action: string;
  readonly wrong?: boolean | undefined;
  /** Of a form of the app. */
  readonly csrf?: string | undefined;
}

export function confirmTitle(translator: Translator): string {
  return translator.t('confirm.title');
}

/** Whether this is the word that the page asks for, ignoring case and accents, which not every keyboard has. */
export function isConfirmation(translator: Translator, typed: string): boolean {
  return typed.trim().localeCompare(translator.t('confirm.word'), 'en', { sensitivity: 'base' }) === 0;
}

/** For a browser that cannot show that a person pressed the button. The input is sent in the field `word`. */
export function ConfirmPage({ icon, action, wrong, csrf }: ConfirmPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card
      icon={icon}
      title={translator.t('confirm.title')}
      about={
        <>
          <p class="lead">{translator.t('confirm.text')}</p>
          <p class="big-word">
            <bdi>{translator.t('confirm.word')}</bdi>
          </p>
        </>
      }
    >
      <form method="post" action={action} class="stack">
        {csrf !== undefined && <CsrfField csrf={csrf} />}
        {wrong && (
          <Banner tone="bad" id="problem">
            {translator.t('confirm.wrong')}
          </Banner>
        )}
        <Field
          label={translator.t('confirm.label')}
          id="word"
          name="word"
          required
          maxLength={64}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={wrong ? 'true' : undefined}
          aria-describedby={wrong ? 'problem' : undefined}
        />
        <Button look="main">{translator.t('common.continue')}</Button>
      </form>
    </Card>
  );
}
