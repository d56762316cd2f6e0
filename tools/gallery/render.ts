import { mailStates, pageStates } from '../../server/src/testing/view-states.tsx';
import { languageLinks, renderPage } from '../../server/src/views/render-page.tsx';
import { createWords } from '../../server/src/views/words.ts';

export interface Picture {
  readonly name: string;
  readonly html: string;
  readonly text?: string;
  readonly script?: 'gesture' | 'upload' | undefined;
}

/** Everything there is to draw; `asset` answers the address of a built file. */
export function pictures(language: string, asset: (source: string) => string): Picture[] {
  const all = createWords({ fallback: 'en' });
  const words = all.for(language);
  const pages = Object.entries(pageStates(words)).map(([name, { title, page, script }]) => ({
    name,
    script,
    html: renderPage(words, {
      title,
      page,
      languageLinks: languageLinks(all, '/'),
      stylesheet: asset('src/views/assets/pages.css'),
      icon: asset('src/views/assets/mark.svg'),
      script: script && asset(`src/views/islands/${script}.${script === 'upload' ? 'tsx' : 'ts'}`),
    }),
  }));
  const mails = Object.entries(mailStates(words)).map(([name, { subject, text, html }]) => ({
    name: `mail-${name}`,
    html,
    text: `Subject: ${subject}\n\n${text}`,
  }));
  return [...pages, ...mails];
}
