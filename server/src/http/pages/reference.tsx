import type { VNode } from 'preact';
import {
  ProblemsPage,
  type ProblemsPageProps,
  ReferencePage,
  type ReferencePageProps,
} from '../../views/pages/reference-page.tsx';
import type { App } from '../app.ts';
import { type PageOptions, SharedPage } from './page.ts';

/** The reference of the API, for programmers. */
export interface Reference {
  readonly reference: ReferencePageProps;
  readonly problems: ProblemsPageProps;
}

export function referencePages(app: App, { reference, problems }: Reference, options: PageOptions): void {
  const pages: readonly [string, string, VNode][] = [
    [problems.referenceHref, 'API reference', <ReferencePage {...reference} />],
    [reference.problemsHref, 'Problems', <ProblemsPage {...problems} />],
  ];
  for (const [url, title, page] of pages) {
    const shared = new SharedPage(options, options.translator.for('en'), { title, page });
    app.get(url, { config: { authentication: 'nobody' } }, async (request, reply) => shared.send(request, reply));
  }
}
