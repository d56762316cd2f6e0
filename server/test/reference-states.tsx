import { ReferencePage } from '../src/web/reference/reference-page.tsx';
import { createReference } from '../src/web/reference/site.ts';
import type { PageState } from './view-states.tsx';

/** One page of each kind. */
export const referenceHrefs = {
  reference: '/docs/drops/create-drop',
  'reference-overview': '/docs',
  'reference-guide': '/docs/webhooks',
  'reference-list': '/docs/drops/list-drops',
  'reference-bytes': '/docs/inbox/download-inbox-file',
  'reference-machine': '/docs/machine-api/add-contacts',
  'reference-schema': '/docs/schemas/drop-receiver',
  'reference-problems': '/docs/problems',
};

/** Pages of the real reference, which has no text of other people. */
export function referenceStates(): Record<keyof typeof referenceHrefs, PageState> {
  const { groups, pages } = createReference('https://files.northwind.example');
  const states = Object.entries(referenceHrefs).map(([name, href]) => {
    const content = pages.get(href);
    if (!content) throw new Error(`There is no page ${href}.`);
    return [name, { title: content.title, page: <ReferencePage groups={groups} content={content} /> }];
  });
  return Object.fromEntries(states) as Record<keyof typeof referenceHrefs, PageState>;
}
