import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { engineAddresses } from '../engine-addresses.ts';

const refusal = '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';

/**
 * The real store as a key without s3:ListBucket sees it at AWS: it refuses to read what is missing, so that nobody learns
 * what there is. Ceph does so only for keys of somebody else than the bucket's owner.
 */
export async function startStoreWithoutList(): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming;
    // The signature covers the header Host, so it stays.
    const forwarded = request(new URL(url ?? '/', engineAddresses.s3.endpoint), { method, headers }, (got) => {
      if (got.statusCode !== 404) {
        response.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(response);
        return;
      }
      got.resume();
      response.writeHead(403, { 'content-type': 'application/xml' }).end(method === 'HEAD' ? undefined : refusal);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
