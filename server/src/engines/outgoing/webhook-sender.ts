import { isIP } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { PostFailure, PostOutcome, WebhookSender } from '../../domain/ports/webhook-sender.ts';
import {
  dnsAddresses,
  ForbiddenAddressError,
  guardedConnector,
  mayBeReached,
  type ResolveAddresses,
  UnknownNameError,
} from './guarded-connector.ts';
import { retryAfterSeconds } from './retry-after.ts';

export interface WebhookSenderOptions {
  /** Networks that requests may go to although they are not on the Internet. */
  readonly allowed: readonly string[];
  /** Whether requests may go out unencrypted. */
  readonly allowHttp: boolean;
  /** For the whole request, from the look-up of the name to the end of the response. */
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly resolveAddresses?: ResolveAddresses;
  readonly open?: buildConnector.connector;
}

/** For integrators, whose own machine has neither a certificate nor a public address. */
const listenHint = 'To try a receiver on your own machine, run `waybill webhooks listen --forward URL`.';
/** For one of several addresses. */
const connectMs = 5_000;

/** Goes through no proxy, whatever the environment says: a proxy would look the name up again. */
export function webhookSender(options: WebhookSenderOptions): WebhookSender {
  const {
    allowed,
    allowHttp,
    timeoutMs = 15_000,
    maxResponseBytes = 64 * 1024,
    resolveAddresses = dnsAddresses(),
    open = buildConnector({ allowH2: false, timeout: connectMs, maxCachedSessions: 0 }),
  } = options;

  const objection = (text: string): string | undefined => {
    const url = URL.parse(text);
    if (!url) return 'This is not a URL. Write it as https://example.org/path.';
    if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
      return `The URL must begin with https://. ${listenHint}`;
    if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or a password.';
    if (url.hash !== '') return 'The URL must not contain a fragment.';
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0 && !mayBeReached(host, allowed))
      return `The address in the URL is not on the Internet, and the administrator has not allowed it (WAYBILL_WEBHOOK_ALLOW). Choose another one. ${listenHint}`;
    return undefined;
  };

  const post = async (text: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostOutcome> => {
    if (objection(text) !== undefined) return { failure: 'url_not_allowed' };
    const url = new URL(text);
    const signal = AbortSignal.timeout(timeoutMs);
    const client = new Client(url.origin, {
      allowH2: false,
      pipelining: 0,
      connect: guardedConnector({ resolveAddresses, allowed, open, signal }),
    });
    try {
      const response = await client.request({ method: 'POST', path: url.pathname + url.search, headers, body, signal });
      await readSome(response, maxResponseBytes);
      const { statusCode: status } = response;
      return {
        status,
        retryAfterSeconds: retryAfterSeconds(response.headers['retry-after'], response.headers['date']),
      };
    } catch (error) {
      return { failure: signal.aborted ? 'timeout' : toFailure(error) };
    } finally {
      // Also closes a connection that is still being opened, or whose response was not read to its end.
      void client.destroy().catch(() => undefined);
    }
  };

  return { objection, post };
}

/** The status has decided, so a response that is cut off is as good as a complete one. */
async function readSome({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<void> {
  let length = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      length += piece.length;
      // Leaving the loop closes the connection.
      if (length >= maxBytes) break;
    }
  } catch {
    // The part that has arrived is enough.
  }
}

function toFailure(error: unknown): PostFailure {
  const { code = '', syscall = '', name } = error as NodeJS.ErrnoException;
  // One failure for all three: a caller must not learn which internal names exist.
  const hasNoAddress = error instanceof UnknownNameError || syscall.startsWith('query');
  if (hasNoAddress || error instanceof ForbiddenAddressError) return 'no_public_address';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (tlsCodes.test(code)) return 'tls_failed';
  if (syscall === 'connect' || name === 'AggregateError') return 'no_connection';
  return 'broken_response';
}

/** OpenSSL's names for what is wrong with a certificate, and Node's. */
const tlsCodes = /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;
