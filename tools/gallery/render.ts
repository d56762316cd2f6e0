import { brandStylesheet } from '../../server/src/present/colors.ts';
import { logoId } from '../../server/src/present/mails/mail.tsx';
import { toMailLogo } from '../../server/src/present/mails/mail-logo.ts';
import { type Operator } from '../../server/src/present/operator.ts';
import { createTranslators, type Translators } from '../../server/src/present/texts/translator.ts';
import { icons, scripts, stylesheets } from '../../server/src/web/shared/asset-sources.ts';
import { languageLinks, renderPage } from '../../server/src/web/shared/render-page.tsx';
import { appComponentStates } from '../../server/test/app-component-states.tsx';
import { componentStates } from '../../server/test/component-states.tsx';
import { plainOperator } from '../../server/test/plain-operator.ts';
import { referenceStates } from '../../server/test/reference-states.tsx';
import { mailStates, type PageState, pageStates } from '../../server/test/view-states.tsx';

export interface Picture {
  readonly name: string;
  readonly html: string;
  readonly text?: string;
  readonly script?: PageState['script'];
  /** The id of a dialog to be opened by the button for it. */
  readonly opens?: string | undefined;
}

/** Two triangles, as in the SVG below. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAHAAAAA4AQMAAAAfJe4JAAAABlBMVEX///+KFTim1xOiAAAAAnRSTlMA/1uRIrUAAACYSURBVHjaXc+xCYRgEE' +
    'ThXwy8zAYO7ERL09IsxRIMDcR37DIH60zy8cJprbVPywnP7wvP+YXn+sKTrWLZsRc8e46C58BZ8By5Cp4Td8Fz4Sl4rlDwhLwmLDuIa8Kzh7gm' +
    'PAeIa8JzhLgmPCeIa8JzgbgmPFeIa8IzYPtj2aW78OzTQ3gO6Sk8x/QSnlN6C88lfYRnHgNh+QMqF4IU3P/gqQAAAABJRU5ErkJggg==',
  'base64',
);

/** An operator with settings of their own. */
const example: Operator = {
  name: 'Northwind Files',
  color: '#8a1538',
  mailLogo: toMailLogo({ type: 'png', content: png }),
  supportAddress: 'help@northwind.example',
  imprintUrl: 'https://northwind.example/imprint',
  privacyUrl: 'https://northwind.example/privacy',
};

/** Files that the example's pages load besides ours. */
export const brandFiles: Readonly<Record<string, string>> = {
  '/brand.css': brandStylesheet(example.color ?? ''),
  '/logo.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 58 28"><path fill="#8a1538" d="M0 28 14 0l14 28zm30 0L44 0l14 28z"/></svg>',
};

/** The pages, mails and components whose names are wanted; `asset` returns the address of a built file. */
export function pictures(
  language: string,
  asset: (source: string) => string,
  branded: boolean,
  isWanted: (name: string) => boolean = () => true,
): Picture[] {
  const wanted = <State>(states: Readonly<Record<string, State>>) =>
    Object.entries(states).filter(([name]) => isWanted(name));
  const operator = branded ? example : plainOperator;
  const all = createTranslators({ fallback: 'en' });
  const translator = all.for(language);
  const pages = wanted(pageStates(translator)).map(([name, { title, page, script, layout }]) => ({
    name,
    script,
    html: renderPage(translator, {
      title,
      page,
      layout,
      ownStylesheets: listOwnStylesheets(layout).map(asset),
      languageLinks: languageLinks(all, '/'),
      stylesheet: asset(stylesheets.pages),
      icon: asset(icons.mark),
      operator,
      brandStylesheet: branded ? '/brand.css' : undefined,
      logo: branded ? '/logo.svg' : undefined,
      script: script && asset(scripts[script]),
    }),
  }));
  const reference = wanted(referenceStates()).map(([name, { title, page }]) => ({
    name,
    html: renderPage(all.for('en'), {
      title,
      page,
      languageLinks: [],
      stylesheet: asset(stylesheets.pages),
      ownStylesheets: [asset(stylesheets.reference)],
      icon: asset(icons.mark),
      operator,
      brandStylesheet: branded ? '/brand.css' : undefined,
      logo: branded ? '/logo.svg' : undefined,
      script: asset(scripts.reference),
    }),
  }));
  const mails = wanted(mailStates(translator, undefined, operator)).map(([name, { subject, text, html }]) => ({
    name: `mail-${name}`,
    // A mail program has the logo in the mail.
    html: html.replace(`cid:${logoId}`, `data:image/png;base64,${png.toString('base64')}`),
    text: `Subject: ${subject}\n\n${text}`,
  }));
  const shown = (['ltr', 'rtl'] as const).flatMap((dir) => components(all, asset, dir, isWanted));
  return [...shown, ...pages, ...reference, ...mails];
}

/** The components, each on a page of its own. */
export function components(
  all: Translators,
  asset: (source: string) => string,
  dir: 'ltr' | 'rtl',
  isWanted: (name: string) => boolean = () => true,
): Picture[] {
  const translator = { ...all.for('en'), dir };
  const states = Object.entries({ ...componentStates(), ...appComponentStates() }).filter(([name]) => isWanted(name));
  return states.map(([name, { page, opens, layout }]) => ({
    name: `component-${name}-${dir}`,
    opens,
    html: renderPage(translator, {
      title: name,
      page,
      layout,
      languageLinks: [],
      stylesheet: asset(stylesheets.pages),
      ownStylesheets: listOwnStylesheets(layout).map(asset),
      brandStylesheet: '/specimens.css',
      operator: plainOperator,
    }),
  }));
}

/** The stylesheets of a layout, with that of the composer, which some pages of the app load. */
function listOwnStylesheets(layout: 'app' | 'sign-in' | undefined): string[] {
  if (layout === undefined) return [];
  return layout === 'app' ? [stylesheets.app, stylesheets.composer] : [stylesheets[layout]];
}
