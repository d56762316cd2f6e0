import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../../http/shared/app.ts';
import { type PageOptions, SharedPage } from '../shared/page.ts';
import type { ReferenceContent, ReferenceGroup } from './blocks.ts';
import { ReferencePage } from './reference-page.tsx';

/** The reference of the APIs, for programmers. */
export interface Reference {
  readonly groups: readonly ReferenceGroup[];
  /** By address. */
  readonly pages: ReadonlyMap<string, ReferenceContent>;
}

/** Serves every page of the reference. It is created on the first request, and each page is rendered once. */
export function referencePages(app: App, createReference: () => Reference, options: PageOptions): void {
  let reference: Reference | undefined;
  const shared = new Map<string, SharedPage>();
  const findPage = (path: string): SharedPage => {
    const known = shared.get(path);
    if (known) return known;
    reference ??= createReference();
    const content = reference.pages.get(path);
    if (!content) throw new ExchangeError('not_found');
    const page = new SharedPage(options, options.translator.for('en'), {
      title: `${content.title} · API reference`,
      page: <ReferencePage groups={reference.groups} content={content} />,
      script: 'reference',
      stylesheet: 'reference',
    });
    shared.set(path, page);
    return page;
  };
  for (const url of ['/docs', '/docs/:page', '/docs/:group/:page']) {
    app.get(url, { config: { authentication: 'nobody' } }, async (request, reply) =>
      findPage(request.url.split('?', 1)[0] as string).send(request, reply),
    );
  }
}
