// Webhooks whose URLs lead inside, in a network in which those addresses exist and somebody listens there: a request
// that is not refused is seen as a connection.
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EnclosedRequest, EnclosedResponse } from '../../../test/enclosed-sender.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { requestV1 } from '../../../test/request-v1.ts';
import { buildTestServer } from '../../../test/server.ts';
import { type OwnNetwork, startInOwnNetwork } from '../../../test/servers/own-network.ts';
import type { WebhookSender } from '../../domain/ports/webhook-sender.ts';
import { deliverEvents } from '../../domain/webhooks/deliver-events.ts';

const exchange = await useTestExchange();
const enclosedSender = new URL('../../../test/enclosed-sender.ts', import.meta.url).pathname;
const addresses = ['8.8.8.8/32', '10.0.0.1/32', '169.254.169.254/32', 'fd00::1/128'];

let network: OwnNetwork<EnclosedRequest, EnclosedResponse>;
let app: FastifyInstance;
let connectedTo: readonly string[];
const sender: WebhookSender = {
  // As if the URL had been allowed when the webhook was created.
  objection: () => undefined,
  async post(...request) {
    const response = await network.ask(request);
    connectedTo = response.connectedTo;
    return response.outcome;
  },
};
beforeAll(async () => {
  network = await startInOwnNetwork(enclosedSender, addresses);
  app = buildTestServer(exchange, { webhookSender: sender });
});
afterAll(async () => {
  await app.close();
  await network[Symbol.asyncDispose]();
});

/** Creates a webhook, and sends it events. What the account reads about each, and the connections that were made. */
async function attemptsAt(url: string, count = 1) {
  const { accountId, apiKey: key } = await exchange.account();
  const created = await requestV1(app, 'POST', '/webhooks', { key, body: { url } });
  const { id } = created.json();
  const connections: (readonly string[])[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    await requestV1(app, 'POST', `/webhooks/${id}/test`, { key });
    await deliverEvents({ ...exchange.engines, webhookSender: sender }, accountId, id);
    connections.push(connectedTo);
  }
  const { data } = (await requestV1(app, 'GET', `/webhooks/${id}/attempts`, { key })).json();
  const logged = data.map(({ status, failure }: { status: number; failure: string }) => failure ?? status);
  return { logged: logged.toReversed(), connections };
}

test('a receiver on the Internet is reached, and its redirect to an address inside is not followed', async () => {
  const expected = { logged: [302], connections: [['8.8.8.8']] };
  expect(await attemptsAt('http://8.8.8.8/')).toEqual(expected);
  expect(await attemptsAt('http://public.test/')).toEqual(expected);
});

test.each([
  'http://127.0.0.1/',
  'http://127.1.2.3/',
  'http://2130706433/',
  'http://0.0.0.0/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'http://[fd00::1]/',
])('no connection is made to %s', async (url) => {
  expect(await attemptsAt(url)).toEqual({ logged: ['url_not_allowed'], connections: [[]] });
});

test.each(['loopback', 'loopback6', 'mapped', 'metadata', 'private', 'private6', 'mixed', 'mixed6'])(
  'no connection is made to %s.test, a name that resolves to an address inside',
  async (name) => {
    expect(await attemptsAt(`http://${name}.test/`)).toEqual({ logged: ['no_public_address'], connections: [[]] });
  },
);

test('a name whose address changes after the look-up leads to the one that was checked, and later nowhere', async () => {
  expect(await attemptsAt('http://changing.test/', 2)).toEqual({
    logged: [302, 'no_public_address'],
    connections: [['8.8.8.8'], []],
  });
});
