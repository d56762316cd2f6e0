import type { ReferenceBlock, ReferenceContent, ReferenceLink } from './blocks.ts';

export const root = '/docs';
export const problemsHref = `${root}/problems`;
export const schemasHref = `${root}/schemas`;
export const machineHref = `${root}/machine-api`;

export function toSchemaHref(name: string): string {
  return `${schemasHref}/${toKebab(name)}`;
}

/** `createDrop` → "create-drop" */
export function toKebab(name: string): string {
  return name.replace(/[a-z0-9](?=[A-Z])/g, '$&-').toLowerCase();
}

export function capitalize(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function toHeading(id: string, text: string, level: 2 | 3 = 2): ReferenceBlock {
  return { kind: 'heading', level, id, text };
}

export function toParagraph(text: string, isQuiet = false): ReferenceBlock {
  return { kind: 'paragraph', text, ...(isQuiet && { quiet: true as const }) };
}

/** A link to a page, with its method. */
export function toLink({ href, title, endpoint }: ReferenceContent): ReferenceLink {
  return { href, label: title, ...(endpoint && { method: endpoint.method }) };
}

/** A link to a page, with its first sentence. */
export function toDescribedLink(page: ReferenceContent): ReferenceLink {
  return { ...toLink(page), ...(page.lead !== undefined && { about: page.lead }) };
}

/** Says what to do next. */
export function toRemedy({ message, retryable }: { readonly message: string; readonly retryable?: true }): string {
  const isSaid = /again|Wait|retry/i.test(message);
  return retryable && !isSaid ? `${message} Repeat the request later.` : message;
}
