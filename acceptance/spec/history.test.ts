// docs/api.md#10-get-history: sent drops.
import { expect, test } from 'vitest';
import { createAccount, freshClient, uniqueAddress } from '../lib/accounts.ts';
import { Client, succeeded } from '../lib/http/client.ts';
import { assertJson } from '../lib/http/expect.ts';
import { dispatch } from '../lib/scenario.ts';

const file = { name: 'a.txt', content: 'a' };
const flag = expect.stringMatching(/^(?:true|false)$/);

test('an account that has sent and received nothing has an empty history and inbox and no live drops', async () => {
  const client = await freshClient('nothing');
  assertJson(await client.history(), { history: [], live_drops: '0', inbox: [] });
});

test('an entry has exactly the documented fields, each of its type', async () => {
  const account = await createAccount('shape', '46709999999');
  const client = new Client(account);
  const contact = { email: uniqueAddress('a'), number: '46701234567', language: 'sv', groups: ['x', 'y'], nick: 'A' };
  const from = Math.floor(Date.now() / 1000);
  const entry = await dispatch(client, {
    to: [contact],
    files: [file],
    parameters: { desttime: 9, ddmessage: 'shape' },
  });
  const to = Math.ceil(Date.now() / 1000);

  expect(entry).toEqual({
    drop_type: 'downloadfiles',
    create_time: expect.stringMatching(/^\d+$/),
    ttl: '9',
    receivers: [contact],
    ddmessage: 'shape',
    sender: {
      email: account.user,
      number: '46709999999',
      lang: expect.any(String),
      first_run: flag,
      accountType: 'api',
      change_passwd: flag,
      settings: { show_number: flag, show_email: flag, show_lang: flag, show_nick: flag },
    },
    files: [{ name: 'a.txt', settings: '[]' }],
  });
  // Seconds, not milliseconds; the server's clock is this machine's.
  expect(Number(entry.create_time)).toBeGreaterThanOrEqual(from - 1);
  expect(Number(entry.create_time)).toBeLessThanOrEqual(to + 1);
});

test('all drops that were created are in it, each once', async () => {
  const client = await freshClient('all');
  const messages = ['first', 'second', 'third'];
  for (const ddmessage of messages) {
    await dispatch(client, { to: [uniqueAddress('a')], files: [file], parameters: { ddmessage } });
  }
  const { history } = await client.readHistory();
  expect(history.map(({ ddmessage }) => ddmessage).sort()).toEqual(messages);
});

test('live_drops counts the drops that can be downloaded, as a string', async () => {
  const client = await freshClient('live');
  for (const expected of ['1', '2']) {
    await dispatch(client, { to: [uniqueAddress('a')], files: [file] });
    expect((await client.readHistory()).live_drops).toBe(expected);
  }
});

test('the history of one account is not shown to another', async () => {
  const [client, other] = await Promise.all([freshClient('mine'), freshClient('theirs')]);
  await dispatch(client, { to: [uniqueAddress('a')], files: [file] });
  assertJson(await other.history(), { history: [], live_drops: '0', inbox: [] });
});

test('an entry keeps the receivers and files of its day when the contacts change', async () => {
  const client = await freshClient('keeps');
  const address = uniqueAddress('a');
  const entry = await dispatch(client, { to: [{ email: address, nick: 'then' }], files: [file] });
  succeeded(await client.addContacts([]));
  succeeded(await client.addContacts([{ email: address, nick: 'now' }]));
  expect((await client.readHistory()).history).toEqual([entry]);
});
