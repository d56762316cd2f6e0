import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A store that refuses every call, as S3 servers do: with an error's code, and to HEAD with the status alone. */
export async function startRefusingStore(
  status: number,
  code: string,
): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(incoming.method === 'HEAD' ? undefined : `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
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
