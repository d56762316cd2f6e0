import type { JSX } from 'preact';
import { Card } from '../components/card.tsx';
import { useTranslator, type ViewTranslator } from '../components/translator-context.ts';

export interface HomePageProps {
  readonly operator: string;
  readonly publicUrl: string;
  /** The address that mails come from. */
  readonly mailFrom: string;
  /** The URL of the description of the API. */
  readonly apiDescription: string;
}

export function homeTitle(translator: ViewTranslator): string {
  return translator.t('common.about');
}

/** Tells a person who is behind a link. */
export function HomePage({ operator, publicUrl, mailFrom, apiDescription }: HomePageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card icon="shield" title={operator} about={<p class="lead">{translator.t('home.text', { operator })}</p>}>
      <section>
        <h2>{translator.t('home.genuine')}</h2>
        <ul class="points">
          <li>{translator.t('home.address', { url: publicUrl })}</li>
          <li>{translator.t('home.from', { address: mailFrom })}</li>
          <li>{translator.t('home.never')}</li>
          <li>{translator.t('home.doubt')}</li>
        </ul>
      </section>
      <section>
        <h2>{translator.t('home.lost')}</h2>
        <p>{translator.t('home.lostText')}</p>
      </section>
      <section>
        <h2>{translator.t('home.machines')}</h2>
        <p>
          {translator.t('home.machinesText')} <a href={apiDescription}>{apiDescription}</a>
        </p>
      </section>
    </Card>
  );
}
