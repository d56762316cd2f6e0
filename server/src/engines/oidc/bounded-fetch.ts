import { isProtectedUrl } from '../../domain/protected-url.ts';

/** The provider did not respond, or not with something of a reasonable size. */
export class UnreachableProviderError extends Error {
  override readonly name = 'UnreachableProviderError';
}

/** For the metadata, keys, tokens and claims of one provider: a person in a thousand groups has 100 kB of claims. */
const maxResponseBytes = 512 * 1024;

/** The options that the libraries give. */
interface Options {
  readonly method: string;
  readonly headers: HeadersInit;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * Requests to the endpoints that a provider's metadata name. They may be on the operator's network, where providers
 * usually are, because the operator chose the provider; but they are encrypted, and are not redirected elsewhere. A
 * deadline comes with every request, from the libraries.
 */
export function boundedFetch(issuer: URL): (url: string, options: Options) => Promise<Response> {
  return async (text, { method, headers, body, signal }) => {
    // They send forms, and nothing else.
    const form = body instanceof URLSearchParams ? body : null;
    const url = new URL(text);
    const isAllowed = url.protocol === 'https:' || (issuer.protocol === 'http:' && isProtectedUrl(url));
    if (!isAllowed) throw new UnreachableProviderError('an endpoint is not protected by HTTPS');
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: form,
        redirect: 'manual',
        signal: signal ?? null,
      });
      const content = await readWhole(response);
      if (response.status >= 500) throw new UnreachableProviderError(`the response is ${response.status}`);
      return new Response(content.length === 0 ? null : content, {
        status: response.status,
        headers: response.headers,
      });
    } catch (error) {
      if (error instanceof UnreachableProviderError) throw error;
      throw new UnreachableProviderError(describeFailure(error), { cause: error });
    }
  };
}

async function readWhole({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    // Leaving the loop closes the connection.
    if (length > maxResponseBytes) throw new UnreachableProviderError('the response is too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Node's name for the failure, such as ECONNREFUSED or TimeoutError. Not the message, which may repeat the request. */
function describeFailure(error: unknown): string {
  const { name, cause } = error as { name: string; cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : name;
}
