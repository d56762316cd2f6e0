// Waybill cannot be used to flood anyone with mail: there are hourly limits per account, and per account and receiver.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, uniqueAddress } from '../lib/accounts.ts';
import { Client, succeeded } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import { header } from '../lib/http/response.ts';
import { mailsTo } from '../lib/people/mailbox.ts';
import { introduce, stage } from '../lib/scenario.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';

let serves: OwnServe[] = [];
beforeAll(async () => {
  const limits = { WAYBILL_MESSAGES_PER_ACCOUNT: '6', WAYBILL_MESSAGES_PER_RECEIVER: '3' };
  serves = await Promise.all([ownServe(limits), ownServe(limits)]);
});
afterAll(() => Promise.all(serves.map((serve) => serve.stop())));

async function sender(...contacts: string[]): Promise<Client> {
  const client = new Client(await createAccount('flood'), { baseUrl: serves[0]?.baseUrl ?? '' });
  await introduce(client, contacts);
  return client;
}
const requestFiles = async (client: Client, to: string[], ddmessage: string) => {
  succeeded(await client.setReceivers(to.map((email) => ({ email }))));
  return client.giveDrop({ ddmessage });
};

test('an account can write to one receiver three times an hour, and does not prevent others from writing to them', async () => {
  const victim = uniqueAddress('victim');
  const [one, other] = [await sender(victim), await sender(victim)];
  for (const ddmessage of ['1', '2', '3']) assertStatus(await requestFiles(one, [victim], ddmessage), 'ok');
  const response = await requestFiles(one, [victim], '4');
  assertErrorResponse(response, 429, 'too_many_messages');
  const wait = Number(header(response, 'Retry-After'));
  expect(wait).toBeGreaterThan(3000);
  expect(wait).toBeLessThanOrEqual(3600);
  assertStatus(await requestFiles(other, [victim], '5'), 'ok');
  expect((await one.readHistory()).history.map((entry) => entry.ddmessage)).toEqual(['3', '2', '1']);
});

test('an account can write to six receivers an hour; a refused dispatch changes nothing', async () => {
  const contacts = Array.from({ length: 7 }, () => uniqueAddress('receiver'));
  const client = await sender(...contacts);
  await stage(client, { to: contacts, files: [{ name: 'a.txt', content: 'a' }] });
  assertErrorResponse(await client.createDrop({ ddmessage: 'all' }), 429, 'too_many_messages');
  expect((await client.readFiles()).map(({ name }) => name)).toEqual(['a.txt']);
  succeeded(await client.setReceivers(contacts.slice(0, 6).map((email) => ({ email }))));
  assertStatus(await client.createDrop({ ddmessage: 'six' }), 'ok');
  assertErrorResponse(await requestFiles(client, contacts.slice(6), 'one more'), 429, 'too_many_messages');
});

test('the limit is exact through two processes at once', async () => {
  const victim = uniqueAddress('parallel');
  const client = await sender(victim);
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async (_, nth) => {
      const ofDraft = client.through(serves[nth % 2]?.baseUrl ?? '').inDraft(`draft${nth}`);
      return (await requestFiles(ofDraft, [victim], 'x')).status;
    }),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  expect((await mailsTo(victim)).length).toBeLessThanOrEqual(3);
});
