// The wire of the machine API, byte for byte: a fixed conversation is compared with its record. A change of the record
// is a change of the contract. `WAYBILL_RECORD=1 npm run acceptance -- acceptance/spec/recorded-exchanges.test.ts`
// writes it anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eicar } from '../../tools/shared/eicar.ts';
import { freshClient } from '../lib/accounts.ts';
import { basic, type Client } from '../lib/http/client.ts';
import { multipart, uploadParts } from '../lib/http/multipart.ts';
import type { RequestOptions } from '../lib/http/request.ts';
import { type HttpResponse, text } from '../lib/http/response.ts';
import { demo } from '../lib/servers/running-demo.ts';

const record = new URL('recorded-exchanges.txt', import.meta.url);
const boundary = '------------------------recorded';

/** Replaces what differs from one run to the next. */
class Names {
  readonly #known: [value: string, name: string][] = [];

  add(value: string, name: string): void {
    this.#known.push([value, name], [encodeURIComponent(value), name]);
  }

  apply(exchanged: string): string {
    return this.#known
      .reduce((result, [value, name]) => result.replaceAll(value, name), exchanged)
      .replace(/"(create_?time)":"\d{10}"/g, '"$1":"{seconds}"')
      .replace(/^(> authorization: basic) .+$/gim, '$1 {wrong}')
      .replace(/^(date|x-request-id|etag|contacts-version): .+$/gim, '$1: {varies}')
      .replace(/\/assets\/[A-Za-z0-9._-]+/g, '/assets/{name}');
  }
}

class Recorder {
  readonly names = new Names();
  readonly exchanges: string[] = [];

  async send(client: Client, method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const response = await client.plain(method, path, options);
    const sent = Object.entries(options.headers ?? {}).map(([name, value]) => `> ${name}: ${value}`);
    const received = response.headerLines.map(([name, value]) => `${name}: ${value}`);
    this.exchanges.push(
      [`> ${method} ${path}`, ...sent, `${response.status}`, ...received, '', text(response)].join('\n'),
    );
    return response;
  }
}

