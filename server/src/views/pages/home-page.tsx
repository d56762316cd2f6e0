import type { JSX } from 'preact';
import { Card } from '../components/card.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';

export interface HomePageProps {
  readonly operator: string;
  readonly publicUrl: string;
  /** The address that mails come from. */
  readonly mailFrom: string;
  /** The URL of the description of the API. */
  readonly apiDescription: string;
}

export function homeTitle(words: ViewWords): string {
  return words.t('common.about');
}

/** For a person who wants to find out who is behind a link. */
export function HomePage({ operator, publicUrl, mailFrom, apiDescription }: HomePageProps): JSX.Element {
  const words = useWords();
  return (
    <Card icon="shield" title={operator} about={<p class="lead">{words.t('home.text', { operator })}</p>}>
      <section>
        <h2>{words.t('home.genuine')}</h2>
        <ul class="points">
          <li>{words.t('home.address', { url: publicUrl })}</li>
          <li>{words.t('home.from', { address: mailFrom })}</li>
          <li>{words.t('home.never')}</li>
          <li>{words.t('home.doubt')}</li>
        </ul>
      </section>
      <section>
        <h2>{words.t('home.lost')}</h2>
        <p>{words.t('home.lostText')}</p>
      </section>
      <section>
        <h2>{words.t('home.machines')}</h2>
        <p>
          {words.t('home.machinesText')} <a href={apiDescription}>{apiDescription}</a>
        </p>
      </section>
    </Card>
  );
}
