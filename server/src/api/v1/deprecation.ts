/**
 * The announcement that an operation, or one of its parameters, will not be in the next version. A route declares it once;
 * the headers of its responses, the OpenAPI document and the reference come from it.
 */
export interface Deprecation {
  /** The parameter of the query; the whole operation if there is none. */
  readonly parameter?: string;
  /** The day from which it is deprecated, such as 2031-01-31. */
  readonly since: string;
  /** The day from which it may be gone: at least a year later. */
  readonly until: string;
  /** A sentence that says what to use instead. */
  readonly instead: string;
}

/** Where deprecations are explained. */
export const compatibilityPath = '/docs/compatibility';

/** Creates the headers of RFC 9745 and RFC 8594 for a request, if it uses anything that is deprecated. */
export function deprecationHeaders(
  deprecations: readonly Deprecation[],
  query: object,
  publicUrl: string,
): Record<string, string> {
  const used = deprecations.filter(({ parameter }) => parameter === undefined || parameter in query);
  const [first] = used.toSorted((a, b) => a.until.localeCompare(b.until));
  if (!first) return {};
  const page = `<${publicUrl}${compatibilityPath}>`;
  return {
    deprecation: `@${Date.parse(first.since) / 1000}`,
    sunset: new Date(first.until).toUTCString(),
    link: `${page}; rel="deprecation"; type="text/html", ${page}; rel="sunset"; type="text/html"`,
  };
}

export function describeDeprecation({ since, until, instead }: Deprecation): string {
  const days = (Date.parse(until) - Date.parse(since)) / 86_400_000;
  if (!(days >= 365)) throw new Error(`deprecated for less than a year: ${since} to ${until}`);
  return `Deprecated since ${since}, and may be gone from ${until}. ${instead}`;
}
