// Addresses: one plain addr-spec and nothing else, because anything else in it reaches a mail server.
import { describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { attackTable } from '../lib/attack-table.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';

const addresses: [why: string, address: string][] = [
  ['nothing', ''],
  ['no at sign', 'example.org'],
  ['no local part', '@example.org'],
  ['no domain', 'ann@'],
  ['two at signs', 'ann@example.org@evil.example'],
  ['quotes', '"ann"@example.org'],
  ['quotes with a space', '"ann b"@example.org'],
  ['quotes with an address', '"ann@evil.example"@example.org'],
  ['a comment', 'ann(comment)@example.org'],
  ['a group', 'friends: ann@example.org;'],
  ['angle brackets', '<ann@example.org>'],
  ['a display name', 'Ann <ann@example.org>'],
  ['a comma and another address', 'ann@example.org,evil@evil.example'],
  ['a semicolon and another address', 'ann@example.org;evil@evil.example'],
  ['a space and another address', 'ann@example.org evil@evil.example'],
  ['a space before', ' ann@example.org'],
  ['a space after', 'ann@example.org '],
  ['a space inside', 'ann b@example.org'],
  ['a tab', 'ann\t@example.org'],
  ['a line break and a header', 'ann@example.org\r\nBcc: evil@evil.example'],
  ['a line feed', 'ann@example.org\n'],
  ['a NUL', 'ann@example.org\0'],
  ['a route', '@evil.example:ann@example.org'],
  ['a colon', 'ann:b@example.org'],
  ['a backslash', 'ann\\@example.org'],
  ['an IP literal', 'ann@[127.0.0.1]'],
  ['an IPv6 literal', 'ann@[IPv6:::1]'],
  ['a bare IP address', 'ann@127.0.0.1'],
  ['two dots', 'ann..b@example.org'],
  ['a dot first', '.ann@example.org'],
  ['a dot last', 'ann.@example.org'],
  ['a domain that begins with a dot', 'ann@.example.org'],
  ['a domain with two dots', 'ann@example..org'],
  ['a domain that begins with a hyphen', 'ann@-example.org'],
  ['an underscore in the domain', 'ann@exa_mple.org'],
  ['a local part outside ASCII', 'ånn@example.org'],
  ['a local part that looks like ASCII', 'аnn@example.org'],
  ['a local part of 65 characters', `${'a'.repeat(65)}@example.org`],
  ['255 characters', `ann@${'a.'.repeat(123)}example`],
  ['an encoded word', '=?utf-8?q?ann=40evil.example=3e?=@example.org'],
  ['a right-to-left override', 'ann\u202e@example.org'],
  ['a label of 64 characters', `ann@${'a'.repeat(64)}.org`],
];

attackTable(
  'a contact whose address is',
  addresses.map(([name, email]) => ({
    name,
    status: 400,
    code: 'invalid_input',
    send: ({ client }) => client.addContacts([{ email }]),
  })),
);

attackTable(
  'a receiver whose address has',
  [
    ['a comma and another address', 'ann@example.org,evil@evil.example'],
    ['a line break and a header', 'ann@example.org\r\nBcc: evil@evil.example'],
    ['a display name', 'Ann <ann@example.org>'],
  ].map(([name = '', email = '']) => ({
    name,
    status: 400,
    code: 'invalid_input',
    send: ({ client }) => client.setReceivers([{ email }]),
  })),
);

describe('one address in several spellings', () => {
  const spellings: [why: string, sent: string, kept: string][] = [
    ['upper case', 'ANN.B@EXAMPLE.ORG', 'ann.b@example.org'],
    ['an internationalised domain', 'ann@b\u00fccher.example', 'ann@xn--bcher-kva.example'],
    ['a domain in upper case with an umlaut', 'ann@B\u00dcCHER.example', 'ann@xn--bcher-kva.example'],
    ['a domain in full-width letters', 'ann@\uff45xample.org', 'ann@example.org'],
    ['the punctuation an address may have', "o'neil+a_b-c=1@sub.example.org", "o'neil+a_b-c=1@sub.example.org"],
  ];
  for (const [why, sent, kept] of spellings) {
    test(`${why} is stored and found in its plain form`, async () => {
      const client = await freshClient('spelling');
      assertStatus(await client.addContacts([{ email: sent }]), 'ok');
      expect((await client.readContacts()).local.map(({ email }) => email)).toEqual([kept]);
      assertErrorResponse(await client.addContacts([{ email: kept }]), 409, 'contact_exists');
      assertStatus(await client.setReceivers([{ email: kept }]), 'ok');
    });
  }
});
