import { expect, test } from 'vitest';
import { fileRequest, ids, startExampleServer } from '../testing/example-server.ts';

test('a request is created with the given options and idempotency key', async () => {
  await using server = await startExampleServer();
  const client = server.client();
  const options = { to: ['a@example.org', { email: 'b@example.org', language: 'sv' }], days: 1, idempotencyKey: 'key' };
  expect(await client.request({ ...options, notify: false, reusable: true, externalId: 'may' })).toMatchObject({
    reference: fileRequest.reference,
  });
  const [made] = server.requests;
  expect(made?.headers['idempotency-key']).toBe('key');
  expect(JSON.parse(String(made?.body))).toEqual({
    receivers: [{ email: 'a@example.org' }, { email: 'b@example.org', language: 'sv' }],
    expires_in: 86_400,
    notify: false,
    external_id: 'may',
    reusable: true,
  });
  await expect(client.request({ to: [] })).rejects.toMatchObject({ code: 'no_receivers' });
  expect(server.requests).toHaveLength(1);
});

test('requests have the same operations as drops', async () => {
  const posted = Object.fromEntries(
    ['revoke', 'extend', 'remind', 'receivers', 'receivers/1/resend', 'receivers/1/revoke'].map((action) => [
      `POST requests/ID/${action}`,
      {},
    ]),
  );
  await using server = await startExampleServer(posted);
  const { requests } = server.client();
  await requests.check({ receivers: [{ email: 'a@example.org' }] });
  await requests.get(ids.request);
  await requests.revoke(ids.request);
  await requests.revokeReceiver(ids.request, 1);
  await requests.extend(ids.request, { expires_in: 60 });
  await requests.remind(ids.request);
  await requests.addReceiver(ids.request, { email: 'c@example.org' });
  await requests.resend(ids.request, 1);
  expect(server.requests.map(({ method, path, body }) => `${method} ${path} ${body.toString()}`.trim())).toEqual([
    'POST requests/check {"receivers":[{"email":"a@example.org"}]}',
    `GET requests/${ids.request}`,
    `POST requests/${ids.request}/revoke`,
    `POST requests/${ids.request}/receivers/1/revoke`,
    `POST requests/${ids.request}/extend {"expires_in":60}`,
    `POST requests/${ids.request}/remind`,
    `POST requests/${ids.request}/receivers {"email":"c@example.org"}`,
    `POST requests/${ids.request}/receivers/1/resend`,
  ]);
});
