import { describe, expect, test } from 'vitest';
import { collectGroups } from '../../../test/collect-groups.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import type { Actor } from '../actor.ts';
import { findInboxFile } from '../inbox/find-inbox-file.ts';
import { type HistoryDrop, type InboxDrop, readHistory, readInbox } from './read-history.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const history = (actor: Actor): Promise<HistoryDrop[]> => collectGroups(readHistory(engines, actor.accountId));
const inbox = (actor: Actor): Promise<InboxDrop[]> => collectGroups(readInbox(engines, actor.accountId));

/** Drops as they would be after years of use, with receivers and files, all written at once. */
async function manyDrops(
  actor: Actor,
  count: number,
  options: { receivers?: number; files?: number; spread?: string } = {},
) {
  const { receivers = 1, files = 1, spread = '0' } = options;
  await query(
    `insert into drops (account_id, id, type, message, lifetime, created_at, expires_at, receiver_count, file_count, link_key, key_day)
     select $1, gen_random_uuid(), 'downloadfiles', 'drop ' || n, 7, timestamptz '2026-01-01 00:00:00.123456Z' + n * $5::interval,
       now() + interval '1 day', $3::int, $4::int, '', 99999
     from generate_series(1, $2::int) n`,
    [actor.accountId, count, receivers, files, spread],
  );
  await query(
    `insert into links (account_id, drop_id, position, email, phone, language, groups, contact_name, token_digest)
     select account_id, id, p, message || ' receiver ' || p, '', '', '{}', '', sha256((id || ':' || p)::bytea)
     from drops, generate_series(0, $2::int - 1) p where account_id = $1`,
    [actor.accountId, receivers],
  );
  await query(
    `insert into files (account_id, id, state, draft, drop_id, name, media_type, size_bytes, sha256, crc32, scan, chunk_count,
       wrapped_key, key_day)
     select account_id, gen_random_uuid(), 'ready', '', id, message || ' file ' || p, 'text/plain', 0, '', 0, 'clean', 1, '', 99999
     from drops, generate_series(1, $2::int) p where account_id = $1`,
    [actor.accountId, files],
  );
}

describe('the history', () => {
  test('is newest first, with receivers and files in their order', async () => {
    const actor = await exchange.account('r@example.org', 's@example.org');
    const first = await exchange.drop(actor, ['s@example.org', 'r@example.org'], ['b.txt', 'a.txt']);
    const second = await exchange.drop(actor, ['r@example.org'], ['c.txt']);
    const drops = await history(actor);
    expect(drops.map(({ id }) => id)).toEqual([second, first]);
    expect(drops[1]).toMatchObject({
      receivers: [{ email: 's@example.org' }, { email: 'r@example.org' }],
      files: [
        { name: 'b.txt', scan: 'unscanned' },
        { name: 'a.txt', scan: 'unscanned' },
      ],
    });
  });

  test('is nobody else’s', async () => {
    const [actor, other] = [await exchange.account('r@example.org'), await exchange.account()];
    await exchange.drop(actor, ['r@example.org'], ['a.txt']);
    expect(await history(other)).toEqual([]);
  });

  // A page has 200 entries.
  test.each([
    ['none', 0],
    ['a page', 200],
    ['a page and one', 201],
    ['several pages', 650],
  ])('of %s is complete, though all were made in the same microsecond', async (_what, count) => {
    const actor = await exchange.account();
    await manyDrops(actor, count);
    const drops = await history(actor);
    expect(drops).toHaveLength(count);
    expect(new Set(drops.map(({ id }) => id)).size).toBe(count);
    for (const drop of drops) {
      expect(drop.receivers.map(({ email }) => email)).toEqual([`${drop.message} receiver 0`]);
      expect(drop.files.map(({ name }) => name)).toEqual([`${drop.message} file 1`]);
    }
  });

  test('tells times apart by a microsecond', async () => {
    const actor = await exchange.account();
    await manyDrops(actor, 450, { spread: '1 microsecond' });
    const numbers = (await history(actor)).map(({ message }) => Number(message.split(' ')[1]));
    expect(numbers).toEqual(Array.from({ length: 450 }, (_, index) => 450 - index));
  });

  test('of large drops is read in groups of bounded size', async () => {
    const actor = await exchange.account();
    await manyDrops(actor, 12, { receivers: 300, files: 200, spread: '1 second' });
    const groups: HistoryDrop[][] = [];
    for await (const group of readHistory(engines, actor.accountId)) groups.push(group);
    expect(groups.map((group) => group.length)).toEqual([3, 3, 3, 3]);
    for (const drop of groups.flat()) expect([drop.receivers.length, drop.files.length]).toEqual([300, 200]);
  });

  test('holds no connection between two reads', async () => {
    const actor = await exchange.account();
    await manyDrops(actor, 250);
    for await (const _ of readHistory(engines, actor.accountId)) {
      const { totalCount, idleCount } = exchange.database.pool;
      expect(idleCount).toBe(totalCount);
    }
  });
});

