import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { WaybillError } from './errors.ts';

export interface Outgoing {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Bytes as they are, or a body that is made while it is sent: a piece has left when the next one is asked for. */
  body?: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  signal?: AbortSignal | undefined;
}

/** Sends requests over kept connections. */
export class Transport {
  readonly #agent: HttpAgent;
  readonly #secure: boolean;
  readonly #silenceMs: number;

  constructor(baseUrl: URL, silenceMs: number) {
    this.#secure = baseUrl.protocol === 'https:';
    this.#silenceMs = silenceMs;
    this.#agent = this.#secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Answers as soon as the answer's head is there. Its body has to be read to the end, or destroyed. */
  async exchange({ method, url, headers, body, signal }: Outgoing): Promise<IncomingMessage> {
    signal?.throwIfAborted();
    const request = (this.#secure ? httpsRequest : httpRequest)(url, {
      method,
      headers,
      agent: this.#agent,
      timeout: this.#silenceMs,
      ...(signal ? { signal } : {}),
    });
    request.once('timeout', () => request.destroy(new Error(`nothing moved for ${this.#silenceMs} ms`)));
    const settled = new AbortController();
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', (answer) => {
        settled.abort();
        resolve(answer);
      });
      // After the answer has begun an error is the answer's to report.
      request.on('error', reject);
      request.once('close', () => {
        settled.abort();
        reject(new Error('the connection was closed before an answer'));
      });
    });
    // Not waited for: an answer may come while the source of the body still has nothing more to give.
    send(request, body, settled.signal).catch((error: unknown) => request.destroy(error as Error));
    try {
      const answer = await answered;
      // Refused before all of it was sent: the rest would be read as the next request.
      if (!request.writableFinished) answer.once('close', () => request.destroy());
      return answer;
    } catch (error) {
      request.destroy();
      signal?.throwIfAborted();
      if (error instanceof WaybillError) throw error;
      throw unreachable(url, error);
    }
  }
}

async function send(request: ClientRequest, body: Outgoing['body'], settled: AbortSignal): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) {
    request.end(body);
    return;
  }
  for await (const piece of body) {
    if (settled.aborted) return;
    await written(request, piece, settled);
  }
  if (!settled.aborted) request.end();
}

/** When a piece has left, its source may use the memory again. */
function written(request: ClientRequest, piece: Uint8Array, settled: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      settled.removeEventListener('abort', done);
      resolve();
    };
    settled.addEventListener('abort', done, { once: true });
    // A piece that could not be written waits for the end of the request, which is near.
    request.write(piece, (error) => {
      if (!error) done();
    });
  });
}

function unreachable(url: URL, cause: unknown): WaybillError {
  const why = cause instanceof Error ? reasonOf(cause) : String(cause);
  return new WaybillError('unreachable', `${url.host} gave no answer: ${why}.`, { cause });
}

/** Where a name has several addresses, Node wraps one error an address in an error without a message. */
function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map((each) => (each as Error).message).join('; ');
  }
  return error.message;
}
