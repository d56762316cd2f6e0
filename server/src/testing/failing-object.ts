import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { engineAddresses } from './engine-addresses.ts';

/** A proxy to the real store, which responds with 500 to every request that names one of the keys. */
export async function startFailingObjects(
  keys: ReadonlySet<string>,
): Promise<{ endpoint: string; isAway: boolean } & AsyncDisposable> {
  const target = new URL(engineAddresses.s3.endpoint);
  const server = createServer((incoming, outgoing) => {
    const named = [incoming.url, incoming.headers['x-amz-copy-source']].map((text) => decodeURIComponent(String(text)));
    if (proxy.isAway || [...keys].some((key) => named.some((text) => text.split('?')[0]?.endsWith(key)))) {
      incoming.resume();
      outgoing.writeHead(500, { 'content-type': 'application/xml' });
      outgoing.end('<Error><Code>InternalError</Code><Message>An object store that fails.</Message></Error>');
      return;
    }
    const { hostname: host, port } = target;
    const { method, url: path, headers } = incoming;
    // The host too is passed on: the signature covers it.
    const onward = request({ host, port, method, path, headers, agent: false });
    incoming.pipe(onward);
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Set by a test: then no request is passed on. */
    isAway: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