describe('the inbox', () => {
  test('shows a drop to the receivers who have an account, and to no one else', async () => {
    const [receiver, bystander] = [await exchange.account(), await exchange.account()];
    const sender = await exchange.account(receiver.email, 'elsewhere@example.org');
    const dropId = await exchange.drop(sender, [receiver.email, 'elsewhere@example.org'], ['a.txt']);
    const [entry, ...more] = await inbox(receiver);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ dropId, sender: sender.email, lifetime: 7, files: [{ name: 'a.txt' }] });
    expect(entry?.id).not.toBe(dropId);
    expect([await inbox(bystander), await inbox(sender)]).toEqual([[], []]);
  });

  test('never shows what one sends to oneself', async () => {
    const sender = await exchange.account();
    const self = { ...sender };
    await exchange.database.query(
      `insert into contacts (account_id, email, position, phone, language, groups, name) values ($1, $2, 0, '', '', '{}', '')`,
      [self.accountId, self.email],
    );
    await exchange.drop(sender, [sender.email], ['a.txt']);
    expect(await inbox(sender)).toEqual([]);
    expect(await history(sender)).toHaveLength(1);
  });

  test('keeps several senders’ files apart, over more than a page', async () => {
    const receiver = await exchange.account();
    const senders = [await exchange.account(), await exchange.account()];
    for (const sender of senders) {
      await manyDrops(sender, 150);
      await query(
        `insert into inbox_entries (account_id, id, sender_account_id, drop_id, created_at)
         select $1, gen_random_uuid(), account_id, id, timestamptz '2026-01-01' from drops where account_id = $2`,
        [receiver.accountId, sender.accountId],
      );
    }
    const entries = await inbox(receiver);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(300);
    for (const sender of senders) {
      const theirs = entries.filter((entry) => entry.sender === sender.email);
      expect(theirs).toHaveLength(150);
      const names = new Map((await history(sender)).map((drop) => [drop.id, drop.files]));
      for (const entry of theirs) expect(entry.files).toEqual(names.get(entry.dropId));
    }
  });
});

describe('a file of the inbox', () => {
  test('is found by its entry and name, in either spelling', async () => {
    const receiver = await exchange.account();
    const sender = await exchange.account(receiver.email);
    await exchange.drop(sender, [receiver.email], ['\u00fc.txt', 'b.txt']);
    const [entry] = await inbox(receiver);
    const file = await findInboxFile(engines, receiver, entry?.id as string, 'u\u0308.txt');
    expect(file).toMatchObject({ name: '\u00fc.txt', accountId: sender.accountId });
  });

  test('is not found under another name, entry, or by another account', async () => {
    const [receiver, bystander] = [await exchange.account(), await exchange.account()];
    const sender = await exchange.account(receiver.email);
    const dropId = await exchange.drop(sender, [receiver.email], ['a.txt']);
    const [entry] = await inbox(receiver);
    const id = entry?.id as string;
    const wrong: [Actor, string, string][] = [
      [receiver, id, 'b.txt'],
      [receiver, id, 'A.txt'],
      [receiver, dropId, 'a.txt'],
      [receiver, 'cgi', 'a.txt'],
      [receiver, id.toUpperCase(), 'a.txt'],
      [bystander, id, 'a.txt'],
      [sender, id, 'a.txt'],
    ];
    for (const [actor, entryId, name] of wrong) {
      await expect(findInboxFile(engines, actor, entryId, name)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(findInboxFile(engines, receiver, id, '../a.txt')).rejects.toMatchObject({ code: 'invalid_name' });
  });

  test('that was never scanned does not leave under a policy that requires it', async () => {
    const receiver = await exchange.account();
    const sender = await exchange.account(receiver.email);
    await exchange.drop(sender, [receiver.email], ['a.txt']);
    const [entry] = await inbox(receiver);
    const strict = { ...engines, policy: { ...engines.policy, scan: 'required' as const } };
    await expect(findInboxFile(strict, receiver, entry?.id as string, 'a.txt')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
