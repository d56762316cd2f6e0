import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { fullSize } from '../full-size.ts';
import { assertDescribed } from './contract.ts';
import { foldHeaders, type HttpResponse } from './response.ts';

export interface RequestOptions {
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Send the body with chunked transfer encoding instead of a Content-Length. */
  chunked?: boolean;
  /** Connect from this loopback address, so that limits per address do not affect other tests. */
  localAddress?: string;
}

/** At full size, a scan takes longer than most requests may take. */
const responseWithinMs = fullSize ? 150_000 : 45_000;
const pieceBytes = 64 * 1024;

/**
 * One request on its own connection. Behind a balancer that picks a process per connection, consecutive requests reach
 * different processes, which is what the whole suite wants.
 */
export async function request(
  baseUrl: string,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const url = new URL(baseUrl);
  const body = options.body === undefined ? undefined : Buffer.from(options.body);
  const headers: Record<string, string> = { Connection: 'close', ...options.headers };
  if (body !== undefined && options.chunked !== true) headers['Content-Length'] = String(body.length);
  const outgoing = httpRequest({
    host: url.hostname,
    port: url.port,
    method,
    path: url.pathname.replace(/\/$/, '') + path,
    headers,
    agent: false,
    signal: AbortSignal.timeout(responseWithinMs),
    ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
  });
  const responseReceived = new AbortController();
  const incoming = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', (message) => {
      responseReceived.abort();
      resolve(message);
    });
    // A server that responds early may close the connection while we are still sending; once the response has begun,
    // that is no failure.
    outgoing.on('error', reject);
    outgoing.once('close', () => responseReceived.abort());
  });
  const sent = body === undefined ? outgoing.end() : sendBody(outgoing, body, responseReceived.signal);
  const message = await incoming;
  const response = await collect(message);
  await sent;
  outgoing.destroy();
  await assertDescribed(method, path, response);
  return response;
}

/** Sends piece by piece, and stops when the response arrives: a refusal may come before the end of the body. */
async function sendBody(outgoing: ClientRequest, body: Buffer, responseReceived: AbortSignal): Promise<void> {
  for (let offset = 0; offset < body.length; offset += pieceBytes) {
    if (responseReceived.aborted) return;
    if (!outgoing.write(body.subarray(offset, offset + pieceBytes))) {
      await once(outgoing, 'drain', { signal: responseReceived }).catch(() => {});
    }
  }
  if (!responseReceived.aborted) outgoing.end();
}

async function collect(message: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  if (!message.complete) throw new Error('the response was cut off');
  const headerLines: [string, string][] = [];
  for (let i = 0; i < message.rawHeaders.length; i += 2) {
    headerLines.push([message.rawHeaders[i] ?? '', message.rawHeaders[i + 1] ?? '']);
  }
  return {
    status: message.statusCode ?? 0,
    headers: foldHeaders(headerLines),
    headerLines,
    body: Buffer.concat(chunks),
    rest: Buffer.alloc(0),
  };
}
