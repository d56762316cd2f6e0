// docs/api.md#4-set-receivers: who gets the next dispatch. Receivers cannot be read back, so a dispatch shows them.
import { expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import type { Receiver } from '../lib/http/shapes.ts';
import { entryWith, introduce } from '../lib/scenario.ts';

/** Sends one file to the current receivers, and returns the receivers in the history, by address. */
async function receiversOfDispatch(client: Client): Promise<Receiver[]> {
  const ddmessage = uniqueAddress('message');
  succeeded(await client.files());
  succeeded(await client.upload({ name: 'a.txt', content: 'a' }));
  succeeded(await client.createDrop({ ddmessage }));
  const { receivers } = await entryWith(client, ddmessage);
  return receivers.toSorted((a, b) => (a.email < b.email ? -1 : 1));
}

const addresses = (receivers: Receiver[]) => receivers.map(({ email }) => email);

test('one contact or several can be set as receivers of one dispatch', async () => {
  const client = await freshClient('receivers');
  const [a, b, c] = [uniqueAddress('a'), uniqueAddress('b'), uniqueAddress('c')];
  await introduce(client, [a, b, c]);
  assertStatus(await client.setReceivers([{ email: a }]), 'ok');
  expect(addresses(await receiversOfDispatch(client))).toEqual([a]);
  assertStatus(await client.setReceivers([{ email: b }, { email: c }]), 'ok');
  expect(addresses(await receiversOfDispatch(client))).toEqual([b, c]);
});

test('the array sent replaces the receivers there were', async () => {
  const client = await freshClient('replaces');
  const [a, b] = [uniqueAddress('a'), uniqueAddress('b')];
  await introduce(client, [a, b]);
  assertStatus(await client.setReceivers([{ email: a }]), 'ok');
  assertStatus(await client.setReceivers([{ email: b }]), 'ok');
  expect(addresses(await receiversOfDispatch(client))).toEqual([b]);
});

test('an empty array removes all receivers', async () => {
  const client = await freshClient('removes');
  const a = uniqueAddress('a');
  await introduce(client, [a]);
  assertStatus(await client.setReceivers([{ email: a }]), 'ok');
  assertStatus(await client.setReceivers([]), 'ok');
  succeeded(await client.files());
  succeeded(await client.upload({ name: 'a.txt', content: 'a' }));
  assertErrorResponse(await client.createDrop({}), 409, 'no_receivers');
});

test('a receiver who is no contact is refused, and the receivers stay as they were', async () => {
  const client = await freshClient('unknown');
  const a = uniqueAddress('a');
  await introduce(client, [a]);
  assertStatus(await client.setReceivers([{ email: a }]), 'ok');
  const response = await client.setReceivers([{ email: a }, { email: uniqueAddress('stranger') }]);
  assertErrorResponse(response, 409, 'unknown_contact');
  expect(addresses(await receiversOfDispatch(client))).toEqual([a]);
});

test('a contact of another account is no contact', async () => {
  const [client, other] = await Promise.all([freshClient('mine'), freshClient('theirs')]);
  const a = uniqueAddress('a');
  await introduce(other, [a]);
  assertErrorResponse(await client.setReceivers([{ email: a }]), 409, 'unknown_contact');
});

test('a contact is found by its address in any case', async () => {
  const client = await freshClient('case');
  const a = uniqueAddress('a');
  await introduce(client, [a]);
  assertStatus(await client.setReceivers([{ email: a.toUpperCase() }]), 'ok');
  expect(addresses(await receiversOfDispatch(client))).toEqual([a]);
});

test('a receiver has the fields of the contact', async () => {
  const client = await freshClient('inherits');
  const contact = { email: uniqueAddress('a'), number: '46701234567', language: 'de', groups: ['x'], nick: 'Ann' };
  await introduce(client, [contact]);
  assertStatus(await client.setReceivers([{ email: contact.email }]), 'ok');
  expect(await receiversOfDispatch(client)).toEqual([contact]);
});

test('fields sent with a receiver apply to this dispatch only, and the contact stays as it was', async () => {
  const client = await freshClient('overrides');
  const contact = { email: uniqueAddress('a'), number: '46701234567', language: 'de', groups: ['x'], nick: 'Ann' };
  await introduce(client, [contact]);
  assertStatus(await client.setReceivers([{ email: contact.email, nick: 'Dr Ann', number: '4915112345678' }]), 'ok');
  expect(await receiversOfDispatch(client)).toEqual([{ ...contact, nick: 'Dr Ann', number: '4915112345678' }]);
  expect((await client.readContacts()).local).toEqual([contact]);
  assertStatus(await client.setReceivers([{ email: contact.email }]), 'ok');
  expect(await receiversOfDispatch(client)).toEqual([contact]);
});

test('a receiver may carry a name, which the history shows', async () => {
  const client = await freshClient('named');
  const a = uniqueAddress('a');
  await introduce(client, [a]);
  assertStatus(await client.setReceivers([{ email: a, name: 'Ann Åberg' }]), 'ok');
  expect((await receiversOfDispatch(client))[0]?.name).toBe('Ann Åberg');
});
