/**
 * The parts of which a page of the reference consists. Texts are a little Markdown: `code`, **strong** and
 * [links](/docs).
 */
export type ReferenceBlock =
  | { readonly kind: 'paragraph'; readonly text: string; readonly quiet?: true }
  | { readonly kind: 'heading'; readonly level: 2 | 3; readonly id: string; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'fields'; readonly fields: readonly ReferenceField[] }
  | { readonly kind: 'problems'; readonly problems: readonly ReferenceProblem[] }
  | { readonly kind: 'links'; readonly links: readonly ReferenceLink[] }
  | { readonly kind: 'folded'; readonly summary: string; readonly blocks: readonly ReferenceBlock[] };

/** A parameter, a header or a field of a body, with the fields inside it. */
export interface ReferenceField {
  readonly name: string;
  readonly type: string;
  /** Whether a request has to have it, or a response may lack it. */
  readonly presence?: 'required' | 'optional';
  readonly about: string;
  readonly fields: readonly ReferenceField[];
}

export interface ReferenceProblem {
  readonly code: string;
  readonly status: number;
  readonly text: string;
  /** Where it is explained; null on the page that explains it. */
  readonly href: string | null;
}

export interface ReferenceLink {
  readonly href: string;
  readonly label: string;
  /** The HTTP method, if it leads to an operation. */
  readonly method?: string;
  readonly about?: string;
}

/** A command or a response beside the text. */
export interface ReferenceSample {
  readonly title: string;
  readonly text: string;
}

export interface ReferenceGroup {
  readonly title: string;
  readonly links: readonly ReferenceLink[];
}

export interface ReferenceContent {
  readonly href: string;
  readonly title: string;
  /** The title of its group in the navigation. */
  readonly group: string;
  readonly endpoint?: { readonly method: string; readonly path: string };
  readonly lead?: string;
  readonly blocks: readonly ReferenceBlock[];
  readonly samples: readonly ReferenceSample[];
  /** The page of the navigation that leads to it, if it is not in the navigation itself. */
  readonly under?: string;
}
