// Failures are limited per address: guessing is slowed down, and a client with the right key is not locked out. The
// test has its own process and address, because the limit would affect every other test on this machine.
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../lib/accounts.ts';
import { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';

const allowed = 300;
let serve: OwnServe;

beforeAll(async () => {
  serve = await ownServe({});
});

afterAll(async () => {
  await serve?.stop();
});

/** All of 127.0.0.0/8 is this machine; a random address has not failed before, in this run or the last. */
const loopbackAddress = () => `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;

test('after 300 failures from an address, guesses get 429, and the right key still works', async () => {
  const account = await createAccount('guessed');
  const options = { baseUrl: serve.baseUrl, localAddress: loopbackAddress() };
  const right = new Client(account, options);
  const guess = (headers: Record<string, string> = {}) =>
    new Client({ ...account, apiKey: 'wb_guess' }, options).plain('GET', `/${account.user}/`, { headers });

  let refusals = 0;
  // The counting window may change once during the test, which would allow the same number again.
  while (refusals <= 2 * allowed) {
    const responses = await Promise.all(Array.from({ length: 10 }, () => guess()));
    for (const response of responses.filter(({ status }) => status !== 429))
      assertErrorResponse(response, 401, 'unauthorized');
    refusals += responses.filter(({ status }) => status === 401).length;
    if (responses.some(({ status }) => status === 429)) break;
  }
  expect(refusals).toBeGreaterThanOrEqual(allowed);
  expect(refusals).toBeLessThanOrEqual(2 * allowed);

  assertErrorResponse(await guess(), 429, 'too_many_requests');
  // An address that the attacker merely claims to have does not count.
  assertErrorResponse(await guess({ 'X-Forwarded-For': '203.0.113.7' }), 429, 'too_many_requests');
  expect((await right.index()).status).toBe(200);
  expect((await right.contacts()).status).toBe(200);

  const elsewhere = new Client({ ...account, apiKey: 'wb_guess' }, { ...options, localAddress: loopbackAddress() });
  assertErrorResponse(await elsewhere.index(), 401, 'unauthorized');
});
