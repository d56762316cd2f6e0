// The server's description of the machine API. Every response in the suite is compared with it: lib/contract.ts.
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { assertDescribed } from '../lib/http/contract.ts';
import { request } from '../lib/http/request.ts';
import { json } from '../lib/http/response.ts';
import { demo } from '../lib/servers/running-demo.ts';

test('anyone can read the description', async () => {
  const response = await request(demo().base_url, 'GET', '/openapi.json', {
    headers: { Host: new URL(demo().base_url).host },
  });
  expect(response.status).toBe(200);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  const document = json<{ openapi: string; paths: object }>(response);
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths)).toHaveLength(12);
});

test('a response that does not match the description fails the test', async () => {
  const client = await freshClient('described');
  const response = await client.contacts();
  const path = `/${client.user}/cgi/contacts_read.cgi`;
  await assertDescribed('GET', path, response);
  await expect(assertDescribed('GET', path, { ...response, status: 418 })).rejects.toThrow('not described');
  const body = Buffer.from('{"local":[{"email":1}],"global":[]}');
  await expect(assertDescribed('GET', path, { ...response, body })).rejects.toThrow('in another shape');
  const headers = { ...response.headers, 'content-type': 'text/html' };
  await expect(assertDescribed('GET', path, { ...response, headers })).rejects.toThrow('as text/html');
  const refused = await client.contacts({ 'CSRF-Token': 'x'.repeat(43) });
  expect(refused.status).toBe(403);
  const other = Buffer.from('{"status":"error","code":"infected","message":"x"}');
  await expect(assertDescribed('GET', path, { ...refused, body: other })).rejects.toThrow('in another shape');
});
