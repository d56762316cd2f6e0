import { limits } from '@waybill/protocol';
import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import type { Actor } from '../actor.ts';
import type { ContactInput } from './contact-input.ts';
import { replaceContacts, replaceGlobalContacts } from './replace-contacts.ts';

const exchange = await useTestExchange();
const { engines } = exchange;

const replace = (
  actor: Actor,
  contacts: ContactInput[],
  options: { lenient?: boolean; ifVersion?: readonly string[] } = {},
) => replaceContacts(engines, actor, { contacts, lenient: false, ...options });
const local = async (actor: Actor) => (await engines.store.contacts.read(actor.accountId)).local;
const emails = async (actor: Actor) => (await local(actor)).map(({ email }) => email);
const exists = { code: 'contact_exists' };

describe('the array replaces the local list', () => {
  test('in its order, with every field present', async () => {
    const actor = await exchange.account();
    await replace(actor, [
      { email: 'B@Example.org', name: 'Bea', phone: '46701234567', language: 'sv', groups: ['x', 'y'] },
      { email: 'a@example.org' },
    ]);
    expect(await local(actor)).toEqual([
      { email: 'b@example.org', name: 'Bea', phone: '46701234567', language: 'sv', groups: ['x', 'y'] },
      { email: 'a@example.org', name: '', phone: '', language: '', groups: [] },
    ]);
  });

  test('with names on one line, without what nobody sees', async () => {
    const actor = await exchange.account();
    await replace(actor, [
      { email: 'a@example.org', name: 'gpj\u202e\r\nexe', groups: ['x\n', 'x', '\u200f', 'y\tz'] },
    ]);
    expect(await local(actor)).toMatchObject([{ name: 'gpj exe', groups: ['x', 'y z'] }]);
  });

  test('and what is no longer in it is gone', async () => {
    const actor = await exchange.account('a@example.org', 'b@example.org');
    await replace(actor, [{ email: 'c@example.org' }]);
    expect(await emails(actor)).toEqual(['c@example.org']);
  });

  test('and an empty one clears it', async () => {
    const actor = await exchange.account('a@example.org');
    await replace(actor, []);
    expect(await local(actor)).toEqual([]);
    await replace(actor, [{ email: 'a@example.org' }]);
    expect(await emails(actor)).toEqual(['a@example.org']);
  });

  test('up to its full length', async () => {
    const actor = await exchange.account();
    const full = Array.from({ length: limits.contactsPerAccount }, (_, index) => ({ email: `c${index}@example.org` }));
    await replace(actor, full);
    expect(await emails(actor)).toEqual(full.map(({ email }) => email));
  });
});

describe('a contact that exists', () => {
  test('fails the whole request, which changes nothing', async () => {
    const actor = await exchange.account('a@example.org', 'b@example.org');
    await expect(replace(actor, [{ email: 'new@example.org' }, { email: 'A@example.ORG' }])).rejects.toMatchObject(
      exists,
    );
    expect(await emails(actor)).toEqual(['a@example.org', 'b@example.org']);
  });

  test.each([true, false])('twice in the array fails too, lenient or not: %s', async (lenient) => {
    const actor = await exchange.account();
    const twice = [{ email: 'a@example.org' }, { email: 'A@EXAMPLE.org' }];
    await expect(replace(actor, twice, { lenient })).rejects.toMatchObject(exists);
    expect(await local(actor)).toEqual([]);
  });

  test('is kept or updated by a lenient request', async () => {
    const actor = await exchange.account('a@example.org', 'b@example.org');
    await replace(actor, [{ email: 'b@example.org', name: 'Bea' }, { email: 'c@example.org' }], { lenient: true });
    expect(await emails(actor)).toEqual(['b@example.org', 'c@example.org']);
    expect((await local(actor))[0]?.name).toBe('Bea');
  });

  test('of another account or of the global list is no obstacle', async () => {
    await exchange.account('shared@example.org');
    const actor = await exchange.account('shared@example.org');
    expect(await emails(actor)).toEqual(['shared@example.org']);
  });
});

describe('a version', () => {
  test('changes with every change and is returned with it', async () => {
    const actor = await exchange.account();
    const before = await engines.store.contacts.version(actor.accountId);
    const { version } = await replace(actor, [{ email: 'a@example.org' }]);
    expect(version).not.toBe(before);
    expect((await engines.store.contacts.read(actor.accountId)).version).toBe(version);
  });

  test('that is still right lets a change through, and then no longer is', async () => {
    const actor = await exchange.account();
    const version = await engines.store.contacts.version(actor.accountId);
    await replace(actor, [{ email: 'a@example.org' }], { ifVersion: ['something', version] });
    const late = replace(actor, [{ email: 'b@example.org' }], { ifVersion: [version] });
    await expect(late).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(replace(actor, [], { ifVersion: [] })).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await emails(actor)).toEqual(['a@example.org']);
  });

  test('lets one of many writers through', async () => {
    const actor = await exchange.account();
    const version = await engines.store.contacts.version(actor.accountId);
    const writers = Array.from({ length: 8 }, (_, index) =>
      replace(actor, [{ email: `writer${index}@example.org` }], { ifVersion: [version], lenient: true }),
    );
    const outcomes = await Promise.allSettled(writers);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(
      Array(7).fill('precondition_failed'),
    );
    expect(await local(actor)).toHaveLength(1);
  });

  test('also changes with the global list', async () => {
    const actor = await exchange.account();
    const before = await engines.store.contacts.version(actor.accountId);
    await replaceGlobalContacts(engines, []);
    expect(await engines.store.contacts.version(actor.accountId)).not.toBe(before);
  });
});

test('writers at once never mix their lists', async () => {
  const actor = await exchange.account();
  const lists = Array.from({ length: 6 }, (_, writer) =>
    Array.from({ length: 20 }, (_unused, index) => ({ email: `w${writer}-${index}@example.org` })),
  );
  await Promise.all(lists.map((list) => replace(actor, list, { lenient: true })));
  const found = await emails(actor);
  expect(lists.map((list) => list.map(({ email }) => email))).toContainEqual(found);
});

test.each([
  ['an address that is none', { email: 'nobody' }],
  ['NUL in a name', { email: 'a@example.org', name: 'a\0b' }],
  ['half a surrogate pair in a group', { email: 'a@example.org', groups: ['\ud800'] }],
])('%s is refused', async (_what, contact) => {
  const actor = await exchange.account();
  await expect(replace(actor, [contact])).rejects.toMatchObject({ code: 'invalid_input' });
});

test('the global list is shown to everyone, and a local contact wins over it', async () => {
  await replaceGlobalContacts(engines, [{ email: 'g@example.org', name: 'global' }, { email: 'h@example.org' }]);
  const actor = await exchange.account();
  await replace(actor, [{ email: 'g@example.org', name: 'local' }]);
  const lists = await engines.store.contacts.read(actor.accountId);
  expect(lists.global.map(({ email }) => email)).toEqual(['g@example.org', 'h@example.org']);
  const found = await engines.store.contacts.find(actor.accountId, ['g@example.org', 'h@example.org', 'x@example.org']);
  expect(found.map(({ email, name }) => `${email} ${name}`).toSorted()).toEqual([
    'g@example.org local',
    'h@example.org ',
  ]);
  await expect(
    replaceGlobalContacts(engines, [{ email: 'a@example.org' }, { email: 'A@example.org' }]),
  ).rejects.toMatchObject(exists);
  expect(await engines.store.contacts.readGlobal()).toHaveLength(2);
});
