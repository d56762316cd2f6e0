import type { IncomingMessage } from 'node:http';
import { ExchangeError } from '../../domain/exchange-error.ts';

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
 * merged. Returns the error, or undefined.
 */
export function findRefusal(request: IncomingMessage, isOurHost: (host: string) => boolean): ExchangeError | undefined {
  const { rawHeaders } = request;
  if (rawHeaders.length / 2 > maxHeaders) return new ExchangeError('headers_too_large');
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!single.has(name)) continue;
    if (seen.has(name)) return new ExchangeError('malformed_request', `The header ${name} came twice. Send it once.`);
    seen.add(name);
  }
  // Absolute-form targets name a host a second time.
  if (!request.url?.startsWith('/'))
    return new ExchangeError(
      'malformed_request',
      'The target of the request must begin with a slash, without the scheme and the host.',
    );
  if (!isDecodable(request.url))
    return new ExchangeError('malformed_request', 'The URL must be UTF-8, percent-encoded.');
  const { host } = request.headers;
  if (host === undefined) return new ExchangeError('malformed_request', 'The request needs the header Host.');
  if (!isOurHost(host.toLowerCase())) return new ExchangeError('wrong_host');
  if (seen.has('transfer-encoding') && seen.has('content-length'))
    return new ExchangeError('malformed_request', 'Send Content-Length or Transfer-Encoding, and not both.');
  if (request.method === 'GET' || request.method === 'HEAD') {
    if (seen.has('transfer-encoding') || Number(request.headers['content-length'] ?? 0) !== 0)
      return new ExchangeError('malformed_request', `A ${request.method} request must not have a body.`);
  }
  if (request.headers['content-encoding'] !== undefined)
    return new ExchangeError('unsupported_media_type', 'Send the body as it is, without a Content-Encoding.');
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
