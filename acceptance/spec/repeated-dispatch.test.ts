// docs/api.md#repeated-dispatches: a createdrop.cgi repeated because its response was lost creates nothing
// new.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import { introduce, stage } from '../lib/scenario.ts';

const parameters = { desttime: 2, ddmessage: 'once' };
const withKey = (key: string) => ({ 'Idempotency-Key': key });

async function staged(label: string): Promise<{ client: Client; restage: (name: string) => Promise<void> }> {
  const client = await freshClient(label);
  const receiver = uniqueAddress('receiver');
  await introduce(client, [receiver]);
  const restage = (name: string) => stage(client, { to: [receiver], files: [{ name, content: name }] });
  await restage('first.txt');
  return { client, restage };
}

async function sentFiles(client: Client): Promise<string[]> {
  const { history } = await client.readHistory();
  return history.flatMap(({ files }) => files.map(({ name }) => name)).sort();
}

test('the same body again, with nothing staged since, returns ok and makes nothing', async () => {
  const { client } = await staged('again');
  assertStatus(await client.createDrop(parameters), 'ok');
  assertStatus(await client.createDrop(parameters), 'ok');
  expect(await sentFiles(client)).toEqual(['first.txt']);
});

test('the same body again, after a request of the same draft, makes nothing either', async () => {
  const { client } = await staged('between');
  assertStatus(await client.createDrop(parameters), 'ok');
  const contact = uniqueAddress('contact');
  await introduce(client, [contact]);
  succeeded(await client.setReceivers([{ email: contact }]));
  assertStatus(await client.giveDrop(parameters), 'ok');
  assertStatus(await client.createDrop(parameters), 'ok');
  assertStatus(await client.giveDrop(parameters), 'ok');
  expect((await client.readHistory()).history).toHaveLength(2);
  expect(await sentFiles(client)).toEqual(['first.txt']);
});

test('another body, with nothing staged since, is a dispatch without receivers', async () => {
  const { client } = await staged('another');
  assertStatus(await client.createDrop(parameters), 'ok');
  assertErrorResponse(await client.createDrop({ ...parameters, desttime: 3 }), 409, 'no_receivers');
  expect(await sentFiles(client)).toEqual(['first.txt']);
});

test('the same body with a new draft behind it is a new dispatch', async () => {
  const { client, restage } = await staged('anew');
  assertStatus(await client.createDrop(parameters), 'ok');
  await restage('second.txt');
  assertStatus(await client.createDrop(parameters), 'ok');
  expect(await sentFiles(client)).toEqual(['first.txt', 'second.txt']);
});

test('the same Idempotency-Key and body return ok and leave a new draft alone', async () => {
  const { client, restage } = await staged('key');
  const key = randomUUID();
  assertStatus(await client.createDrop(parameters, withKey(key)), 'ok');
  await restage('second.txt');
  assertStatus(await client.createDrop(parameters, withKey(key)), 'ok');
  expect(await sentFiles(client)).toEqual(['first.txt']);
  expect((await client.readFiles()).map(({ name }) => name)).toEqual(['second.txt']);
  assertStatus(await client.createDrop(parameters, withKey(randomUUID())), 'ok');
  expect(await sentFiles(client)).toEqual(['first.txt', 'second.txt']);
});

test('a new Idempotency-Key decides alone: the same body with nothing staged is refused', async () => {
  const { client } = await staged('new-key');
  assertStatus(await client.createDrop(parameters, withKey(randomUUID())), 'ok');
  assertErrorResponse(await client.createDrop(parameters, withKey(randomUUID())), 409, 'no_receivers');
});

test('an Idempotency-Key with another body is refused', async () => {
  const { client, restage } = await staged('reused');
  const key = randomUUID();
  assertStatus(await client.createDrop(parameters, withKey(key)), 'ok');
  await restage('second.txt');
  const response = await client.createDrop({ ...parameters, ddmessage: 'twice' }, withKey(key));
  assertErrorResponse(response, 409, 'idempotency_key_reused');
  expect(await sentFiles(client)).toEqual(['first.txt']);
});

test('the keys of one account mean nothing to another', async () => {
  const [one, two] = await Promise.all([staged('mine'), staged('theirs')]);
  const key = randomUUID();
  assertStatus(await one.client.createDrop(parameters, withKey(key)), 'ok');
  assertStatus(await two.client.createDrop(parameters, withKey(key)), 'ok');
  expect(await sentFiles(two.client)).toEqual(['first.txt']);
});

test('an Idempotency-Key whose dispatch was refused can be used again', async () => {
  const { client } = await staged('refused');
  const key = randomUUID();
  assertStatus(await client.removeFile('first.txt'), 'deldone');
  assertErrorResponse(await client.createDrop(parameters, withKey(key)), 409, 'no_files');
  assertStatus(await client.upload({ name: 'late.txt', content: 'late' }), 'done');
  assertStatus(await client.createDrop(parameters, withKey(key)), 'ok');
  expect(await sentFiles(client)).toEqual(['late.txt']);
});
