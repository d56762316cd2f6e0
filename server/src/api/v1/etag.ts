/**
 * Formats a row's version as an ETag. It is strong, so that If-Match accepts it (RFC 9110, 13.1.1); operations compare
 * the versions of If-Match under the lock of the row, with `requireVersion`.
 */
export function toETag(version: string): { readonly etag: string } {
  return { etag: `"${version}"` };
}

export const etagHeader = {
  description: 'The version, for `If-Match` of a request that changes it.',
  schema: { type: 'string' },
};

export const ifNoneMatchHeader = {
  name: 'If-None-Match',
  in: 'header',
  description: '`*`: if there is one already, nothing is changed, and the response is 412.',
  schema: { const: '*' },
};

export const ifMatchHeader = {
  name: 'If-Match',
  in: 'header',
  description: 'An ETag: if the version is no longer this one, nothing is changed, and the response is 412.',
  schema: { type: 'string', maxLength: 1000 },
};
