import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

export type Encoding = 'br' | 'gzip';

/** Chooses the smallest encoding that the client accepts. */
export function bestEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  const accepted = acceptedEncodings(acceptEncoding);
  return (['br', 'gzip'] as const).find((encoding) => accepted.has(encoding));
}

/**
 * Compresses quickly (`quick`) a page that is made for one reader and sent once. Pages contain no secret that could be
 * guessed from their length: the secrets that open a link are in its URL or in a cookie. Files are never compressed.
 */
export async function compressContent(
  content: string | Buffer,
  encoding: Encoding | undefined,
  effort: 'quick' | 'best',
): Promise<string | Buffer> {
  if (encoding === undefined) return content;
  if (encoding === 'gzip') return deflate(content);
  const quality = effort === 'quick' ? 4 : constants.BROTLI_MAX_QUALITY;
  return brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
}

function acceptedEncodings(header = ''): ReadonlySet<string> {
  const parts = header.slice(0, 500).toLowerCase().split(',');
  const codings = parts.map((part) => part.trim().split(/\s*;\s*q=/));
  return new Set(codings.filter(([, quality = '1']) => Number(quality) > 0).map(([coding = '']) => coding));
}
