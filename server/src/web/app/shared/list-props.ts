/** Properties of every screen of the app that lists something. */
export interface ListProps {
  /** The path of the account, such as `/orders@example.org/`. */
  readonly base: string;
  readonly csrf: string;
  readonly now: Date;
  /** Whether the person may change something; a reader may not. */
  readonly canChange: boolean;
}

/** Adds fields to a path; an empty one is left out, so that every list has one URL. */
export function toHref(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  ).toString();
  return query === '' ? path : `${path}?${query}`;
}
