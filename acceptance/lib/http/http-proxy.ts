import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Treatment of a request on its way. `refuse` is a 503 and `limit` a 429 that the server never sees; `lose` lets the
 * server carry it out and loses the response; `cutAfter` cuts the response off there; `flipAt` changes one bit of that
 * byte; `delayMs` passes it on later.
 */
export type Fate =
  | 'pass'
  | 'refuse'
  | 'limit'
  | 'lose'
  | { readonly cutAfter: number }
  | { readonly flipAt: number }
  | { readonly delayMs: number };

export interface HttpProxy extends AsyncDisposable {
  readonly baseUrl: string;
  readonly port: number;
  /** The number of requests with a fate other than `pass`. */
  troubles: number;
}

interface Refusal {
  readonly contentType: string;
  readonly body: (code: string) => string;
}

/** In the server's own format, so that a client believes that the server sent it. */
const refusals = {
  waybill: {
    contentType: 'application/json',
    body: (code) => JSON.stringify({ status: 'error', code, message: 'In between.' }),
  },
  s3: {
    contentType: 'application/xml',
    body: () => '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>In between.</Message></Error>',
  },
} satisfies Record<string, Refusal>;

/** A proxy in front of a Waybill or an S3 server, which treats each request as `choose` says. */
export async function httpProxy(
  kind: keyof typeof refusals,
  target: string,
  choose: (request: IncomingMessage) => Fate,
): Promise<HttpProxy> {
  const server = createServer((incoming, outgoing) => {
    const fate = choose(incoming);
    // Cuts and flips are counted when they happen, because the response may be shorter.
    const count = () => (proxy.troubles += 1);
    const pass = (how: Carried['fate']) =>
      carry({ target, keepHost: kind === 's3', incoming, outgoing, fate: how, count });
    if (fate === 'refuse') refuse(incoming, outgoing, 503, 'unavailable', refusals[kind]);
    else if (fate === 'limit') refuse(incoming, outgoing, 429, 'too_many_requests', refusals[kind]);
    else if (typeof fate === 'object' && 'delayMs' in fate) setTimeout(() => pass('pass'), fate.delayMs);
    else pass(fate);
    if (typeof fate === 'string' && fate !== 'pass') count();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy: HttpProxy = {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    troubles: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  code: string,
  refusal: Refusal,
): void {
  incoming.resume();
  outgoing.writeHead(status, { 'Retry-After': '0', 'Content-Type': refusal.contentType });
  outgoing.end(refusal.body(code));
}

interface Carried {
  target: string;
  /** An S3 client's signature covers the host. */
  keepHost: boolean;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  fate: Exclude<Fate, 'refuse' | 'limit' | { readonly delayMs: number }>;
  count: () => void;
}

function carry({ target, keepHost, incoming, outgoing, fate, count }: Carried): void {
  const url = new URL(target);
  const onward = httpRequest({
    host: url.hostname,
    port: url.port,
    path: incoming.url ?? '/',
    method: incoming.method ?? 'GET',
    headers: keepHost ? incoming.headers : { ...incoming.headers, host: url.host },
    agent: false,
  });
  incoming.pipe(onward);
  incoming.on('error', () => onward.destroy());
  outgoing.on('close', () => onward.destroy());
  onward.on('error', () => outgoing.destroy());
  onward.on('response', (response) => {
    if (fate === 'lose') {
      response.resume().on('end', () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.on('error', () => outgoing.destroy());
    if (typeof fate === 'object') spoil(response, outgoing, fate, count);
    else response.pipe(outgoing);
  });
}

function spoil(
  response: IncomingMessage,
  outgoing: ServerResponse,
  fate: { cutAfter: number } | { flipAt: number },
  count: () => void,
): void {
  let carried = 0;
  const cutAt = 'cutAfter' in fate ? fate.cutAfter : Number.POSITIVE_INFINITY;
  const flipAt = 'flipAt' in fate ? fate.flipAt : -1;
  response.on('data', (bytes: Buffer) => {
    const from = carried;
    carried += bytes.length;
    if (flipAt >= from && flipAt < carried) {
      bytes.writeUInt8(bytes.readUInt8(flipAt - from) ^ 1, flipAt - from);
      count();
    }
    if (carried <= cutAt) {
      if (!outgoing.write(bytes)) {
        response.pause();
        outgoing.once('drain', () => response.resume());
      }
      return;
    }
    response.pause().removeAllListeners('data');
    count();
    outgoing.write(bytes.subarray(0, cutAt - from), () => outgoing.destroy());
  });
  response.on('end', () => outgoing.end());
}
