import { expect, test } from 'vitest';
import { requestV1 } from '../../../test/request-v1.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { setAccountQuotas } from '../../domain/accounts/set-quotas.ts';

const { exchange, app } = await useTestServer();

async function send(key: string, receivers: number) {
  const file = { 'content-disposition': 'attachment; filename="a.txt"', 'content-type': 'text/plain' };
  const upload = await requestV1(app, 'POST', '/uploads', { key, body: Buffer.from('a'), headers: file });
  const body = {
    uploads: [upload.json().id],
    receivers: Array.from({ length: receivers }, (_, index) => ({ email: `r${index}@example.org` })),
  };
  const { status, headers } = await requestV1(app, 'POST', '/drops', { key, body });
  // The test does not know how far away midnight is.
  const left = String(headers['ratelimit']).replace(/t=\d+/g, (reset) => {
    expect(Number(reset.slice(2))).toBeGreaterThan(0);
    expect(Number(reset.slice(2))).toBeLessThanOrEqual(86_400);
    return 't';
  });
  return { status, headers, left };
}

test('a response tells what is left of the daily limits', async () => {
  const { accountId: id, apiKey } = await exchange.account();
  await setAccountQuotas(exchange.engines, { id }, { dropsPerDay: 5, mailsPerDay: 3 });
  const first = await send(apiKey, 2);
  expect([first.status, first.left]).toEqual([201, '"drops";r=4;t, "mails";r=1;t']);
  expect(first.headers['ratelimit-policy']).toBe('"drops";q=5;w=86400, "mails";q=3;w=86400');
  const second = await send(apiKey, 2);
  expect([second.status, second.left]).toEqual([429, '"drops";r=4;t, "mails";r=1;t']);
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
});

test('a response does not mention limits that are not set', async () => {
  const { accountId: id, apiKey } = await exchange.account();
  const unlimited = await send(apiKey, 1);
  expect([unlimited.status, unlimited.headers['ratelimit-policy']]).toEqual([201, undefined]);
  await setAccountQuotas(exchange.engines, { id }, { dropsPerDay: 2 });
  expect((await send(apiKey, 1)).left).toBe('"drops";r=0;t');
});
