import type { JSX } from 'preact';
import type { Operator } from '../../../present/operator.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import type { LanguageLink } from './page-context.ts';

/** The page in other languages. */
export function LanguageLinks({ links }: { links: readonly LanguageLink[] }): JSX.Element | null {
  const translator = useTranslator();
  if (links.length < 2) return null;
  return (
    <nav aria-label={translator.t('common.language')}>
      <ul>
        {links.map(({ language, name, href }) => (
          <li key={language}>
            <a
              href={href}
              lang={language}
              hreflang={language}
              aria-current={language === translator.language ? 'true' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The address of the page that says how to recognise a genuine link. */
export const genuinePath = '/genuine';

/** Says who runs this server, and whom to ask. */
export function Contact({
  operator,
  forPrograms,
}: {
  operator: Operator;
  /** Leads to the description of the API instead of the page about genuine links, where that has its place already. */
  forPrograms?: boolean | undefined;
}): JSX.Element {
  const translator = useTranslator();
  const { supportAddress, imprintUrl, privacyUrl } = operator;
  return (
    <ul class="contact">
      <li>
        {forPrograms ? (
          <a href="/docs">{translator.t('home.machines')}</a>
        ) : (
          <a href={genuinePath}>{translator.t('home.genuine')}</a>
        )}
      </li>
      {supportAddress !== undefined && (
        <li>
          {translator.t('common.support')} <a href={`mailto:${supportAddress}`}>{supportAddress}</a>
        </li>
      )}
      {imprintUrl !== undefined && (
        <li>
          <a href={imprintUrl}>{translator.t('common.imprint')}</a>
        </li>
      )}
      {privacyUrl !== undefined && (
        <li>
          <a href={privacyUrl}>{translator.t('common.privacy')}</a>
        </li>
      )}
    </ul>
  );
}
