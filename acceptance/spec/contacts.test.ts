// docs/api.md#2-get-contacts and docs/api.md#3-add-contacts: the account's own contacts.
import { describe, expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse, assertJson, assertStatus } from '../lib/http/expect.ts';
import { json } from '../lib/http/response.ts';
import type { Contact, ContactList } from '../lib/http/shapes.ts';

const full: Contact = {
  email: 'ann@example.org',
  number: '46701234567',
  language: 'sv-SE',
  groups: ['press', 'Föreningen'],
  nick: 'Ann “A” Åberg',
};

const bare = (email: string): Contact => ({ email, number: '', language: '', groups: [], nick: '' });

/** The order of the list is not specified. */
async function localContacts(client: Client): Promise<Contact[]> {
  const { local } = await client.readContacts();
  return local.toSorted((a, b) => (a.email < b.email ? -1 : 1));
}

describe('contacts_read.cgi', () => {
  test('returns an object of two arrays, and the local one is empty when there are no contacts', async () => {
    const client = await freshClient('empty');
    const response = await client.contacts();
    // The global list belongs to the administrator; its content is tested where this suite sets it.
    assertJson(response, { local: [], global: expect.any(Array) });
    expect(Array.isArray(json<ContactList>(response).global)).toBe(true);
  });

  test('returns every field of a contact as it was sent', async () => {
    const client = await freshClient('full');
    assertStatus(await client.addContacts([full]), 'ok');
    expect(await localContacts(client)).toEqual([full]);
  });

  test('returns all five fields of a contact of whom only the address is known', async () => {
    const client = await freshClient('bare');
    assertStatus(await client.addContacts([{ email: 'bob@example.org' }]), 'ok');
    expect(await localContacts(client)).toEqual([bare('bob@example.org')]);
  });

  test('keeps the contacts of one account from another', async () => {
    const [client, other] = await Promise.all([freshClient('mine'), freshClient('theirs')]);
    assertStatus(await client.addContacts([full]), 'ok');
    expect(await localContacts(other)).toEqual([]);
    // Nor does an address count as existing because another account has it.
    assertStatus(await other.addContacts([full]), 'ok');
  });
});

describe('contacts_add.cgi', () => {
  test('takes several contacts in one array', async () => {
    const client = await freshClient('several');
    assertStatus(await client.addContacts([{ email: 'a@example.org' }, full, { email: 'z@example.org' }]), 'ok');
    expect(await localContacts(client)).toEqual([bare('a@example.org'), full, bare('z@example.org')]);
  });

  test('replaces the contacts there were', async () => {
    const client = await freshClient('replace');
    assertStatus(await client.addContacts([{ email: 'a@example.org' }, { email: 'b@example.org' }]), 'ok');
    assertStatus(await client.addContacts([{ email: 'c@example.org' }]), 'ok');
    expect(await localContacts(client)).toEqual([bare('c@example.org')]);
  });

  test('removes all contacts when the array is empty', async () => {
    const client = await freshClient('clear');
    assertStatus(await client.addContacts([full]), 'ok');
    assertStatus(await client.addContacts([]), 'ok');
    expect(await localContacts(client)).toEqual([]);
    assertStatus(await client.addContacts([full]), 'ok');
  });

  test('fails when one of the contacts exists, and changes nothing', async () => {
    const client = await freshClient('exists');
    assertStatus(await client.addContacts([full, { email: 'b@example.org' }]), 'ok');
    const again = [{ email: 'new@example.org' }, { email: full.email, nick: 'another' }];
    assertErrorResponse(await client.addContacts(again), 409, 'contact_exists');
    expect(await localContacts(client)).toEqual([full, bare('b@example.org')]);
  });

  test('fails when an address appears twice in the array, and changes nothing', async () => {
    const client = await freshClient('twice');
    assertStatus(await client.addContacts([full]), 'ok');
    const twice = [{ email: 'b@example.org' }, { email: 'b@example.org', nick: 'B' }];
    assertErrorResponse(await client.addContacts(twice), 409, 'contact_exists');
    expect(await localContacts(client)).toEqual([full]);
  });

  test('knows an address in any case', async () => {
    const client = await freshClient('case');
    assertStatus(await client.addContacts([{ email: 'Ann.B@Example.ORG' }]), 'ok');
    expect(await localContacts(client)).toEqual([bare('ann.b@example.org')]);
    assertErrorResponse(await client.addContacts([{ email: 'ANN.b@example.org' }]), 409, 'contact_exists');
  });

  test('accepts a number as a JSON integer and returns it as a string', async () => {
    const client = await freshClient('integer');
    assertStatus(await client.addContacts([{ email: 'a@example.org', number: 46701234567 }]), 'ok');
    expect((await localContacts(client))[0]?.number).toBe('46701234567');
  });

  test('takes a body whose content type names its charset', async () => {
    const client = await freshClient('charset');
    const response = await client.post('cgi/contacts_add.cgi', [full], {
      'Content-Type': 'application/json; charset=utf-8',
    });
    assertStatus(response, 'ok');
  });

  for (const contentType of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
  ]) {
    test(`takes JSON only, not ${contentType === '' ? 'a body without a type' : contentType}`, async () => {
      const client = await freshClient('type');
      const headers: Record<string, string> = contentType === '' ? {} : { 'Content-Type': contentType };
      const response = await client.call('POST', 'cgi/contacts_add.cgi', { headers, body: JSON.stringify([full]) });
      assertErrorResponse(response, 415, 'unsupported_media_type');
      expect(await localContacts(client)).toEqual([]);
    });
  }

  test('keeps the same contacts for every draft', async () => {
    const client = await freshClient('drafts');
    const address = uniqueAddress('contact');
    assertStatus(await client.inDraft('one').addContacts([{ email: address }]), 'ok');
    expect(await localContacts(client.inDraft('two'))).toEqual([bare(address)]);
  });
});

describe('Prefer: handling=lenient', () => {
  const lenient = { Prefer: 'handling=lenient' };

  test('makes contacts_add.cgi a plain replacement: known addresses are kept or updated', async () => {
    const client = await freshClient('lenient');
    assertStatus(await client.addContacts([full, { email: 'b@example.org' }, { email: 'c@example.org' }]), 'ok');
    const next = [full, { email: 'b@example.org', nick: 'Bob' }, { email: 'd@example.org' }];
    assertStatus(await client.addContacts(next, lenient), 'ok');
    const updated = { ...bare('b@example.org'), nick: 'Bob' };
    expect(await localContacts(client)).toEqual([full, updated, bare('d@example.org')]);
  });

  test('is asked for by that value only', async () => {
    const client = await freshClient('strict');
    assertStatus(await client.addContacts([full]), 'ok');
    const response = await client.addContacts([full], { Prefer: 'handling=strict' });
    assertErrorResponse(response, 409, 'contact_exists');
  });
});
