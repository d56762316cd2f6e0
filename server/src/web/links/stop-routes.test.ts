import { afterAll, describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { type SentLink, sentLink } from '../../../test/links.ts';
import { buildTestServer, testHost as host, postForm } from '../../../test/server.ts';
import type { Policy } from '../../domain/policy.ts';

const exchange = await useTestExchange();
const serverWith = (policy: Policy) => buildTestServer(exchange, { policy });
const app = serverWith(exchange.engines.policy);
afterAll(() => app.close());

const get = (url: string, on = app) => on.inject({ url, headers: { host } });
const post = (url: string, payload: string, headers = {}) => postForm(app, url, payload, headers);
const press = (url: string) => post(url, 'gesture=pressed');

/** Sends a drop, and returns the path of the stop link in its mail. */
async function sendDrop(): Promise<SentLink & { url: string }> {
  const link = await sentLink(exchange, ['a.txt']);
  const [message] = await exchange.database.query<{ id: string }>('select id from messages where drop_id = $1', [
    link.dropId,
  ]);
  return { ...link, url: new URL(exchange.engines.stopLinks.toUrl(message?.id ?? '')).pathname };
}
const isStopped = async ({ sender }: SentLink) =>
  (await exchange.engines.store.stops.page(sender.accountId, '', 1)).length === 1;
const reports = async ({ dropId }: SentLink) =>
  (await exchange.database.query("select from messages where drop_id = $1 and kind = 'report'", [dropId])).length;

describe('the page behind a stop link', () => {
  test('says who the sender is, and visiting it changes nothing', async () => {
    const drop = await sendDrop();
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await app.inject({ method, url: drop.url, headers: { host } });
      expect(response.statusCode).toBe(200);
    }
    const { body } = await get(drop.url);
    for (const said of [drop.sender.email, 'r@example.org', 'will be told', 'Stop messages', 'Report the sender']) {
      expect(body.replaceAll('<wbr/>', '')).toContain(said);
    }
    expect(body).not.toContain(drop.link.message);
    expect(await isStopped(drop)).toBe(false);
    expect(await reports(drop)).toBe(0);
  });

  test('stops the sender, and can allow the sender again', async () => {
    const drop = await sendDrop();
    const response = await press(`${drop.url}/stop?lang=sv`);
    expect(response.statusCode).toBe(303);
    expect(response.headers.location).toBe(`${drop.url}?lang=sv`);
    expect(await isStopped(drop)).toBe(true);
    const { body } = await get(drop.url);
    expect(body).toContain('You have stopped messages from ');
    expect(body).not.toContain(`${drop.url}/stop`);
    expect((await press(`${drop.url}/resume`)).statusCode).toBe(303);
    expect(await isStopped(drop)).toBe(false);
  });

  test('reports the sender once', async () => {
    const drop = await sendDrop();
    for (let time = 0; time < 2; time += 1) expect((await press(`${drop.url}/report`)).statusCode).toBe(303);
    expect(await reports(drop)).toBe(1);
    const { body } = await get(drop.url);
    expect(body).toContain('You have reported this sender');
    expect(body).not.toContain(`${drop.url}/report`);
  });

  test('offers no report if the operator has no address for reports', async () => {
    const drop = await sendDrop();
    const without = serverWith({ ...exchange.engines.policy, supportAddress: undefined });
    expect((await get(drop.url, without)).body).not.toContain('Report');
    await without.close();
  });

  test.each([
    ['a scanner that posts forms', 'gesture=script', {}],
    ['a form of another site', 'gesture=pressed', { 'sec-fetch-site': 'cross-site' }],
  ])('does nothing for %s', async (_who, payload, headers) => {
    const drop = await sendDrop();
    for (const choice of ['stop', 'report']) await post(`${drop.url}/${choice}`, payload, headers);
    expect(await isStopped(drop)).toBe(false);
    expect(await reports(drop)).toBe(0);
  });

  test('asks for a word if the browser cannot show that a person pressed the button', async () => {
    const drop = await sendDrop();
    expect((await post(`${drop.url}/stop`, 'gesture=')).body).toContain('Confirm that it’s you');
    expect(await isStopped(drop)).toBe(false);
    expect((await post(`${drop.url}/stop`, 'word=open')).statusCode).toBe(303);
    expect(await isStopped(drop)).toBe(true);
  });

  test.each(['/m/x', `/m/${'A'.repeat(43)}`])('does not exist at %s', async (url) => {
    expect((await get(url)).statusCode).toBe(404);
    expect((await press(`${url}/stop`)).statusCode).toBe(404);
  });

  test('gives access to nothing else, and no link of a drop opens it', async () => {
    const drop = await sendDrop();
    const token = drop.url.slice('/m/'.length);
    for (const url of [`/d/${token}`, `/u/${token}`, `/m/${drop.token}`]) {
      expect((await get(url)).statusCode).toBe(404);
    }
  });
});

describe('a mail program’s own button (RFC 8058)', () => {
  const boundary = 'a-boundary';
  const multipart = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--${boundary}--\r\n`;
  const asMultipart = { 'content-type': `multipart/form-data; boundary=${boundary}` };

  test.each([
    ['an encoded form', 'List-Unsubscribe=One-Click', {}],
    ['a multipart form', multipart('List-Unsubscribe', 'One-Click'), asMultipart],
  ])('stops the sender with one request, as %s', async (_what, payload, headers) => {
    const drop = await sendDrop();
    const response = await post(drop.url, payload, headers);
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('You have stopped messages from ');
    expect(await isStopped(drop)).toBe(true);
    expect(await reports(drop)).toBe(0);
  });

  test.each([
    ['something else', 'List-Unsubscribe=Maybe', {}, 200],
    ['a field of another name', multipart('x', 'One-Click'), asMultipart, 200],
    ['no form', multipart('List-Unsubscribe', 'One-Click').slice(0, 40), asMultipart, 400],
    ['too much', multipart('x', 'x'.repeat(17_000)), asMultipart, 413],
  ])('does nothing when it sends %s', async (_what, payload, headers, status) => {
    const drop = await sendDrop();
    expect((await post(drop.url, payload, headers)).statusCode).toBe(status);
    expect(await isStopped(drop)).toBe(false);
  });
});
