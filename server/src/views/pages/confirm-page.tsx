import type { JSX } from 'preact';
import { Card, Problem } from '../components/card.tsx';
import { useWords } from '../components/words-context.ts';
import type { Words } from '../words.ts';
import type { LinkKind } from './link-landing-page.tsx';

export interface ConfirmPageProps {
  readonly kind: LinkKind;
  /** What is to be typed; it comes back in the field `word`. */
  readonly word: string;
  readonly action: string;
  readonly wrong?: boolean | undefined;
}

export function confirmTitle(words: Words): string {
  return words.t('confirm.title');
}

/** For a browser that cannot show that a person pressed the button. */
export function ConfirmPage({ kind, word, action, wrong }: ConfirmPageProps): JSX.Element {
  const words = useWords();
  return (
    <Card
      icon={kind}
      title={words.t('confirm.title')}
      about={
        <>
          <p class="lead">{words.t('confirm.text')}</p>
          <p class="big-word">
            <bdi>{word}</bdi>
          </p>
        </>
      }
    >
      <form method="post" action={action} class="stack">
        {wrong && <Problem id="problem">{words.t('confirm.wrong')}</Problem>}
        <div class="field">
          <label for="word">{words.t('confirm.label')}</label>
          <input
            id="word"
            name="word"
            type="text"
            required
            maxLength={64}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            aria-invalid={wrong ? 'true' : undefined}
            aria-describedby={wrong ? 'problem' : undefined}
          />
        </div>
        <button class="button button-main" type="submit">
          {words.t('common.continue')}
        </button>
      </form>
    </Card>
  );
}
