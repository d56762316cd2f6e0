// docs/api.md#10-get-history (inbox) and docs/api.md#11-download-a-file: received files, and their bytes.
import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { assertCommonHeaders, assertErrorResponse } from '../lib/http/expect.ts';
import { type HttpResponse, header } from '../lib/http/response.ts';
import type { InboxEntry } from '../lib/http/shapes.ts';
import { deliver, dispatch, introduce, stage } from '../lib/scenario.ts';

const content = randomBytes(100_000);
let sender: Client;
let receiver: Client;
let entry: InboxEntry;

beforeAll(async () => {
  [sender, receiver] = await Promise.all([freshClient('sender'), freshClient('receiver')]);
  const files = [
    { name: 'photo.bin', content, type: 'text/html' },
    { name: 'tom fil – ü.txt', content: '' },
  ];
  entry = await deliver(sender, receiver, files, { desttime: 11 });
});

const download = (headers: Record<string, string> = {}): Promise<HttpResponse> =>
  receiver.download(entry.url, 'photo.bin', headers);

describe('the inbox', () => {
  test('has an entry for each drop sent to the address of the account, with the documented fields', async () => {
    expect(entry).toEqual({
      ttl: '11',
      createtime: expect.stringMatching(/^\d+$/),
      sender: sender.user,
      files: expect.any(Array),
      url: expect.stringMatching(/^[A-Za-z0-9_-]{8,}$/),
    });
    expect(entry.files.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'photo.bin', settings: '[]' },
      { name: 'tom fil – ü.txt', settings: '[]' },
    ]);
    expect(Math.abs(Number(entry.createtime) - Date.now() / 1000)).toBeLessThan(600);
  });

  test('has nothing that was sent to others, and the sender gets no entry', async () => {
    const [from, to, bystander] = await Promise.all([freshClient('from'), freshClient('to'), freshClient('bystander')]);
    await deliver(from, to, [{ name: 'a.txt', content: 'a' }]);
    expect((await from.readHistory()).inbox).toEqual([]);
    expect((await bystander.readHistory()).inbox).toEqual([]);
  });

  test('gets no entry when an account sends to its own address', async () => {
    const client = await freshClient('self');
    await dispatch(client, { to: [client.user], files: [{ name: 'a.txt', content: 'a' }] });
    const { history, inbox } = await client.readHistory();
    expect(history).toHaveLength(1);
    expect(inbox).toEqual([]);
  });

  test('gets one entry per drop, and two drops with the same file have bytes of their own', async () => {
    const [from, to] = await Promise.all([freshClient('from'), freshClient('to')]);
    const first = await deliver(from, to, [{ name: 'same.txt', content: 'first' }]);
    const second = await deliver(from, to, [{ name: 'same.txt', content: 'second' }]);
    expect(first.url).not.toBe(second.url);
    expect((await to.download(first.url, 'same.txt')).body.toString()).toBe('first');
    expect((await to.download(second.url, 'same.txt')).body.toString()).toBe('second');
  });

  test('gets nothing before the drop is created', async () => {
    const [from, to] = await Promise.all([freshClient('from'), freshClient('to')]);
    await introduce(from, [to.user]);
    await stage(from, { to: [to.user], files: [{ name: 'a.txt', content: 'a' }] });
    expect((await to.readHistory()).inbox).toEqual([]);
    succeeded(await from.createDrop({}));
    expect((await to.readHistory()).inbox).toHaveLength(1);
  });
});

describe('a download', () => {
  test('is the data of the file, as an attachment that no browser will show', async () => {
    const response = await download();
    expect(response.status).toBe(200);
    expect(response.body.equals(content)).toBe(true);
    expect(header(response, 'Content-Type')).toBe('application/octet-stream');
    expect(header(response, 'Content-Length')).toBe(String(content.length));
    expect(header(response, 'Content-Disposition')).toMatch(/^attachment; filename="?photo\.bin"?$/);
    expect(header(response, 'Content-Security-Policy')).toBe("sandbox; default-src 'none'");
    expect(header(response, 'Accept-Ranges')).toBe('bytes');
    assertCommonHeaders(response);
  });

  test('names a file outside ASCII by filename*', async () => {
    const response = await receiver.download(entry.url, 'tom fil – ü.txt');
    expect(response.status).toBe(200);
    expect(response.body).toHaveLength(0);
    const encoded = 'tom%20fil%20%E2%80%93%20%C3%BC.txt';
    expect(header(response, 'Content-Disposition')?.toLowerCase()).toContain(
      `filename*=utf-8''${encoded}`.toLowerCase(),
    );
  });

  test('finds a decomposed name as the composed one', async () => {
    const response = await receiver.download(entry.url, 'tom fil – u\u0308.txt');
    expect(response.status).toBe(200);
  });

  test('carries a strong ETag and the digest of the whole file', async () => {
    const response = await download();
    const digest = createHash('sha256').update(content).digest('base64');
    expect(header(response, 'Repr-Digest')).toBe(`sha-256=:${digest}:`);
    expect(header(response, 'ETag')).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(header(await download(), 'ETag')).toBe(header(response, 'ETag'));
  });

  test('can be asked about with HEAD', async () => {
    const [whole, head] = [await download(), await receiver.call('HEAD', `${entry.url}/files/photo.bin`)];
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    for (const name of [
      'Content-Type',
      'Content-Length',
      'ETag',
      'Repr-Digest',
      'Accept-Ranges',
      'Content-Disposition',
    ]) {
      expect([name, header(head, name)]).toEqual([name, header(whole, name)]);
    }
  });

  test('can be repeated', async () => {
    for (let i = 0; i < 3; i++) expect((await download()).body.equals(content)).toBe(true);
  });

  test('of a drop or a file that is not there returns 404', async () => {
    assertErrorResponse(await receiver.download('no-such-drop', 'photo.bin'), 404, 'not_found');
    assertErrorResponse(await receiver.download(entry.url, 'no-such-file.bin'), 404, 'not_found');
    assertErrorResponse(await receiver.download(entry.url, 'PHOTO.bin'), 404, 'not_found');
    assertErrorResponse(await receiver.get(`${entry.url}/photo.bin`), 404, 'not_found');
  });

  test('is for the account it was sent to, and to everybody else as if it were not there', async () => {
    const stranger = await freshClient('stranger');
    assertErrorResponse(await stranger.download(entry.url, 'photo.bin'), 404, 'not_found');
    assertErrorResponse(await sender.download(entry.url, 'photo.bin'), 404, 'not_found');
    const crossing = await stranger.plain('GET', `/${receiver.user}/${entry.url}/files/photo.bin`, {
      headers: { 'CSRF-Token': await stranger.token() },
    });
    assertErrorResponse(crossing, 403, 'wrong_account');
  });

  test('demands a valid CSRF token', async () => {
    const response = await receiver.plain('GET', `/${receiver.user}/${entry.url}/files/photo.bin`);
    assertErrorResponse(response, 403, 'csrf_rejected');
  });
});
