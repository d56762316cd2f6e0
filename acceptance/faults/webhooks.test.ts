// Webhooks by real processes: events reach their receiver, also when the worker that sends them is killed, and none goes
// to an address inside.
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { python, pythonEnvironment } from '../../tools/shared/python.ts';
import { uniqueAddress } from '../lib/accounts.ts';
import { V1Client } from '../lib/http/v1-client.ts';
import { dispatch } from '../lib/scenario.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';

let exchange: OwnExchange;
beforeAll(async () => {
  exchange = await ownExchange({ settings: { WAYBILL_WEBHOOK_ALLOW: '127.0.0.1', WAYBILL_WEBHOOK_HTTP: 'allowed' } });
});
afterAll(() => exchange[Symbol.asyncDispose]());
afterEach(() => exchange.rest());

const slowly = { withinMs: 120_000 };

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function receiver() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(pieces).toString() });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function isSigned({ headers, body }: Received, secret: string): boolean {
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(content).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
}

/** Verifies a request with the client for Python, and returns the type of its event. */
function verifyInPython({ headers, body }: Received, secret: string): string {
  const program = 'import json, sys, waybill; print(waybill.verify_webhook(*json.load(sys.stdin))["type"])';
  const input = JSON.stringify([body, headers, secret]);
  return execFileSync(python, ['-c', program], { env: pythonEnvironment, input, encoding: 'utf8' });
}

test('an event is sent with a signature, and again if the worker was killed before it recorded that', {
  timeout: 180_000,
}, async () => {
  await using peer = await receiver();
  const client = await exchange.client('webhooks');
  const { secret } = await new V1Client(client.account, exchange.baseUrl).read<{ secret: string }>(
    'POST',
    '/webhooks',
    {
      json: { url: peer.url, types: ['drop.created'] },
    },
  );
  const doomed = await exchange.work({ WAYBILL_FAILPOINT: 'webhook:sent' });
  await dispatch(client, { to: [uniqueAddress('someone')], files: [{ name: 'a.txt', content: 'a' }] });
  expect(await doomed.ended).toBe('SIGKILL');
  expect(peer.received).toHaveLength(1);
  await exchange.advance(600);
  await exchange.sweep();
  const worker = await exchange.work();
  await eventually('it is sent again', async () => peer.received.length === 2 || undefined, slowly);
  await worker.stop();
  expect(new Set(peer.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  for (const request of peer.received) {
    expect(isSigned(request, secret)).toBe(true);
    expect(verifyInPython(request, secret)).toBe('drop.created\n');
    expect(JSON.parse(request.body)).toMatchObject({ type: 'drop.created', data: { receivers: 1, files: 1 } });
  }
});

test('a worker that does not allow the address does not connect to it', { timeout: 120_000 }, async () => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const v1 = new V1Client((await exchange.client('inside')).account, exchange.baseUrl);
  const { id } = await v1.read<{ id: string }>('POST', '/webhooks', { json: { url } });
  const worker = await exchange.work({ WAYBILL_WEBHOOK_ALLOW: '' });
  expect((await v1.ask('POST', `/webhooks/${id}/test`)).status).toBe(202);
  const [attempt] = await eventually(
    'it is tried',
    async () => {
      const { data } = await v1.read<{ data: { failure: string }[] }>('GET', `/webhooks/${id}/attempts`);
      return data.length > 0 ? data : undefined;
    },
    slowly,
  );
  await worker.stop();
  server.close();
  expect(attempt?.failure).toBe('url_not_allowed');
  expect(connections).toBe(0);
});
