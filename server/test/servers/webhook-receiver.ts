import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../../src/http/server/tls.ts';

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** A receiver on this machine that responds as the test says. */
export async function startReceiver(
  reply: (response: ServerResponse, request: ReceivedRequest) => void = (response) => response.writeHead(204).end(),
  certificate?: Certificate,
): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const receive: RequestListener = (incoming, response) => {
    const { method, url, headers } = incoming;
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const request = { method, url, headers, body: Buffer.concat(pieces).toString() };
      requests.push(request);
      reply(response, request);
    });
  };
  const server = certificate ? createTlsServer(certificate, receive) : createServer(receive);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook?a=b`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
