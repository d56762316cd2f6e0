import type { JSX } from 'preact';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Field } from '../components/field.tsx';
import type { IconName } from '../components/icon.tsx';
import { useWords } from '../components/words-context.ts';
import type { Words } from '../words.ts';

export interface ConfirmPageProps {
  readonly icon: IconName;
  readonly action: string;
  readonly wrong?: boolean | undefined;
}

export function confirmTitle(words: Words): string {
  return words.t('confirm.title');
}

/** Whether this is the word that the page asks for, ignoring case and accents, which not every keyboard has. */
export function isConfirmation(words: Words, typed: string): boolean {
  return typed.trim().localeCompare(words.t('confirm.word'), 'en', { sensitivity: 'base' }) === 0;
}

/** For a browser that cannot show that a person pressed the button. The input is sent in the field `word`. */
export function ConfirmPage({ icon, action, wrong }: ConfirmPageProps): JSX.Element {
  const words = useWords();
  return (
    <Card
      icon={icon}
      title={words.t('confirm.title')}
      about={
        <>
          <p class="lead">{words.t('confirm.text')}</p>
          <p class="big-word">
            <bdi>{words.t('confirm.word')}</bdi>
          </p>
        </>
      }
    >
      <form method="post" action={action} class="stack">
        {wrong && (
          <Banner tone="bad" id="problem">
            {words.t('confirm.wrong')}
          </Banner>
        )}
        <Field
          label={words.t('confirm.label')}
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
        <Button look="main">{words.t('common.continue')}</Button>
      </form>
    </Card>
  );
}