test('a fixed conversation is as it was recorded', async () => {
  const recorder = new Recorder();
  const { names } = recorder;
  const [sender, receiver] = await Promise.all([freshClient('recorded'), freshClient('recorded')]);
  names.add(sender.user, '{sender}');
  names.add(receiver.user, '{receiver}');
  names.add(new URL(demo().base_url).host, '{host}');
  const tokens = new Map<Client, string>();
  const under = (client: Client, path: string) => `/${client.user}/${path}`;
  const call = (client: Client, method: string, path: string, options: RequestOptions = {}) =>
    recorder.send(client, method, under(client, path), {
      ...options,
      headers: { 'CSRF-Token': tokens.get(client) ?? '', ...options.headers },
    });
  const post = (client: Client, path: string, body: unknown, headers: Record<string, string> = {}) =>
    call(client, 'POST', path, {
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const upload = (...files: { name: string; content: string; type?: string }[]) => {
    const { body } = multipart(uploadParts(files), boundary);
    return call(sender, 'POST', 'cgi/upload.cgi', {
      headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
      body,
    });
  };

  for (const client of [sender, receiver]) {
    const page = await recorder.send(client, 'GET', under(client, ''));
    const [, token = ''] = /name="csrftoken" value="([^"]+)"/.exec(text(page)) ?? [];
    expect(token).not.toBe('');
    names.add(token, '{token}');
    tokens.set(client, token);
  }

  // Without rights.
  await recorder.send(sender, 'GET', under(sender, ''), { headers: { Authorization: basic(sender.user, 'wrong') } });
  await recorder.send(sender, 'GET', under(receiver, ''));
  await recorder.send(sender, 'GET', under(sender, 'cgi/contacts_read.cgi'));
  await call(sender, 'GET', 'cgi/contacts_read.cgi', { headers: { 'CSRF-Token': 'wrong' } });
  await call(sender, 'GET', 'cgi/no_such.cgi');
  await call(sender, 'POST', 'cgi/contacts_read.cgi', { body: '' });

  // Contacts and receivers.
  const contact = { email: receiver.user, number: '46700000009', language: 'en', groups: ['a', 'b'], nick: 'Ada' };
  await call(sender, 'GET', 'cgi/contacts_read.cgi');
  await post(sender, 'cgi/receivers_set.cgi', [{ email: receiver.user }]);
  await post(sender, 'cgi/contacts_add.cgi', [contact, { email: 'ben@example.org' }]);
  await post(sender, 'cgi/contacts_add.cgi', [contact]);
  await post(sender, 'cgi/contacts_add.cgi', [{ email: 'not an address' }]);
  await post(sender, 'cgi/contacts_add.cgi', [{ email: 'ada@example.org', number: '12' }]);
  await post(sender, 'cgi/contacts_add.cgi', '{');
  await post(sender, 'cgi/contacts_add.cgi', { email: 'ada@example.org' });
  await post(sender, 'cgi/contacts_add.cgi', '[]', { 'Content-Type': 'text/plain' });
  await call(sender, 'GET', 'cgi/contacts_read.cgi');
  await post(sender, 'cgi/createdrop.cgi', { desttime: 1, ddmessage: '' });
  await post(sender, 'cgi/receivers_set.cgi', [contact]);

  // Files.
  await upload({ name: 'early.txt', content: 'early' });
  await call(sender, 'GET', 'cgi/get_files.cgi');
  await upload(
    { name: 'smörgås.txt', content: 'ö'.repeat(600), type: 'text/plain' },
    { name: 'b.bin', content: 'b', type: 'application/octet-stream' },
  );
  await upload({ name: 'virus.txt', content: eicar });
  await upload({ name: '..', content: 'x' });
  await call(sender, 'POST', 'cgi/upload.cgi', { headers: { 'Content-Type': 'application/json' }, body: '{}' });
  await call(sender, 'GET', 'cgi/get_files.cgi');
  await call(sender, 'GET', 'cgi/remove_file.cgi?filename=early.txt');
  await call(sender, 'GET', 'cgi/remove_file.cgi?filename=early.txt');
  await call(sender, 'GET', 'cgi/remove_file.cgi');

  // Dispatches.
  await post(sender, 'cgi/createdrop.cgi', { desttime: 0, ddmessage: '' });
  await post(sender, 'cgi/createdrop.cgi', { desttime: 'soon', ddmessage: '' });
  await post(sender, 'cgi/createdrop.cgi', { desttime: 3, ddmessage: 'The report' });
  await post(sender, 'cgi/createdrop.cgi', { desttime: 3, ddmessage: 'The report' });
  await call(sender, 'GET', 'cgi/get_files.cgi');
  await post(sender, 'cgi/receivers_set.cgi', [contact]);
  await post(sender, 'cgi/givedrop.cgi', { desttime: 1, ddmessage: 'Send back' });
  await post(sender, 'cgi/receivers_set.cgi', []);
  await post(sender, 'cgi/givedrop.cgi', { desttime: 1, ddmessage: 'Send back' });
  await call(sender, 'GET', 'cgi/get_history.cgi');

  // The inbox and the download.
  const [entry] = (await receiver.readHistory()).inbox;
  if (entry === undefined) throw new Error('the inbox is empty');
  names.add(entry.url, '{drop}');
  await call(receiver, 'GET', 'cgi/get_history.cgi');
  const path = `${entry.url}/files/${encodeURIComponent('smörgås.txt')}`;
  await call(receiver, 'GET', path);
  await call(receiver, 'HEAD', path);
  await call(receiver, 'GET', path, { headers: { Range: 'bytes=2-5' } });
  await call(receiver, 'GET', path, { headers: { Range: 'bytes=9999-' } });
  await call(receiver, 'GET', `${entry.url}/files/none.txt`);
  await call(sender, 'GET', path);
  await recorder.send(receiver, 'GET', under(receiver, path));
  await post(sender, 'cgi/contacts_add.cgi', []);

  const exchanged = names.apply(`${recorder.exchanges.join('\n\n')}\n`);
  if (process.env['WAYBILL_RECORD'] === '1') writeFileSync(record, exchanged);
  expect(exchanged).toBe(readFileSync(record, 'utf8'));
});
