import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { WaybillError } from '../errors.ts';

export interface OutgoingRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Bytes, or a body that is produced while it is sent: a piece has been sent when the next one is requested. */
  body?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  signal?: AbortSignal | undefined;
}

/** How long it may take to connect. A machine that is switched off does not refuse a connection. */
const connectTimeoutMs = 15_000;

/** Sends requests over persistent connections. */
export class Transport {
  readonly #agent: HttpAgent;
  readonly #secure: boolean;
  readonly #idleTimeoutMs: number;

  constructor(baseUrl: URL, idleTimeoutMs: number) {
    this.#secure = baseUrl.protocol === 'https:';
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#agent = this.#secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Returns as soon as the headers of the response have arrived. Its body must be read to the end, or destroyed. */
  async exchange({ method, url, headers, body, signal }: OutgoingRequest): Promise<IncomingMessage> {
    signal?.throwIfAborted();
    const request = (this.#secure ? httpsRequest : httpRequest)(url, {
      method,
      headers,
      agent: this.#agent,
      timeout: this.#idleTimeoutMs,
      ...(signal ? { signal } : {}),
    });
    request.once('timeout', () =>
      request.destroy(new Error(`no data for ${Math.round(this.#idleTimeoutMs / 1000)} seconds`)),
    );
    limitConnecting(request, this.#secure ? 'secureConnect' : 'connect');
    const settled = new AbortController();
    const responded = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', (response) => {
        settled.abort();
        resolve(response);
      });
      // Later errors are reported by the response.
      request.on('error', reject);
      request.once('close', () => {
        settled.abort();
        reject(new Error('the connection was closed without a response'));
      });
    });
    // Not awaited: the response may arrive while the source of the body has nothing to send.
    writeBody(request, body, settled.signal).catch((error: unknown) => request.destroy(error as Error));
    try {
      const response = await responded;
      // The server responded before the whole body was sent, and would read the rest as the next request.
      if (!request.writableFinished) response.once('close', () => request.destroy());
      return response;
    } catch (error) {
      request.destroy();
      signal?.throwIfAborted();
      if (error instanceof WaybillError) throw error;
      throw toUnreachableError(url, error);
    }
  }
}

function limitConnecting(request: ClientRequest, connected: 'connect' | 'secureConnect'): void {
  request.once('socket', (socket) => {
    // A persistent connection is used again.
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      request.destroy(new Error(`no connection within ${connectTimeoutMs / 1000} seconds`));
    }, connectTimeoutMs);
    const stop = () => clearTimeout(timer);
    socket.once(connected, stop);
    request.once('close', stop);
  });
}

async function writeBody(request: ClientRequest, body: OutgoingRequest['body'], settled: AbortSignal): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) {
    request.end(body);
    return;
  }
  for await (const piece of body) {
    if (settled.aborted) return;
    await writePiece(request, piece, settled);
  }
  if (!settled.aborted) request.end();
}

/** Resolves when the piece has been sent and its memory may be reused. */
function writePiece(request: ClientRequest, piece: Uint8Array, settled: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      settled.removeEventListener('abort', done);
      resolve();
    };
    settled.addEventListener('abort', done, { once: true });
    // After a failed write, the request is about to close, which aborts the signal.
    request.write(piece, (error) => {
      if (!error) done();
    });
  });
}

/** Returns an error that says why a server cannot be reached. */
export function toUnreachableError(url: URL, cause: unknown): WaybillError {
  const tlsProblem = cause instanceof Error && describeTlsProblem(url, cause);
  if (tlsProblem) return new WaybillError('unexpected_response', tlsProblem, { cause });
  const why = cause instanceof Error ? describeCause(cause) : String(cause);
  return new WaybillError('unreachable', `${url.host} cannot be reached: ${why}.`, { cause });
}

/** Describes a failure that is the same in every attempt. */
function describeTlsProblem({ host }: URL, { code = '', message }: NodeJS.ErrnoException): string | undefined {
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return `${host} does not speak TLS. Use http://, or the right port.`;
  }
  if (!certificateCodes.test(code)) return undefined;
  return `The certificate of ${host} cannot be trusted: ${message.replace(/\.$/, '')}. Check the address, or ask the administrator.`;
}

/** OpenSSL's names for what is wrong with a certificate, and Node's. */
const certificateCodes = /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'there is no route to the host',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up',
};

/** For a host with several addresses, Node wraps the error of each address in one without a message. */
function describeCause(error: Error & { code?: string }): string {
  if (error instanceof AggregateError && error.message === '') {
    return [...new Set(error.errors.map((each) => describeCause(each as Error)))].join('; ');
  }
  return reasons[error.code ?? ''] ?? error.message;
}
