import type { JSX } from 'preact';
import { Card } from '../components/card.tsx';
import { useWords } from '../components/words-context.ts';
import type { Words } from '../words.ts';

export interface ErrorPageProps {
  readonly requestId: string;
}

export function errorTitle(words: Words): string {
  return words.t('error.title');
}

export function ErrorPage({ requestId }: ErrorPageProps): JSX.Element {
  const words = useWords();
  return (
    <Card icon="alert" tone="bad" title={words.t('error.title')} about={<p class="lead">{words.t('error.text')}</p>}>
      <p class="quiet small">{words.t('error.number')}</p>
      <p>
        <code dir="ltr">{requestId}</code>
      </p>
    </Card>
  );
}
