// docs/api.md#8-create-a-dispatch: files, receivers and parameters become one drop.
import { describe, expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { assertErrorResponse, assertJson, assertStatus } from '../lib/http/expect.ts';
import { linkTokens, mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { dispatch, entryWith, introduce, stage } from '../lib/scenario.ts';

const file = { name: 'report.txt', content: 'the report' };

async function staged(label: string): Promise<{ client: Client; receiver: string }> {
  const client = await freshClient(label);
  const receiver = uniqueAddress('receiver');
  await introduce(client, [receiver]);
  await stage(client, { to: [receiver], files: [file] });
  return { client, receiver };
}

describe('createdrop.cgi', () => {
  test('sends the receivers, the uploaded files and the message as one drop', async () => {
    const client = await freshClient('drop');
    const to = [uniqueAddress('a'), uniqueAddress('b')].sort();
    const files = [file, { name: 'second.txt', content: 'second' }];
    const entry = await dispatch(client, { to, files, parameters: { desttime: 5, ddmessage: 'Please read: åäö' } });
    expect(entry.drop_type).toBe('downloadfiles');
    expect(entry.ttl).toBe('5');
    expect(entry.ddmessage).toBe('Please read: åäö');
    expect(entry.receivers.map(({ email }) => email).sort()).toEqual(to);
    expect(entry.files.map(({ name }) => name).sort()).toEqual(['report.txt', 'second.txt']);
    expect((await client.readHistory()).history).toHaveLength(1);
  });

  test('returns ok', async () => {
    const { client } = await staged('returns');
    assertStatus(await client.createDrop({ desttime: 1, ddmessage: 'hello' }), 'ok');
  });

  test('consumes the draft: receivers, files and the opened list', async () => {
    const { client, receiver } = await staged('consumes');
    assertStatus(await client.createDrop({ ddmessage: 'one' }), 'ok');
    assertErrorResponse(await client.createDrop({ ddmessage: 'two' }), 409, 'no_receivers');
    assertStatus(await client.setReceivers([{ email: receiver }]), 'ok');
    assertErrorResponse(await client.createDrop({ ddmessage: 'two' }), 409, 'file_list_not_initialized');
    assertJson(await client.files(), []);
    assertErrorResponse(await client.createDrop({ ddmessage: 'two' }), 409, 'no_files');
    expect((await client.readHistory()).history).toHaveLength(1);
  });
});

describe('what has to come first', () => {
  test('is told one at a time: receivers, then the list of files, then a file', async () => {
    const client = await freshClient('order');
    const receiver = uniqueAddress('receiver');
    assertErrorResponse(await client.createDrop({}), 409, 'no_receivers');
    await introduce(client, [receiver]);
    assertErrorResponse(await client.createDrop({}), 409, 'no_receivers');
    assertStatus(await client.setReceivers([{ email: receiver }]), 'ok');
    assertErrorResponse(await client.createDrop({}), 409, 'file_list_not_initialized');
    succeeded(await client.files());
    assertErrorResponse(await client.createDrop({}), 409, 'no_files');
    assertStatus(await client.upload(file), 'done');
    assertStatus(await client.createDrop({}), 'ok');
  });

  test('get_files.cgi may come after the upload, but it has to come', async () => {
    const client = await freshClient('late-list');
    const receiver = uniqueAddress('receiver');
    await introduce(client, [receiver]);
    assertStatus(await client.setReceivers([{ email: receiver }]), 'ok');
    assertStatus(await client.upload(file), 'done');
    assertErrorResponse(await client.createDrop({}), 409, 'file_list_not_initialized');
    succeeded(await client.files());
    assertStatus(await client.createDrop({}), 'ok');
  });

  test('get_files.cgi has to come again for the next dispatch', async () => {
    const { client, receiver } = await staged('next');
    assertStatus(await client.createDrop({ ddmessage: 'one' }), 'ok');
    assertStatus(await client.setReceivers([{ email: receiver }]), 'ok');
    assertStatus(await client.upload(file), 'done');
    assertErrorResponse(await client.createDrop({ ddmessage: 'two' }), 409, 'file_list_not_initialized');
  });

  test('a removed file is not sent', async () => {
    const { client } = await staged('removed');
    assertStatus(await client.upload({ name: 'other.txt', content: 'other' }), 'done');
    assertStatus(await client.removeFile(file.name), 'deldone');
    assertStatus(await client.createDrop({ ddmessage: 'without it' }), 'ok');
    expect((await entryWith(client, 'without it')).files.map(({ name }) => name)).toEqual(['other.txt']);
  });
});

describe('the parameters', () => {
  test('desttime is seven days when it is absent, and the message empty', async () => {
    const { client } = await staged('defaults');
    assertStatus(await client.createDrop({}), 'ok');
    const [entry] = (await client.readHistory()).history;
    expect({ ttl: entry?.ttl, ddmessage: entry?.ddmessage }).toEqual({ ttl: '7', ddmessage: '' });
  });

  for (const desttime of [1, 30]) {
    test(`desttime may be ${desttime}, and ttl is that number as a string`, async () => {
      const { client } = await staged('bounds');
      assertStatus(await client.createDrop({ desttime, ddmessage: 'bounds' }), 'ok');
      expect((await entryWith(client, 'bounds')).ttl).toBe(String(desttime));
    });
  }

  for (const desttime of ['0', '31', '-1', '1.5', '"5"', 'null', 'true', '[]', '9007199254740992']) {
    test(`desttime may not be ${desttime}, and the draft is kept`, async () => {
      const { client } = await staged('out-of-bounds');
      const response = await client.post('cgi/createdrop.cgi', `{"desttime":${desttime},"ddmessage":"x"}`);
      assertErrorResponse(response, 400, 'invalid_input');
      expect((await client.readHistory()).history).toEqual([]);
      assertStatus(await client.createDrop({ ddmessage: 'x' }), 'ok');
    });
  }

  test('fields nobody knows are refused', async () => {
    const { client } = await staged('unknown-field');
    assertErrorResponse(await client.post('cgi/createdrop.cgi', { desttime: 1, ttl: 2 }), 400, 'invalid_input');
  });
});

describe('the mail', () => {
  test('goes to each receiver alone, with the message and a download link of its own', async () => {
    const client = await freshClient('mail');
    const to = [uniqueAddress('a'), uniqueAddress('b')];
    await dispatch(client, { to, files: [file], parameters: { ddmessage: 'Read this before Monday.' } });
    const tokens: string[] = [];
    const messageIds: (string | undefined)[] = [];
    for (const address of to) {
      const mail = await waitForMail(address);
      expect(mail.email.to?.map((mailbox) => mailbox.address)).toEqual([address]);
      expect(mail.email.cc ?? []).toEqual([]);
      expect(mail.email.text).toContain('Read this before Monday.');
      const links = linkTokens(mail, 'd');
      expect(links).toEqual([expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)]);
      tokens.push(...links);
      messageIds.push(mail.email.messageId);
      expect(await mailsTo(address)).toHaveLength(1);
      // No receiver learns who else received it.
      for (const another of to.filter((candidate) => candidate !== address)) expect(mail.raw).not.toContain(another);
    }
    expect(new Set(tokens).size).toBe(2);
    expect(messageIds.every((id) => /^<\S+@\S+>$/.test(id ?? ''))).toBe(true);
    expect(new Set(messageIds).size).toBe(2);
  });
});
