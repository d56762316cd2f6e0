import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Runtime } from '../runtime.ts';
import { Waybill, type WaybillOptions } from '../waybill.ts';

export interface ReceivedRequest {
  method: string;
  /** Relative to /api/v1. */
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

type Handler = (seen: ReceivedRequest, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

const account = { user: 'alpha@machines.test', apiKey: 'wb_key' };

/** A server on a real socket that responds as a test wants, and records its requests. */
export class WireServer implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly sleeps: number[] = [];
  baseUrl = '';
  #handler: Handler = (_seen, response) => refuse(response, 404, 'not_found');
  #beforeBody: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  readonly #server = createServer((request, response) => void this.#respond(request, response));

  static async start(handler?: Handler): Promise<WireServer> {
    const server = new WireServer();
    if (handler) server.#handler = handler;
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    server.baseUrl = `http://127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    return server;
  }

  /** Sets a handler that may respond before the body is read; it then returns true. */
  beforeBody(respond: (request: IncomingMessage, response: ServerResponse) => boolean): void {
    this.#beforeBody = respond;
  }

  /** Creates a client of this server that does not really wait between attempts. */
  client(options: Partial<WaybillOptions> = {}): Waybill {
    const runtime: Partial<Runtime> = {
      random: () => 0.5,
      sleep: async (milliseconds, signal) => {
        signal?.throwIfAborted();
        this.sleeps.push(milliseconds);
        await new Promise(setImmediate);
      },
    };
    return new Waybill({ baseUrl: this.baseUrl, ...account, runtime, ...options });
  }

  paths(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#beforeBody?.(request, response)) return;
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece as Buffer);
    } catch {
      return; // the client disconnected before its request was complete
    }
    const path = (request.url ?? '').replace('/api/v1/', '');
    const seen = { method: request.method ?? '', path, headers: request.headers, body: Buffer.concat(pieces) };
    this.requests.push(seen);
    await this.#handler(seen, response, request);
  }
}

/** Responds with a problem of /api/v1. */
export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  more: { headers?: Record<string, string>; errors?: unknown[] } = {},
): void {
  response.writeHead(status, {
    'Content-Type': 'application/problem+json',
    'X-Request-Id': 'request-1',
    ...more.headers,
  });
  response.end(JSON.stringify({ title: code, status, code, detail: `This is ${code}.`, errors: more.errors }));
}

export function succeed(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}
