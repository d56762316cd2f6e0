import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { probeMediaType } from '../../domain/doctor/probe.ts';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The first line. */
  readonly line: string;
  /** The time between the first line and the end of the body. */
  readonly restMs: number;
  /** When the server's certificate expires; undefined without TLS. */
  readonly certificateUntil: Date | undefined;
}

const responseMs = 15_000;
const maxResponseBytes = 1024 ** 2;
const half = Buffer.alloc(16 * 1024);

function open(url: URL, headers: Record<string, string | number>): ClientRequest {
  const ask = url.protocol === 'https:' ? httpsRequest : httpRequest;
  // Its own connection, because what is measured must not wait for another request.
  return ask(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': probeMediaType, ...headers },
    signal: AbortSignal.timeout(responseMs),
  });
}

/** Sends a body in two halves with a pause between them, and measures how the response arrives. */
export async function askInHalves(url: URL, headers: Record<string, string>, pauseMs: number): Promise<Reply> {
  const request = open(url, { ...headers, 'content-length': 2 * half.length });
  const pendingResponse = once(request, 'response') as Promise<[IncomingMessage]>;
  pendingResponse.catch(() => undefined);
  try {
    request.write(half);
    // A proxy that refuses does so at once, and may close the connection.
    await Promise.race([pause(pauseMs), pendingResponse]);
    request.end(half);
    const [response] = await pendingResponse;
    return await read(response);
  } finally {
    request.on('error', () => undefined);
    request.destroy();
  }
}

async function read(response: IncomingMessage): Promise<Reply> {
  const { socket } = response;
  const certificate = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate() : undefined;
  let text = '';
  let lineAt: number | undefined;
  for await (const piece of response as AsyncIterable<Buffer>) {
    text += piece.toString('latin1');
    if (text.includes('\n')) lineAt ??= performance.now();
    if (text.length > maxResponseBytes) break;
  }
  const end = performance.now();
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    line: text.split('\n', 1)[0] ?? '',
    restMs: end - (lineAt ?? end),
    certificateUntil: certificate?.valid_to ? new Date(certificate.valid_to) : undefined,
  };
}

/** Declares a body of this size and sends none of it: the status of whoever refuses it, or 100. */
export async function askToSend(url: URL, headers: Record<string, string>, bytes: number): Promise<number> {
  const request = open(url, { ...headers, 'content-length': bytes, expect: '100-continue' });
  try {
    request.flushHeaders();
    return await new Promise<number>((resolve, reject) => {
      request.once('continue', () => resolve(100));
      request.once('response', ({ statusCode = 0 }) => resolve(statusCode));
      request.once('error', reject);
    });
  } finally {
    request.on('error', () => undefined);
    request.destroy();
  }
}
