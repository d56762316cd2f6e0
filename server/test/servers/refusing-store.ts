import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

type Store = { readonly endpoint: string } & AsyncDisposable;

/** A store that refuses every call, as S3 servers do: with an error's code, and to HEAD with the status alone. */
export async function startRefusingStore(status: number, code: string): Promise<Store> {
  return startStore((incoming, response) => {
    incoming.resume();
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(incoming.method === 'HEAD' ? undefined : `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
  });
}

/** A store that accepts every call, but is silent after those with this method, or responds with this status. */
export async function startTroubledStore(method: string, trouble: number | 'silent'): Promise<Store> {
  return startStore((incoming, response) => {
    incoming.resume();
    if (incoming.method !== method) response.writeHead(200).end();
    else if (trouble !== 'silent') response.writeHead(trouble).end('<Error><Code>SlowDown</Code></Error>');
  });
}

async function startStore(respond: RequestListener): Promise<Store> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
