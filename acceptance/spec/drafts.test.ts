// Our extension: the header Waybill-Draft names a draft, so that workers that share an account do not mix their files.
import { expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { assertErrorResponse, assertJson, assertStatus } from '../lib/http/expect.ts';
import { entryWith, introduce, stage } from '../lib/scenario.ts';

test('two drafts of one account have receivers, files and a list of their own', async () => {
  const account = await freshClient('drafts');
  const [one, two] = [account.inDraft('one'), account.inDraft('two')];
  const [a, b] = [uniqueAddress('a'), uniqueAddress('b')];
  await introduce(account, [a, b]);
  await stage(one, { to: [a], files: [{ name: 'one.txt', content: '1' }] });
  await stage(two, { to: [b], files: [{ name: 'two.txt', content: '2' }] });
  assertStatus(await one.createDrop({ ddmessage: 'one' }), 'ok');
  expect((await two.readFiles()).map(({ name }) => name)).toEqual(['two.txt']);
  assertStatus(await two.createDrop({ ddmessage: 'two' }), 'ok');

  for (const [message, address, name] of [
    ['one', a, 'one.txt'],
    ['two', b, 'two.txt'],
  ] as const) {
    const entry = await entryWith(account, message);
    expect(entry.receivers.map(({ email }) => email)).toEqual([address]);
    expect(entry.files.map((file) => file.name)).toEqual([name]);
  }
});

test('without the header there is one default draft, which no named draft touches', async () => {
  const account = await freshClient('default');
  const a = uniqueAddress('a');
  await introduce(account, [a]);
  await stage(account.inDraft('named'), { to: [a], files: [{ name: 'named.txt', content: 'n' }] });
  assertJson(await account.files(), []);
  assertErrorResponse(await account.createDrop({}), 409, 'no_receivers');
  assertErrorResponse(await account.removeFile('named.txt'), 404, 'not_found');
});

test('two accounts may give their drafts the same name', async () => {
  const [mine, theirs] = await Promise.all([freshClient('mine'), freshClient('theirs')]);
  assertStatus(await theirs.inDraft('same').upload({ name: 'theirs.txt', content: 't' }), 'done');
  assertJson(await mine.inDraft('same').files(), []);
});

for (const name of ['a', 'A-z_09', 'x'.repeat(64)]) {
  test(`a draft may be called ${name}`, async () => {
    const draft = (await freshClient('named')).inDraft(name);
    assertStatus(await draft.upload({ name: 'a.txt', content: 'a' }), 'done');
    expect((await draft.readFiles()).map((file) => file.name)).toEqual(['a.txt']);
  });
}

for (const [label, name] of [
  ['nothing', ''],
  ['more than 64 characters', 'x'.repeat(65)],
  ['a name with a space', 'a b'],
  ['a name with a dot', 'a.b'],
  ['a name with a slash', '../a'],
  ['a name with a letter outside ASCII', '\u00e5'],
] as const) {
  test(`a draft may not be called ${label}`, async () => {
    const account = await freshClient('misnamed');
    const response = await account.inDraft(name).files();
    assertErrorResponse(response, 400, ['malformed_request', 'invalid_input']);
  });
}
