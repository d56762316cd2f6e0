import type { ErrorCode, Errors } from '@waybill/protocol';

export const text = (description: string) => ({ description, schema: { type: 'string' } });
export const commonHeaders = { 'X-Request-Id': text('What to quote to the administrator.') };
export const retryAfter = text('How many seconds to wait.');
export const header = (name: string, about: string, schema: object) => ({
  name,
  in: 'header',
  description: about,
  schema: { type: 'string', ...schema },
});

export const binary = (contentMediaType: string) => ({ type: 'string', format: 'binary', contentMediaType });

/** The body of a download, and the headers that describe it. */
export interface DescribedBytes {
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, object>>;
}
export const fileBytes: DescribedBytes = {
  mediaType: 'application/octet-stream',
  headers: {
    ETag: text('The SHA-256 of the whole file.'),
    'Repr-Digest': text('The SHA-256 of the whole file, as RFC 9530 writes it.'),
    'Accept-Ranges': text('bytes'),
    'Waybill-Path': text('Where the file was in the folder that was sent, its own name last; UTF-8, percent-encoded.'),
  },
};
export const zipBytes: DescribedBytes = {
  mediaType: 'application/zip',
  headers: {
    ETag: text('Of the whole ZIP, which is the same every time.'),
    'Accept-Ranges': text('`bytes`, or `none` for files that were stored before their checksums were kept.'),
  },
};
export const rangeHeader = header('Range', 'One range of bytes.', {});
export const ifRangeHeader = header('If-Range', 'The ETag of what a range is wanted of.', {});

/** The responses with the whole of a download, and with a range of it. */
export function inRanges(description: string, { mediaType, headers: own }: DescribedBytes, method: string) {
  const content = method.toLowerCase() === 'get' ? { content: { [mediaType]: { schema: binary(mediaType) } } } : {};
  const headers = { ...commonHeaders, ...own };
  return {
    '200': { description, headers, ...content },
    '206': {
      description: 'The range that was asked for.',
      headers: { ...headers, 'Content-Range': text('Which bytes these are.') },
      ...content,
    },
  };
}

/** Responses by status, with exactly the codes that each can carry; `content` describes the body of such a response. */
export function failures(
  codes: readonly ErrorCode[],
  errors: Errors,
  content: (codes: ErrorCode[]) => object,
  headers: (status: string) => object = () => ({}),
): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => String(errors[code].status));
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [
      status,
      {
        description: those.map((code) => errors[code].message).join(' '),
        headers: {
          ...commonHeaders,
          ...(status === '503' || status === '429' ? { 'Retry-After': retryAfter } : {}),
          ...headers(status),
        },
        ...content(those),
      },
    ]),
  );
}

/** The fields that every description has. */
export function frame(info: { readonly title: string; readonly version: string; readonly description: string }) {
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
  };
}
