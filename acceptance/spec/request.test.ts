// docs/api.md#9-allow-contacts-to-send-files: contacts get temporary access to an upload page, so that they can send
// files back.
import { expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import { linkTokens, mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { entryWith, introduce } from '../lib/scenario.ts';
import { demo } from '../lib/servers/running-demo.ts';

async function withReceivers(label: string, count = 1): Promise<{ client: Client; to: string[] }> {
  const client = await freshClient(label);
  const to = Array.from({ length: count }, () => uniqueAddress('contact')).sort();
  await introduce(client, to);
  succeeded(await client.setReceivers(to.map((email) => ({ email }))));
  return { client, to };
}

test('the request goes to the receivers that are set, without any file', async () => {
  const { client, to } = await withReceivers('request', 2);
  assertStatus(await client.giveDrop({ desttime: 4, ddmessage: 'Send me the figures' }), 'ok');
  const entry = await entryWith(client, 'Send me the figures');
  expect(entry.drop_type).toBe('uploadfiles');
  expect(entry.ttl).toBe('4');
  expect(entry.files).toEqual([]);
  expect(entry.receivers.map(({ email }) => email).sort()).toEqual(to);
});

test('each contact gets a mail of its own, with the message and an upload link of its own', async () => {
  const { client, to } = await withReceivers('request-mail', 2);
  assertStatus(await client.giveDrop({ ddmessage: 'Send me the figures' }), 'ok');
  const tokens: string[] = [];
  for (const address of to) {
    const mail = await waitForMail(address);
    expect(mail.email.to?.map((mailbox) => mailbox.address)).toEqual([address]);
    expect(mail.email.text).toContain('Send me the figures');
    expect(linkTokens(mail, 'u')).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)]);
    expect(linkTokens(mail, 'd')).toEqual([]);
    expect(await mailsTo(address)).toHaveLength(1);
    tokens.push(...linkTokens(mail, 'u'));
  }
  expect(new Set(tokens).size).toBe(2);
});

test('what a contact sends through the page is in the inbox, and can be downloaded', async () => {
  const { client, to } = await withReceivers('sends-back');
  assertStatus(await client.giveDrop({ desttime: 3 }), 'ok');
  const [token] = linkTokens(await waitForMail(to[0] ?? ''), 'u');
  const opened = await fetch(`${demo().base_url}/u/${token}`, {
    method: 'POST',
    body: new URLSearchParams({ gesture: 'pressed' }),
    redirect: 'manual',
  });
  const form = new FormData();
  form.append('file', new Blob(['figures']), 'figures.csv');
  form.append('message', 'Here they are');
  const response = await fetch(`${demo().base_url}${opened.headers.get('location')}`, {
    method: 'POST',
    headers: { cookie: opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '' },
    body: form,
  });
  expect(response.status).toBe(200);
  const { inbox, history } = await client.readHistory();
  expect(inbox).toEqual([
    {
      ttl: '3',
      createtime: expect.stringMatching(/^\d{10}$/),
      sender: to[0],
      files: [{ name: 'figures.csv', settings: '[]' }],
      url: expect.any(String),
    },
  ]);
  expect(history.map((entry) => entry.drop_type)).toEqual(['uploadfiles']);
  expect((await client.download(inbox[0]?.url ?? '', 'figures.csv')).body.toString()).toBe('figures');
});

test('without receivers there is nobody to give it to', async () => {
  const client = await freshClient('nobody');
  assertErrorResponse(await client.giveDrop({}), 409, 'no_receivers');
  expect((await client.readHistory()).history).toEqual([]);
});

test('the receivers are consumed, the staged files and the opened list stay', async () => {
  const { client, to } = await withReceivers('keeps');
  succeeded(await client.files());
  assertStatus(await client.upload({ name: 'staged.txt', content: 'staged' }), 'done');
  assertStatus(await client.giveDrop({ ddmessage: 'request' }), 'ok');
  assertErrorResponse(await client.createDrop({ ddmessage: 'drop' }), 409, 'no_receivers');
  assertStatus(await client.setReceivers(to.map((email) => ({ email }))), 'ok');
  assertStatus(await client.createDrop({ ddmessage: 'drop' }), 'ok');
  expect((await entryWith(client, 'drop')).files.map(({ name }) => name)).toEqual(['staged.txt']);
});

test('the access is limited to seven days when desttime is absent', async () => {
  const { client } = await withReceivers('default-time');
  assertStatus(await client.giveDrop({ ddmessage: 'default' }), 'ok');
  expect((await entryWith(client, 'default')).ttl).toBe('7');
});

for (const desttime of [0, 31]) {
  test(`the access may not be limited to ${desttime}`, async () => {
    const { client } = await withReceivers('bounds');
    assertErrorResponse(await client.giveDrop({ desttime }), 400, 'invalid_input');
    expect((await client.readHistory()).history).toEqual([]);
  });
}

test('a request is no live drop', async () => {
  const { client } = await withReceivers('not-live');
  assertStatus(await client.giveDrop({}), 'ok');
  expect((await client.readHistory()).live_drops).toBe('0');
});
