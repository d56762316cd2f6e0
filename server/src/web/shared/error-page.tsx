import type { JSX } from 'preact';
import type { Translator } from '../../present/texts/translator.ts';
import { useTranslator } from '../../present/texts/translator-context.ts';
import { Card } from './components/card.tsx';
import { fillText } from './components/fill-text.ts';

export interface ErrorPageProps {
  readonly requestId: string;
  /** The mail address of the operator's support. */
  readonly support?: string | undefined;
}

export function errorTitle(translator: Translator): string {
  return translator.t('error.title');
}

export function ErrorPage({ requestId, support }: ErrorPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card
      icon="alert"
      tone="bad"
      title={translator.t('error.title')}
      about={<p class="lead">{translator.t('error.text')}</p>}
    >
      <p class="quiet small">
        {support === undefined
          ? translator.t('error.number')
          : fillText(translator, 'error.support', { address: <a href={`mailto:${support}`}>{support}</a> })}
      </p>
      <p>
        <code dir="ltr">{requestId}</code>
      </p>
    </Card>
  );
}
