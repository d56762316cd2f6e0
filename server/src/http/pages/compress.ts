import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Quick rather than small: a page is made for one reader and sent once. */
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/**
 * A page as small as its reader takes it. Pages hold no secret that somebody else could guess at by their length: what
 * opens a link stands in its address or in a cookie. Files are never compressed.
 */
export async function compressed(
  html: string,
  acceptEncoding: string | undefined,
): Promise<{ body: string | Buffer; encoding: 'br' | 'gzip' | undefined }> {
  const accepted = acceptedEncodings(acceptEncoding);
  if (accepted.has('br')) return { body: await brotli(html, quick), encoding: 'br' };
  if (accepted.has('gzip')) return { body: await deflate(html), encoding: 'gzip' };
  return { body: html, encoding: undefined };
}

function acceptedEncodings(header = ''): ReadonlySet<string> {
  const parts = header.slice(0, 500).toLowerCase().split(',');
  const codings = parts.map((part) => part.trim().split(/\s*;\s*q=/));
  return new Set(codings.filter(([, quality = '1']) => Number(quality) > 0).map(([coding = '']) => coding));
}
