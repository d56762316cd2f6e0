// "Trying a webhook on your own machine" in docs/api-v1.md: an integrator's receiver on loopback.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { verifyWebhook, Waybill, type WebhookEvent } from '../../client/src/index.ts';
import { createAccount, uniqueAddress } from '../lib/accounts.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

interface Attempt {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

test('retries, signatures, a new secret and a replay can be seen on the machine of the demo', async () => {
  const attempts: Attempt[] = [];
  const statuses = [500];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    attempts.push({ headers: request.headers, body: await buffer(request) });
    response.writeHead(statuses.shift() ?? 204).end();
  };
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const account = await createAccount();
  const client = new Waybill({ baseUrl: demo().base_url, ...account });
  const read = async (number: number, keys: string | string[]): Promise<WebhookEvent> => {
    return verifyWebhook(await eventually(`attempt ${number}`, async () => attempts[number - 1]), keys);
  };
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { id, secret } = await client.webhooks.create({ url, types: ['contact.changed'] });
    const began = new Date();
    await client.contacts.put(uniqueAddress(), {});
    const first = await read(1, secret);
    expect(await read(2, secret)).toEqual(first);
    const { data: events } = await client.events.list();
    expect(events).toContainEqual(first);

    const { secret: newSecret } = await client.webhooks.replaceSecret(id);
    expect(await client.webhooks.replay(id, { since: began.toISOString() })).toEqual({ event_count: 1 });
    expect(await read(3, newSecret)).toEqual(first);
    expect(await read(3, secret)).toEqual(first);

    await client.webhooks.disable(id);
    await client.contacts.put(uniqueAddress(), {});
    await client.webhooks.enable(id);
    const { event_id: testId } = await client.webhooks.test(id);
    expect(await read(4, newSecret)).toMatchObject({ id: testId, type: 'webhook.test', data: { webhook_id: id } });
  } finally {
    server.close();
    server.closeAllConnections();
    client.close();
  }
});
