import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import type { Actor } from '../actor.ts';
import { replaceGlobalContacts } from '../contacts/replace-contacts.ts';
import { openFileList, removeFile, setReceivers } from './change-draft.ts';

const exchange = await useTestExchange();
const { engines } = exchange;

const lockDraft = (actor: Actor, draft = '') =>
  engines.store.transaction((tx) => tx.drafts.lock(actor.accountId, draft));
const receivers = async (actor: Actor, draft = '') =>
  (await lockDraft(actor, draft)).receivers.map(({ email }) => email);
const names = async (actor: Actor, draft = '') =>
  (await engines.store.files.staged(actor.accountId, draft)).map(({ name }) => name);

const sha256Of = (content: string) => createHash('sha256').update(content).digest();

describe('receivers', () => {
  test('are replaced, and an empty array removes them', async () => {
    const actor = await exchange.account('a@example.org', 'b@example.org');
    await setReceivers(engines, actor, '', [{ email: 'a@example.org' }, { email: 'B@example.org' }]);
    expect(await receivers(actor)).toEqual(['a@example.org', 'b@example.org']);
    await setReceivers(engines, actor, '', [{ email: 'b@example.org' }]);
    expect(await receivers(actor)).toEqual(['b@example.org']);
    await setReceivers(engines, actor, '', []);
    expect(await receivers(actor)).toEqual([]);
  });

  test('take what is not sent from the contact, and what is sent from the request', async () => {
    const actor = await exchange.account();
    await replaceGlobalContacts(engines, [
      { email: 'g@example.org', name: 'G', phone: '46701234567', language: 'sv', groups: ['x'] },
    ]);
    await setReceivers(engines, actor, '', [{ email: 'g@example.org', language: 'en', groups: [], name: 'Gee' }]);
    expect((await lockDraft(actor)).receivers).toEqual([
      { email: 'g@example.org', contactName: 'G', phone: '46701234567', language: 'en', groups: [], name: 'Gee' },
    ]);
  });

  test('have names on one line, without what nobody sees', async () => {
    const actor = await exchange.account('a@example.org');
    const hidden = { contactName: 'A\r\n\u202eB', name: 'C\nD', groups: ['x\r', '\u200f'] };
    await setReceivers(engines, actor, '', [{ email: 'a@example.org', ...hidden }]);
    expect((await lockDraft(actor)).receivers).toMatchObject([{ contactName: 'A B', name: 'C D', groups: ['x'] }]);
  });

  test('must all be contacts, or none is set', async () => {
    const actor = await exchange.account('a@example.org');
    await setReceivers(engines, actor, '', [{ email: 'a@example.org' }]);
    const unknown = setReceivers(engines, actor, '', [{ email: 'stranger@example.org' }]);
    await expect(unknown).rejects.toMatchObject({ code: 'unknown_contact' });
    expect(await receivers(actor)).toEqual(['a@example.org']);
  });

  test('may not be another account’s contacts', async () => {
    await exchange.account('theirs@example.org');
    const actor = await exchange.account();
    const theirs = setReceivers(engines, actor, '', [{ email: 'theirs@example.org' }]);
    await expect(theirs).rejects.toMatchObject({ code: 'unknown_contact' });
  });

  test('are not set twice', async () => {
    const actor = await exchange.account('a@example.org');
    const list = [{ email: 'a@example.org' }, { email: 'A@example.org' }];
    await expect(setReceivers(engines, actor, '', list)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('of one draft are not those of another', async () => {
    const actor = await exchange.account('a@example.org', 'b@example.org');
    await setReceivers(engines, actor, 'one', [{ email: 'a@example.org' }]);
    await setReceivers(engines, actor, 'two', [{ email: 'b@example.org' }]);
    expect([await receivers(actor, 'one'), await receivers(actor, 'two'), await receivers(actor)]).toEqual([
      ['a@example.org'],
      ['b@example.org'],
      [],
    ]);
  });
});

describe('the file list', () => {
  test('lists the staged files and is open from then on', async () => {
    const actor = await exchange.account();
    expect((await lockDraft(actor)).listOpened).toBe(false);
    expect(await openFileList(engines, actor, '')).toEqual([]);
    expect((await lockDraft(actor)).listOpened).toBe(true);
    await exchange.upload(actor, 'b.txt', 'bb');
    await exchange.upload(actor, 'a.txt', 'a');
    expect(await openFileList(engines, actor, '')).toEqual([
      { name: 'b.txt', mediaType: 'text/plain', sizeBytes: 2, sha256: sha256Of('bb') },
      { name: 'a.txt', mediaType: 'text/plain', sizeBytes: 1, sha256: sha256Of('a') },
    ]);
  });

  test('may be opened before anything else, by many at once', async () => {
    const actor = await exchange.account();
    await Promise.all(Array.from({ length: 5 }, () => openFileList(engines, actor, 'new')));
    expect((await lockDraft(actor, 'new')).listOpened).toBe(true);
    expect((await lockDraft(actor)).listOpened).toBe(false);
  });

  test('shows nobody else’s files', async () => {
    const [actor, other] = [await exchange.account(), await exchange.account()];
    await exchange.upload(other, 'theirs.txt');
    await exchange.upload(actor, 'elsewhere.txt', 'x', 'other');
    expect(await openFileList(engines, actor, '')).toEqual([]);
  });
});

describe('removing a file', () => {
  test('takes it off the list at once and destroys its key', async () => {
    const actor = await exchange.account();
    await exchange.upload(actor, 'a.txt');
    await exchange.upload(actor, 'b.txt');
    await removeFile(engines, actor, '', 'a.txt');
    expect(await names(actor)).toEqual(['b.txt']);
    const rows = await exchange.database.query(
      'select state, wrapped_key from files where account_id = $1 and name = $2',
      [actor.accountId, 'a.txt'],
    );
    expect(rows).toEqual([{ state: 'deleting', wrapped_key: null }]);
  });

  test('finds a name in either of its spellings', async () => {
    const actor = await exchange.account();
    await exchange.upload(actor, 'u\u0308.txt');
    await removeFile(engines, actor, '', '\u00fc.txt');
    expect(await names(actor)).toEqual([]);
  });

  test.each(['missing.txt', 'A.TXT', 'a.txt ', 'a%', '_.txt'])('does not find %s', async (name) => {
    const actor = await exchange.account();
    await exchange.upload(actor, 'a.txt');
    await expect(removeFile(engines, actor, '', name)).rejects.toMatchObject({ code: 'not_found' });
    expect(await names(actor)).toEqual(['a.txt']);
  });

  test('does not find what is another’s, in another draft, sent already or removed already', async () => {
    const [actor, other] = [await exchange.account('r@example.org'), await exchange.account()];
    await exchange.drop(actor, ['r@example.org'], ['a.txt']);
    await exchange.upload(actor, 'a.txt', 'x', 'named');
    await exchange.upload(other, 'a.txt');
    await expect(removeFile(engines, actor, '', 'a.txt')).rejects.toMatchObject({ code: 'not_found' });
    await removeFile(engines, actor, 'named', 'a.txt');
    await expect(removeFile(engines, actor, 'named', 'a.txt')).rejects.toMatchObject({ code: 'not_found' });
    expect(await names(other)).toEqual(['a.txt']);
  });

  test('does not take a path for a name', async () => {
    const actor = await exchange.account();
    await expect(removeFile(engines, actor, '', '../a.txt')).rejects.toMatchObject({ code: 'invalid_name' });
  });

  test('succeeds for one of many who ask at once', async () => {
    const actor = await exchange.account();
    await exchange.upload(actor, 'a.txt');
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => removeFile(engines, actor, '', 'a.txt')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
