import { limits } from '@waybill/protocol';
import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import {
  announceUpload,
  listDraftFiles,
  openRequestLink,
  readyFile,
  receivedFile,
  takeOverUpload,
} from '../../../test/file-requests.ts';
import { draftName } from '../drafts/draft-name.ts';
import type { Link } from '../links/link-store.ts';
import { announceFile } from '../requests/announce-file.ts';
import { sendFiles } from '../requests/send-files.ts';
import { sweep } from '../sweep.ts';
import { contactDraftAuthor, contactDraftName, contactDraftOwner } from './contact-draft.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const namesOn = async (link: Link) => (await listDraftFiles(engines, link)).map(({ name }) => name);

describe('the contact draft of one link', () => {
  /** A link, and others that differ from it in only one respect. */
  async function neighbours() {
    const { actor, links } = await openRequestLink(exchange, ['c@example.org', 'd@example.org']);
    const [mine, otherPosition] = links as [Link, Link];
    const { link: otherDrop } = await openRequestLink(exchange, ['c@example.org'], actor);
    const { link: otherAccount } = await openRequestLink(exchange);
    const foreign = { ...mine, accountId: otherAccount.accountId };
    return { actor, mine, others: [otherPosition, otherDrop, otherAccount, foreign] };
  }

  test('shows nothing of another’s', async () => {
    const { mine, others } = await neighbours();
    await readyFile(engines, mine, 'ready.txt');
    await announceUpload(engines, mine, 'on its way.txt', 5);
    await receivedFile(engines, mine, 'received.txt', 'x');
    expect(await namesOn(mine)).toEqual(['ready.txt', 'on its way.txt', 'received.txt']);
    for (const other of others) expect(await namesOn(other)).toEqual([]);
  });

  test('touches nothing of another’s', async () => {
    const { mine, others } = await neighbours();
    const ids = [
      await readyFile(engines, mine, 'ready.txt'),
      await announceUpload(engines, mine, 'on its way.txt', 5),
      await receivedFile(engines, mine, 'received.txt', 'x'),
    ];
    const rows = async () => [
      await query('select * from files where account_id = $1 order by id', [mine.accountId]),
      await query('select * from uploads where account_id = $1 order by id', [mine.accountId]),
    ];
    const before = await rows();
    for (const other of others) {
      for (const id of ids) {
        await expect(takeOverUpload(engines, other, id)).rejects.toThrow('no such upload');
        expect(await engines.store.uploads.remove(other.accountId, contactDraftName(other), id)).toBe(false);
      }
      const refusals = { code: expect.stringMatching(/^(?:no_files|link_ended)$/) };
      await expect(sendFiles(engines, other, '')).rejects.toMatchObject(refusals);
    }
    expect(await rows()).toEqual(before);
  });

  test('does not have its files replaced by another’s of the same name', async () => {
    const { actor, mine, others } = await neighbours();
    await readyFile(engines, mine, 'a.txt', 'mine');
    for (const other of others.slice(0, 3)) await readyFile(engines, other, 'a.txt', 'another');
    await exchange.upload(actor, 'a.txt', 'the account’s own');
    expect(await listDraftFiles(engines, mine)).toMatchObject([{ name: 'a.txt', sizeBytes: 4, state: 'ready' }]);
  });

  test('is out of reach for the account’s own drafts', async () => {
    const { actor, mine } = await neighbours();
    await readyFile(engines, mine, 'a.txt');
    expect(await engines.store.files.staged(actor.accountId, '')).toEqual([]);
    expect(() => draftName(contactDraftName(mine))).toThrow();
  });

  test('belongs to the contact, within the account', async () => {
    const { actor, mine } = await neighbours();
    const { accountId, draft, author } = contactDraftOwner(mine);
    expect(accountId).toBe(actor.accountId);
    expect(author).toEqual({ kind: 'link', id: `${mine.dropId}:${mine.position}`, name: 'c@example.org' });
    expect(contactDraftAuthor(draft)).toEqual({ ...author, name: draft });
  });
});

