import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Banner } from '../shared/components/banner.tsx';
import { Card } from '../shared/components/card.tsx';
import { Disclosure } from '../shared/components/disclosure.tsx';
import { fillText } from '../shared/components/fill-text.ts';
import { Icon } from '../shared/components/icon.tsx';

export interface HomePageProps {
  readonly operator: string;
  readonly publicUrl: string;
  /** The address that mails come from. */
  readonly mailFrom: string;
  /** The mail address of the operator's support. */
  readonly support?: string | undefined;
  /** The URL of the description of the API. */
  readonly apiDescription: string;
  /** The way in for people with an account; receivers need none. */
  readonly signInHref: string;
}

/** In the form of the references of pages and mails. */
const exampleReference = 'WB-7F3K-29QD';

export function homeTitle(translator: ViewTranslator): string {
  return translator.t('home.genuine');
}

/** Tells a person who is behind a link, and how to recognise one. */
export function HomePage(props: HomePageProps): JSX.Element {
  const { operator, publicUrl, mailFrom, support, apiDescription, signInHref } = props;
  const translator = useTranslator();
  const { protocol, host } = new URL(publicUrl);
  return (
    <Card
      icon="shield"
      title={homeTitle(translator)}
      about={
        <>
          <p class="lead">{translator.t('home.text', { operator })}</p>
          <p class="quiet">
            {translator.t('home.account')} <a href={signInHref}>{translator.t('signIn.title')}</a>
          </p>
        </>
      }
    >
      <ol class="points">
        <li>
          <h2>{translator.t('home.address')}</h2>
          <Address protocol={protocol} host={host} isOurs>
            {translator.t('home.ours')}
          </Address>
          {/* Under .example, which nobody can have: the real host is only the beginning of another one. */}
          <Address protocol={protocol} host={host.replace(/:\d+$/, '')} rest=".login.example">
            {translator.t('home.notOurs')}
          </Address>
          <p class="quiet small">{translator.t('home.paths')}</p>
        </li>
        <li>
          <h2>{fillText(translator, 'home.from', { address: <bdi>{mailFrom}</bdi> })}</h2>
          <p class="quiet small">
            {fillText(translator, 'home.reference', {
              reference: <span class="ticket-number">{exampleReference}</span>,
            })}
          </p>
        </li>
        <li>
          <h2>{translator.t('home.never')}</h2>
          <p class="quiet small">{translator.t('home.neverText')}</p>
        </li>
      </ol>
      <Banner tone="calm">
        <strong>{translator.t('home.doubt')}</strong>{' '}
        {support === undefined
          ? translator.t('home.doubtText')
          : fillText(translator, 'home.doubtSupport', { address: <a href={`mailto:${support}`}>{support}</a> })}
      </Banner>
      <div>
        <Disclosure title={translator.t('home.lost')}>{translator.t('home.lostText')}</Disclosure>
        <Disclosure title={translator.t('home.machines')}>
          {translator.t('home.machinesText')} <a href={apiDescription}>{apiDescription}</a>
        </Disclosure>
      </div>
    </Card>
  );
}

/** An address as a browser shows it, with the part that counts in bold. */
function Address(props: {
  protocol: string;
  host: string;
  rest?: string;
  isOurs?: boolean;
  children: string;
}): JSX.Element {
  return (
    <p class={`address ${props.isOurs ? 'tone-good' : 'tone-bad'}`}>
      <Icon name={props.isOurs ? 'check' : 'close'} />
      <span class="address-text">
        <bdi dir="ltr">
          {props.protocol}//
          <wbr />
          <strong>
            {props.host}
            <wbr />
            {props.rest}
          </strong>
          /d/…
        </bdi>
        <span class="address-verdict">{props.children}</span>
      </span>
    </p>
  );
}
