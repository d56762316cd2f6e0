import type { JSX } from 'preact';
import { Card } from '../components/card.tsx';
import { useTranslator } from '../components/translator-context.ts';
import type { Translator } from '../translator.ts';

export interface ErrorPageProps {
  readonly requestId: string;
}

export function errorTitle(translator: Translator): string {
  return translator.t('error.title');
}

export function ErrorPage({ requestId }: ErrorPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card
      icon="alert"
      tone="bad"
      title={translator.t('error.title')}
      about={<p class="lead">{translator.t('error.text')}</p>}
    >
      <p class="quiet small">{translator.t('error.number')}</p>
      <p>
        <code dir="ltr">{requestId}</code>
      </p>
    </Card>
  );
}