describe('what is announced', () => {
  const announce = (link: Link, changes: Partial<Parameters<typeof announceFile>[2]>) =>
    announceFile(engines, link, {
      id: engines.random.uuid(),
      name: 'a.txt',
      mediaType: 'text/plain',
      sizeBytes: 5,
      ...changes,
    });

  test('is refused when it is larger than the policy allows', async () => {
    const { link } = await openRequestLink(exchange);
    const { maxFileBytes } = engines.policy;
    await expect(announce(link, { sizeBytes: maxFileBytes + 1 })).rejects.toMatchObject({ code: 'too_large' });
    expect(await namesOn(link)).toEqual([]);
    await announce(link, { sizeBytes: maxFileBytes });
    expect(await listDraftFiles(engines, link)).toMatchObject([{ sizeBytes: maxFileBytes, receivedBytes: 0 }]);
  });

  test('needs a name that is one', async () => {
    const { link } = await openRequestLink(exchange);
    for (const name of ['', '../a', 'a\0b', 'a/b']) {
      await expect(announce(link, { name })).rejects.toMatchObject({ code: 'invalid_name' });
    }
    expect(await namesOn(link)).toEqual([]);
  });

  test('is as much as a contact draft holds and no more, also at once; what is removed makes room', async () => {
    const { link } = await openRequestLink(exchange);
    await announce(link, {});
    await query(
      `insert into uploads (account_id, id, draft, name, media_type, size_bytes, writer, wrapped_key, key_day, due_at)
       select account_id, gen_random_uuid(), draft, 'file ' || n, media_type, 5, writer, wrapped_key, key_day, due_at
       from uploads, generate_series(1, $2::int) n where account_id = $1`,
      [link.accountId, limits.filesPerDraft - 3],
    );
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, nth) => announce(link, { name: `one more ${nth}` })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(announce(link, { name: 'one too many' })).rejects.toMatchObject({ code: 'too_many_files' });
    const files = await listDraftFiles(engines, link);
    expect(files).toHaveLength(limits.filesPerDraft);
    await engines.store.uploads.remove(link.accountId, contactDraftName(link), files[0]?.id as string);
    await announce(link, { name: 'fits' });
  });

  test.each([
    ['image/svg+xml', 'image/svg+xml'],
    ['', 'application/octet-stream'],
    ['a\0/b', 'application/octet-stream'],
    ['text/plain; charset="\u202e"', 'application/octet-stream'],
    [`text/${'x'.repeat(1000)}`, 'application/octet-stream'],
  ])('as %j is kept as %s', async (mediaType, kept) => {
    const { link } = await openRequestLink(exchange);
    await announce(link, { mediaType });
    expect(await query('select media_type from uploads where account_id = $1', [link.accountId])).toEqual([
      { media_type: kept },
    ]);
  });
});

test('a contact draft that nobody has touched for a week is cleared', async () => {
  const { link } = await openRequestLink(exchange);
  const id = await readyFile(engines, link, 'a.txt');
  const refused = await receivedFile(engines, link, 'b.txt', 'b');
  await engines.store.uploads.refuse(link.accountId, refused, 'infected');
  await receivedFile(engines, link, 'c.txt', 'c');
  await sweep(engines);
  expect(await namesOn(link)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  await query("update drafts set touched_at = now() - interval '8 days' where name = $1", [contactDraftName(link)]);
  await sweep(engines);
  expect(await namesOn(link)).toEqual([]);
  // An upload that never completed is deleted once none of its objects can still be on the way to the store.
  await query('update uploads set due_at = now() where account_id = $1', [link.accountId]);
  await sweep(engines);
  expect(await query('select 1 from uploads where account_id = $1', [link.accountId])).toEqual([]);
  expect(await query('select 1 from files where account_id = $1 or id = $2', [link.accountId, id])).toEqual([]);
});
