import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request on its way. `lose` lets it be carried out and loses the answer; a number cuts the answer there. */
export type Fate = 'pass' | 'refuse' | 'limit' | 'lose' | number;

export interface Way extends AsyncDisposable {
  baseUrl: string;
  /** How often it has made trouble. */
  troubles: number;
}

/** A proxy of ours before the server, which does to each request what `choose` says. */
export async function troubledWay(target: string, choose: (request: IncomingMessage) => Fate): Promise<Way> {
  const server = createServer((incoming, outgoing) => {
    const fate = choose(incoming);
    if (fate === 'refuse') refuse(incoming, outgoing, 503, 'unavailable');
    else if (fate === 'limit') refuse(incoming, outgoing, 429, 'too_many_requests');
    else carry(target, incoming, outgoing, fate);
    // A cut counts when it is made.
    if (typeof fate === 'string' && fate !== 'pass') way.troubles += 1;
    if (typeof fate === 'number') outgoing.once('cut', () => (way.troubles += 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const way: Way = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    troubles: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return way;
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, status: number, code: string): void {
  incoming.resume();
  outgoing.writeHead(status, { 'Retry-After': '0', 'Content-Type': 'application/json' });
  outgoing.end(JSON.stringify({ status: 'error', code, message: 'In between.' }));
}

function carry(target: string, incoming: IncomingMessage, outgoing: ServerResponse, fate: Fate): void {
  const onward = httpRequest(new URL(incoming.url ?? '/', target), {
    method: incoming.method ?? 'GET',
    headers: { ...incoming.headers, host: new URL(target).host },
    agent: false,
  });
  incoming.pipe(onward);
  incoming.on('error', () => onward.destroy());
  outgoing.on('close', () => onward.destroy());
  onward.on('error', () => outgoing.destroy());
  onward.on('response', (answer) => {
    if (fate === 'lose') {
      answer.resume().on('end', () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => outgoing.destroy());
    answer.pipe(outgoing);
    if (typeof fate === 'number') cutAfter(answer, outgoing, fate);
  });
}

function cutAfter(answer: IncomingMessage, outgoing: ServerResponse, mostBytes: number): void {
  let carried = 0;
  answer.on('data', (bytes: Buffer) => {
    carried += bytes.length;
    if (carried <= mostBytes || outgoing.destroyed) return;
    outgoing.emit('cut');
    outgoing.destroy();
  });
}
