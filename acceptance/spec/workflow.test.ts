// docs/api.md#workflow: from the first contact to the downloaded file.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { assertCommonHeaders, assertErrorResponse } from '../lib/http/expect.ts';
import { type HttpResponse, header, json, text } from '../lib/http/response.ts';
import type { ContactList, History } from '../lib/http/shapes.ts';

test('the whole workflow returns 200 with the common headers at every step, and the bytes arrive unchanged', async () => {
  const [sender, receiver] = await Promise.all([freshClient('sender'), freshClient('receiver')]);
  const content = randomBytes(100_000);
  const steps: [string, HttpResponse][] = [];
  const step = async (name: string, response: Promise<HttpResponse>): Promise<HttpResponse> => {
    steps.push([name, await response]);
    return await response;
  };

  await step('index page', sender.index());
  const contacts = await step('contacts_read.cgi', sender.contacts());
  expect(json<ContactList>(contacts).local).toEqual([]);
  await step('contacts_add.cgi', sender.addContacts([{ email: receiver.user }]));
  await step('receivers_set.cgi', sender.setReceivers([{ email: receiver.user }]));
  await step('get_files.cgi', sender.files());
  await step('upload.cgi', sender.upload({ name: 'mistake.bin', content: 'wrong' }));
  await step('remove_file.cgi', sender.removeFile('mistake.bin'));
  await step('upload.cgi', sender.upload({ name: 'report.bin', content }));
  await step('createdrop.cgi', sender.createDrop({ desttime: 3, ddmessage: 'the report' }));
  await step('receivers_set.cgi', sender.setReceivers([{ email: receiver.user }]));
  await step('givedrop.cgi', sender.giveDrop({ desttime: 1, ddmessage: 'send back' }));
  const history = await step('get_history.cgi', receiver.history());
  const [entry] = json<History>(history).inbox;
  if (entry === undefined) throw new Error(`the inbox is empty: ${text(history)}`);
  const download = await step('download', receiver.download(entry.url, 'report.bin'));

  expect(download.body.equals(content)).toBe(true);
  expect(steps.map(([name, { status }]) => `${name} ${status}`)).toEqual(steps.map(([name]) => `${name} 200`));
  for (const [, response] of steps) assertCommonHeaders(response);
  const mediaType = (name: string) =>
    ({ 'index page': 'text/html; charset=utf-8', download: 'application/octet-stream' })[name] ??
    'application/json; charset=utf-8';
  expect(steps.map(([name, response]) => [name, header(response, 'Content-Type')])).toEqual(
    steps.map(([name]) => [name, mediaType(name)]),
  );
});

test('nothing can be sent before a contact exists', async () => {
  const sender = await freshClient('lonely');
  assertErrorResponse(await sender.setReceivers([{ email: 'someone@example.org' }]), 409, 'unknown_contact');
});
