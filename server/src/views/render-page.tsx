import type { JSX, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { TranslatorContext } from './components/translator-context.ts';
import type { Operator } from './operator.ts';
import type { Translator, Translators } from './translator.ts';

export interface LanguageLink {
  readonly language: string;
  /** The language's own name for itself. */
  readonly name: string;
  readonly href: string;
}

export interface Frame {
  readonly title: string;
  readonly page: VNode;
  /** The URLs of the page in other languages; if empty, there is no switcher. */
  readonly languageLinks: readonly LanguageLink[];
  /** The address of pages.css. */
  readonly stylesheet: string;
  /** The address of a stylesheet that only this page needs. */
  readonly ownStylesheet?: string | undefined;
  /** The address of the stylesheet with the operator's colour. */
  readonly brandStylesheet?: string | undefined;
  readonly script?: string | undefined;
  readonly icon?: string | undefined;
  /** The address of the operator's logo. */
  readonly logo?: string | undefined;
  readonly operator: Operator;
}

/** Renders a whole HTML document. It contains no style and no script, so that the strictest policy can forbid both. */
export function renderPage(translator: Translator, frame: Frame): string {
  return `<!doctype html>${renderToString(
    <TranslatorContext.Provider value={translator}>
      <Document translator={translator} frame={frame} />
    </TranslatorContext.Provider>,
  )}`;
}

/** Lists the URLs of the page in every available language, with `?lang=`. */
export function languageLinks(translator: Translators, path: string): readonly LanguageLink[] {
  return translator.languages.map(({ language, name }) => ({
    language,
    name,
    href: `${path}?lang=${encodeURIComponent(language)}`,
  }));
}

function Document({ translator, frame }: { translator: Translator; frame: Frame }): JSX.Element {
  const { operator } = frame;
  return (
    <html lang={translator.language} dir={translator.dir}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="no-referrer" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
        <title>{`${frame.title} · ${operator.name}`}</title>
        <link rel="stylesheet" href={frame.stylesheet} />
        {frame.ownStylesheet !== undefined && <link rel="stylesheet" href={frame.ownStylesheet} />}
        {frame.brandStylesheet !== undefined && <link rel="stylesheet" href={frame.brandStylesheet} />}
        {frame.icon !== undefined && <link rel="icon" href={frame.icon} />}
        {frame.script !== undefined && <script type="module" src={frame.script} />}
      </head>
      <body>
        <header class="top">
          {frame.logo === undefined ? <Mark /> : <img class="logo" src={frame.logo} alt="" height="28" />}
          <span>{operator.name}</span>
        </header>
        {frame.page}
        <footer class="foot">
          <Contact translator={translator} operator={operator} />
          {frame.languageLinks.length > 1 && (
            <nav aria-label={translator.t('common.language')}>
              <ul>
                {frame.languageLinks.map(({ language, name, href }) => (
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
          )}
        </footer>
      </body>
    </html>
  );
}

/** Says who runs this server, and whom to ask. */
function Contact({ translator, operator }: { translator: Translator; operator: Operator }): JSX.Element {
  const { supportAddress, imprintUrl, privacyUrl } = operator;
  return (
    <ul class="contact">
      <li>
        <a href="/">{translator.t('home.link')}</a>
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

/** A sheet with its corner folded, and a W formed by its lines. */
function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <path class="mark-sheet" d="M7 3h13l6 6v18a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Z" />
      <path class="mark-line" d="m9.5 14 3 9 3-7 3 7 3-9" />
    </svg>
  );
}
