// docs/api.md#2-get-contacts: the global list, which the administrator sets for everyone; and the version of the whole
// response, which must change whenever either list changes. Both are in one file, because there is one list for the
// whole server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { assertErrorResponse, assertJson, assertStatus } from '../lib/http/expect.ts';
import { type HttpResponse, header, json } from '../lib/http/response.ts';
import type { Contact, ContactList } from '../lib/http/shapes.ts';
import { entryWith, stage } from '../lib/scenario.ts';
import { admin, adminJson } from '../lib/servers/admin.ts';

/** A contact as the administrator's command prints and reads it. */
type GlobalContact = Pick<Contact, 'email'> & { name?: string; phone?: string; language?: string; groups?: string[] };

let before: GlobalContact[];

async function setGlobal(contacts: GlobalContact[]): Promise<void> {
  const result = await admin(['contacts', 'set', '--file', '-'], JSON.stringify(contacts));
  if (result.exitCode !== 0) throw new Error(`contacts set ended with ${result.exitCode}: ${result.stderr}`);
}

const readEtag = (response: HttpResponse): string => header(response, 'ETag') ?? '';

beforeAll(async () => {
  before = await adminJson<GlobalContact[]>(['contacts', 'list', '--json']);
});

afterAll(async () => {
  if (before !== undefined) await setGlobal(before);
});

describe('the global list', () => {
  test('is an empty array when there is none', async () => {
    await setGlobal([]);
    const client = await freshClient('no-global');
    assertJson(await client.contacts(), { local: [], global: [] });
  });

  test('is shown to every account, with all fields of a contact', async () => {
    const [client, other] = await Promise.all([freshClient('global'), freshClient('global')]);
    const contact = {
      email: uniqueAddress('desk'),
      number: '46800000000',
      language: 'en',
      groups: ['all'],
      nick: 'Desk',
    };
    const { number: phone, nick: name, ...others } = contact;
    await setGlobal([{ ...others, name, phone }]);
    assertJson(await client.contacts(), { local: [], global: [contact] });
    assertJson(await other.contacts(), { local: [], global: [contact] });
  });

  test('is not changed by contacts_add.cgi, which may name the same address', async () => {
    const client = await freshClient('overlap');
    const everybodys = uniqueAddress('everybodys');
    await setGlobal([{ email: everybodys }]);
    assertStatus(await client.addContacts([{ email: everybodys, nick: 'mine' }]), 'ok');
    assertStatus(await client.addContacts([]), 'ok');
    const { local, global } = await client.readContacts();
    expect(local).toEqual([]);
    expect(global.map(({ email, nick }) => ({ email, nick }))).toEqual([{ email: everybodys, nick: '' }]);
  });

  test('has receivers for everybody', async () => {
    const client = await freshClient('sends-global');
    const everybodys = uniqueAddress('everybodys');
    await setGlobal([{ email: everybodys, name: 'Front desk' }]);
    await stage(client, { to: [everybodys], files: [{ name: 'a.txt', content: 'a' }] });
    assertStatus(await client.createDrop({ ddmessage: everybodys }), 'ok');
    const entry = await entryWith(client, everybodys);
    expect(entry.receivers.map(({ email, nick }) => ({ email, nick }))).toEqual([
      { email: everybodys, nick: 'Front desk' },
    ]);
  });
});

describe('the version of the contacts', () => {
  test('is a strong ETag, the same until something changes', async () => {
    const client = await freshClient('etag');
    const first = await client.contacts();
    expect(readEtag(first)).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(readEtag(await client.contacts())).toBe(readEtag(first));
    assertStatus(await client.addContacts([{ email: 'a@example.org' }]), 'ok');
    const second = await client.contacts();
    expect(readEtag(second)).not.toBe(readEtag(first));
    // The same addresses with different content have a different version.
    assertStatus(
      await client.addContacts([{ email: 'a@example.org', nick: 'A' }], { Prefer: 'handling=lenient' }),
      'ok',
    );
    expect(readEtag(await client.contacts())).not.toBe(readEtag(second));
  });

  test('lets contacts_add.cgi through with If-Match when nothing has changed', async () => {
    const client = await freshClient('match');
    const etag = readEtag(await client.contacts());
    assertStatus(await client.addContacts([{ email: 'a@example.org' }], { 'If-Match': etag }), 'ok');
  });

  test('refuses contacts_add.cgi with If-Match when something has, and changes nothing', async () => {
    const client = await freshClient('stale');
    const etag = readEtag(await client.contacts());
    assertStatus(await client.addContacts([{ email: 'a@example.org' }]), 'ok');
    const current = json<ContactList>(await client.contacts()).local;
    const response = await client.addContacts([{ email: 'b@example.org' }], { 'If-Match': etag });
    assertErrorResponse(response, 412, 'precondition_failed');
    expect((await client.readContacts()).local).toEqual(current);
  });

  test('is compared strongly: a weak form of the right ETag does not match', async () => {
    const client = await freshClient('weak');
    const etag = readEtag(await client.contacts());
    const response = await client.addContacts([{ email: 'a@example.org' }], { 'If-Match': `W/${etag}` });
    assertErrorResponse(response, 412, 'precondition_failed');
  });

  test('lets one of ten writers through who read the same list', async () => {
    const client = await freshClient('writers');
    const etag = readEtag(await client.contacts());
    const headers = { 'If-Match': etag, Prefer: 'handling=lenient' };
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => client.addContacts([{ email: `writer-${i}@example.org` }], headers)),
    );
    const winners = responses.map(({ status }) => status === 200);
    expect(winners.filter(Boolean)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      assertErrorResponse(response, 412, 'precondition_failed');
    }
    const { local } = await client.readContacts();
    expect(local.map(({ email }) => email)).toEqual([`writer-${winners.indexOf(true)}@example.org`]);
  });
});
