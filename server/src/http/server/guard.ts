import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '@waybill/protocol';

const maxHeaders = 100;

/** Headers that affect the result: if one is sent twice, each party on the way might use a different one. */
const single = new Set([
  'host',
  'authorization',
  'csrf-token',
  'content-type',
  'content-length',
  'transfer-encoding',
  'waybill-draft',
  'idempotency-key',
  'range',
  'if-range',
]);

/**
 * Rejects what Node's parser accepts and we do not. It looks at the raw headers, because the parsed ones are already
 * merged. Returns the error code, or undefined.
 */
export function findRefusal(request: IncomingMessage, isOurHost: (host: string) => boolean): ErrorCode | undefined {
  const { rawHeaders } = request;
  if (rawHeaders.length / 2 > maxHeaders) return 'headers_too_large';
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!single.has(name)) continue;
    if (seen.has(name)) return 'malformed_request';
    seen.add(name);
  }
  // Absolute-form targets name a host a second time.
  if (!request.url?.startsWith('/')) return 'malformed_request';
  if (!isDecodable(request.url)) return 'malformed_request';
  const { host } = request.headers;
  if (host === undefined) return 'malformed_request';
  if (!isOurHost(host.toLowerCase())) return 'wrong_host';
  if (seen.has('transfer-encoding') && seen.has('content-length')) return 'malformed_request';
  if (request.method === 'GET' || request.method === 'HEAD') {
    if (seen.has('transfer-encoding') || Number(request.headers['content-length'] ?? 0) !== 0)
      return 'malformed_request';
  }
  if (request.headers['content-encoding'] !== undefined) return 'unsupported_media_type';
  return undefined;
}

/** An escape that is not UTF-8 would reach the query as it is, and each decoder would read it differently. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
