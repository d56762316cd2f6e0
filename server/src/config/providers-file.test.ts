import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { providersFile } from './providers-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'providers-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o640 });
  return path;
}

const parse = (value: unknown) => providersFile.parse(write('providers.json', JSON.stringify(value)));
const least = {
  id: 'staff',
  name: 'Example',
  issuer: 'https://login.example.org/realms/staff',
  client_id: 'waybill',
  client_secret: 'hidden',
};

test('no file means no providers', () => {
  expect(providersFile.parse('')).toEqual([]);
});

test('the least that a provider needs, and the defaults of the rest', () => {
  expect(parse([least])).toEqual([
    {
      id: 'staff',
      name: 'Example',
      issuer: 'https://login.example.org/realms/staff',
      clientId: 'waybill',
      clientSecret: 'hidden',
      clientAuthentication: undefined,
      scopes: ['openid', 'email', 'profile'],
      requireEmailVerified: true,
      createPeople: undefined,
      groupsClaim: undefined,
      memberships: [],
      endSession: false,
    },
  ]);
});

test('everything that a provider can have', () => {
  const { client_secret: _, ...rest } = least;
  const full = {
    ...rest,
    client_secret_file: write('secret', 'from a file\n'),
    client_authentication: 'post',
    scopes: ['openid', 'email', 'groups'],
    require_email_verified: false,
    create_people: {
      domains: ['Example.ORG', 'bücher.example'],
      claim: ['realm_access', 'roles'],
      values: ['waybill'],
    },
    groups_claim: 'https://example.org/groups',
    memberships: [{ group: '/orders', account: 'Orders@Example.org', role: 'member' }],
    end_session: true,
  };
  expect(parse([full, { ...least, id: 'guests', issuer: 'http://127.0.0.1:5000' }])).toMatchObject([
    {
      clientSecret: 'from a file',
      clientAuthentication: 'post',
      scopes: ['openid', 'email', 'groups'],
      requireEmailVerified: false,
      createPeople: {
        domains: ['example.org', 'xn--bcher-kva.example'],
        claim: { path: ['realm_access', 'roles'], values: ['waybill'] },
      },
      groupsClaim: ['https://example.org/groups'],
      memberships: [{ group: '/orders', account: 'orders@example.org', role: 'member' }],
      endSession: true,
    },
    { id: 'guests' },
  ]);
});

test.each([
  ['a misspelt field', [{ ...least, requireEmailVerified: false }], '"requireEmailVerified" in the provider staff'],
  [
    'a field in the wrong place',
    [{ ...least, create_people: { domain: 'a.example' } }],
    '"domain" in "create_people" of the provider staff',
  ],
  ['a missing field', [{ id: 'staff' }], '"name" of the provider staff must be a name'],
  ['an object instead of a list', { providers: [] }, 'must be a list of up to 20 providers'],
  ['an id with other characters', [{ ...least, id: '../x' }], '"id" of provider 1 must be up to 32 letters'],
  [
    'a value of another type',
    [{ ...least, require_email_verified: 'no' }],
    '"require_email_verified" of the provider staff must be true or false',
  ],
  [
    'an unknown role',
    [{ ...least, groups_claim: 'g', memberships: [{ group: 'a', account: 'a@b.example', role: 'admin' }] }],
    'must be owner, member or reader',
  ],
  [
    'a claim that is a number',
    [{ ...least, groups_claim: 5 }],
    '"groups_claim" of the provider staff must be the name of a claim',
  ],
  [
    'plain HTTP',
    [{ ...least, issuer: 'http://login.example.org' }],
    '"issuer" must be an address that begins with https://',
  ],
  [
    'the address of the metadata',
    [{ ...least, issuer: 'https://a.example/.well-known/openid-configuration' }],
    'before /.well-known/',
  ],
  ['two secrets', [{ ...least, client_secret_file: '/x' }], 'either "client_secret" or "client_secret_file"'],
  [
    'a secret in a missing file',
    [{ ...least, client_secret: undefined, client_secret_file: '/nowhere/x' }],
    'cannot be read (ENOENT)',
  ],
  ['scopes without openid', [{ ...least, scopes: ['email'] }], '"scopes" must include "openid"'],
  ['people created without a condition', [{ ...least, create_people: {} }], '"create_people" must have "domains"'],
  ['a claim without values', [{ ...least, create_people: { claim: 'hd' } }], 'given together'],
  ['a domain with a pattern', [{ ...least, create_people: { domains: ['*.example.org'] } }], 'without @ or *'],
  [
    'memberships without groups',
    [{ ...least, memberships: [{ group: 'a', account: 'a@b.example', role: 'reader' }] }],
    '"memberships" need "groups_claim"',
  ],
  [
    'an account that is no address',
    [{ ...least, groups_claim: 'g', memberships: [{ group: 'a', account: 'orders', role: 'reader' }] }],
    'the address of an account',
  ],
  ['the same id twice', [least, { ...least, issuer: 'https://b.example' }], 'two providers with the id staff'],
  ['the same issuer twice', [least, { ...least, id: 'other' }], 'two providers with the issuer'],
])('%s is refused, and named', (_what, value, message) => {
  expect(() => parse(value)).toThrow(message);
  expect(() => parse(value)).not.toThrow('hidden');
});

test('a file that is not JSON is refused without a part of it', () => {
  const path = write('broken.json', '[{"client_secret": "hidden"');
  expect(() => providersFile.parse(path)).toThrow(/^names a file that is not JSON\.$/);
});

test('a file that everyone can read is refused', () => {
  const path = write('open.json', JSON.stringify([least]));
  chmodSync(path, 0o644);
  expect(() => providersFile.parse(path)).toThrow('open to every user');
});
