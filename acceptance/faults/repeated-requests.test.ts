// A client that is impatient: it sends the same drop many times at once, through two servers.
import { expect, onTestFinished, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { V1Client } from '../lib/http/v1-client.ts';
import { ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';

const times = 50;

test(`the same drop, requested ${times} times at once through two servers, is one drop with one response`, async () => {
  const client = await freshClient('impatient');
  const one = new V1Client(client.account);
  const other = await ownServe({});
  onTestFinished(() => other.stop());
  const email = uniqueAddress('once');
  const request = {
    headers: { 'idempotency-key': 'at-once' },
    json: { uploads: [await one.upload('once.txt', 'once')], receivers: [{ email }] },
  };
  /** Repeats the request as long as the response has a Retry-After. */
  const requestThrough = (v1: V1Client) =>
    eventually('it gets a response', async () => {
      const response = await v1.ask('POST', '/drops', request);
      const text = await response.text();
      if (response.status === 201) return text;
      expect([response.status, JSON.parse(text).code], text).toEqual([409, 'request_in_flight']);
      return undefined;
    });
  const responses = await Promise.all(
    Array.from({ length: times }, (_, index) => requestThrough(index % 2 === 0 ? one : one.through(other.baseUrl))),
  );
  const [response, ...others] = new Set(responses);
  expect(others).toEqual([]);
  const { data } = await one.read<{ data: { id: string }[] }>('GET', '/drops');
  expect(data.map(({ id }) => id)).toEqual([JSON.parse(response ?? '').id]);
});
