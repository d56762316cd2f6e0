/**
 * Runs in a network of its own (`own-network.ts`): the sender of webhooks as `work` uses it, a name server, and a
 * listener at every address there is. It sends what it is asked to, and responds with the outcome and the addresses to
 * which connections were made.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { PostOutcome, WebhookSender } from '../src/domain/ports/webhook-sender.ts';
import { webhookSender } from '../src/engines/outgoing/webhook-sender.ts';
import { startDns } from './servers/dns-server.ts';

export type EnclosedRequest = Parameters<WebhookSender['post']>;
export interface EnclosedResponse {
  readonly outcome: PostOutcome;
  readonly connectedTo: readonly string[];
}

const changing = ['8.8.8.8', '10.0.0.1'];
await startDns(
  {
    'public.test': { A: ['8.8.8.8'] },
    'loopback.test': { A: ['127.0.0.1'] },
    'loopback6.test': { AAAA: ['::1'] },
    'mapped.test': { AAAA: ['::ffff:127.0.0.1'] },
    'metadata.test': { A: ['169.254.169.254'] },
    'private.test': { A: ['10.0.0.1'] },
    'private6.test': { AAAA: ['fd00::1'] },
    'mixed.test': { A: ['8.8.8.8', '10.0.0.1'] },
    'mixed6.test': { A: ['8.8.8.8'], AAAA: ['fd00::1'] },
    'changing.test': {
      // Another address for each look-up but the last.
      get A() {
        return [(changing.length > 1 ? changing.shift() : changing[0]) as string];
      },
    },
  },
  53,
);

let connectedTo: string[] = [];
const listener = createServer((socket) => {
  connectedTo.push(ipaddr.process(socket.localAddress ?? '').toString());
  socket.on('error', () => undefined);
  socket.end('HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n');
}).listen(80, '::');
await once(listener, 'listening');

const sender = webhookSender({ allowed: [], allowHttp: true });
process.on('message', (request: EnclosedRequest) => void send(request));
process.send?.('ready');

async function send(request: EnclosedRequest): Promise<void> {
  connectedTo = [];
  const outcome = await sender.post(...request);
  process.send?.({ outcome, connectedTo } satisfies EnclosedResponse);
}
