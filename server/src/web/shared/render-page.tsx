import type { JSX, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Operator } from '../../present/operator.ts';
import type { Translator, Translators } from '../../present/texts/translator.ts';
import { TranslatorContext } from '../../present/texts/translator-context.ts';
import { Logo } from './components/mark.tsx';
import { type LanguageLink, PageContext } from './components/page-context.ts';
import { Contact, LanguageLinks } from './components/page-foot.tsx';
import { type DrawRows, placeOfRows, TakeRowsContext } from './components/rows.tsx';

export interface Frame {
  readonly title: string;
  /**
   * The surroundings of the page. Receivers and contacts get a header and a footer. The pages of people with an account draw
   * their own frame: `app` is that of the app, `sign-in` that of the pages before it.
   */
  readonly layout?: 'app' | 'sign-in' | undefined;
  readonly page: VNode;
  /** The URLs of the page in other languages; if empty, there is no switcher. */
  readonly languageLinks: readonly LanguageLink[];
  /** The address of pages.css; undefined if the page contains its style. */
  readonly stylesheet?: string | undefined;
  /** All style and script of a page that works without the server, and the policy by which even a copy of it is bound. */
  readonly inline?: { readonly style: string; readonly script: string; readonly policy: string } | undefined;
  /** The addresses of stylesheets that only this page, or a few, need. */
  readonly ownStylesheets?: readonly string[];
  /** The address of the stylesheet with the operator's colour. */
  readonly brandStylesheet?: string | undefined;
  readonly script?: string | undefined;
  readonly icon?: string | undefined;
  /** The address of the description by which the app can be installed, and of the icon that it then has on a phone. */
  readonly manifest?: string | undefined;
  readonly touchIcon?: string | undefined;
  /** The address of the operator's logo. */
  readonly logo?: string | undefined;
  readonly operator: Operator;
}

/**
 * Renders a whole HTML document. It contains no style and no script, so that the strictest policy can forbid both, unless the page
 * is made to be kept as a file.
 */
export function renderPage(translator: Translator, frame: Frame): string {
  return [...renderParts(translator, frame)].join('');
}

/** Renders the document in parts, so that a server can do something else while it draws a page with long lists. */
export function* renderParts(translator: Translator, frame: Frame): Generator<string, void, void> {
  const drawParts = function* (content: VNode): Generator<string, void, void> {
    const lists: (readonly DrawRows[])[] = [];
    let rest = renderToString(
      <TranslatorContext.Provider value={translator}>
        <PageContext.Provider value={frame}>
          <TakeRowsContext.Provider value={(groups) => void lists.push(groups)}>{content}</TakeRowsContext.Provider>
        </PageContext.Provider>
      </TranslatorContext.Provider>,
    );
    for (const groups of lists) {
      const place = rest.indexOf(placeOfRows);
      yield rest.slice(0, place);
      for (const draw of groups) yield* drawParts(draw());
      rest = rest.slice(place + placeOfRows.length);
    }
    yield rest;
  };
  yield '<!doctype html>';
  yield* drawParts(<Document translator={translator} frame={frame} />);
}

/** Lists the URLs of the page in every available language, with `?lang=`. */
export function languageLinks(translator: Translators, path: string): readonly LanguageLink[] {
  return translator.languages.map(({ language, name }) => ({
    language,
    name,
    href: `${path}${path.includes('?') ? '&' : '?'}lang=${encodeURIComponent(language)}`,
  }));
}

function Document({ translator, frame }: { translator: Translator; frame: Frame }): JSX.Element {
  const { operator } = frame;
  return (
    <html lang={translator.language} dir={translator.dir}>
      <head>
        <meta charset="utf-8" />
        {frame.inline && <meta http-equiv="Content-Security-Policy" content={frame.inline.policy} />}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="no-referrer" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
        <title>{`${frame.title} · ${operator.name}`}</title>
        {frame.inline && <style dangerouslySetInnerHTML={{ __html: frame.inline.style }} />}
        {frame.stylesheet !== undefined && <link rel="stylesheet" href={frame.stylesheet} />}
        {frame.ownStylesheets?.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {frame.brandStylesheet !== undefined && <link rel="stylesheet" href={frame.brandStylesheet} />}
        {frame.icon !== undefined && <link rel="icon" href={frame.icon} />}
        {frame.touchIcon !== undefined && <link rel="apple-touch-icon" href={frame.touchIcon} />}
        {frame.manifest !== undefined && <link rel="manifest" href={frame.manifest} />}
        {frame.script !== undefined && <script type="module" src={frame.script} />}
      </head>
      {frame.layout === undefined ? (
        <body>
          <header class="top">
            <Logo />
            <span>{operator.name}</span>
          </header>
          {frame.page}
          <footer class="foot">
            <Contact operator={operator} />
            <LanguageLinks links={frame.languageLinks} />
          </footer>
          {frame.inline && <script dangerouslySetInnerHTML={{ __html: frame.inline.script }} />}
        </body>
      ) : (
        <body class={frame.layout}>{frame.page}</body>
      )}
    </html>
  );
}
