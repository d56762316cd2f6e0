import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { collectGroups } from '../../test/collect-groups.ts';
import { incomingFile, useTestExchange } from '../../test/exchange.ts';
import { announceUpload, openRequestLink, readyFile, receivedFile } from '../../test/file-requests.ts';
import type { Account } from './accounts/account-store.ts';
import type { Actor } from './actor.ts';
import { batchSize } from './batch.ts';
import { readHistory, readInbox } from './drops/read-history.ts';
import { revokeDrop } from './drops/revoke-drop.ts';
import { chunkKey } from './files/sealing.ts';
import { sweepFiles } from './files/sweep-files.ts';
import { findInboxFile } from './inbox/find-inbox-file.ts';
import type { Link } from './links/link-store.ts';
import { sendMessage } from './outbox/send-message.ts';
import { sweep } from './sweep.ts';
import { accountOwner } from './uploads/owner.ts';
import { completeUploads, stageUpload } from './uploads/stage-upload.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
// This test must not count what another test left due.
beforeEach(async () => {
  await sweep(engines);
});

const live = new AbortController().signal;
const readIds = async (actor: Actor) =>
  (await query<{ id: string }>('select id from files where account_id = $1', [actor.accountId])).map(({ id }) => id);
const leaseOver = (actor: Actor) => query('update uploads set due_at = now() where account_id = $1', [actor.accountId]);
const expire = (dropId: string) => exchange.expire(dropId);

async function sentDrop() {
  const receiver = await exchange.account();
  const sender = await exchange.account(receiver.email, 'r@example.org');
  const dropId = await exchange.drop(sender, [receiver.email, 'r@example.org'], ['a.txt', 'b.txt']);
  const [entry] = await collectGroups(readInbox(engines, receiver.accountId));
  return { sender, receiver, dropId, entryId: entry?.id as string };
}

describe('a drop past its deadline', () => {
  test('returns nothing from that moment, swept or not', async () => {
    const { sender, receiver, dropId, entryId } = await sentDrop();
    await findInboxFile(engines, receiver, entryId, 'a.txt');
    expect(await engines.store.drops.countLive(sender.accountId)).toBe(1);
    await expire(dropId);
    await expect(findInboxFile(engines, receiver, entryId, 'a.txt')).rejects.toMatchObject({ code: 'not_found' });
    expect(await collectGroups(readInbox(engines, receiver.accountId))).toEqual([]);
    expect(await engines.store.drops.countLive(sender.accountId)).toBe(0);
  });

  test('loses its keys and objects in a sweep, and keeps its line of history', async () => {
    const { sender, dropId } = await sentDrop();
    const ids = await readIds(sender);
    expect(engines.objects.keys(...ids)).toHaveLength(2);
    await expire(dropId);
    await sweep(engines);
    expect(await query('select link_key, ended_at is not null as ended from drops where id = $1', [dropId])).toEqual([
      { link_key: null, ended: true },
    ]);
    expect(await query('select distinct state, wrapped_key from files where drop_id = $1', [dropId])).toEqual([
      { state: 'gone', wrapped_key: null },
    ]);
    expect(engines.objects.keys(...ids)).toEqual([]);
    const [drop] = await collectGroups(readHistory(engines, sender.accountId));
    expect(drop?.files.map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
  });

  test('does not come back when the clock does', async () => {
    const { receiver, dropId, entryId } = await sentDrop();
    await expire(dropId);
    await sweep(engines);
    await query("update drops set expires_at = now() + interval '1 day' where id = $1", [dropId]);
    await expect(findInboxFile(engines, receiver, entryId, 'a.txt')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('has its waiting mails abandoned, and none of them sent', async () => {
    const { sender, dropId } = await sentDrop();
    await expire(dropId);
    const mailer = { send: () => Promise.reject(new Error('a mail of an ended drop was sent')) };
    const mails = await query<{ id: string }>('select id from messages where account_id = $1', [sender.accountId]);
    expect(mails).toHaveLength(2);
    await sendMessage({ ...engines, mailer }, sender.accountId, mails[0]?.id as string);
    await sweep(engines);
    await sendMessage({ ...engines, mailer }, sender.accountId, mails[1]?.id as string);
    const settled = await query(
      'select distinct state, settled_at is not null as settled from messages where account_id = $1',
      [sender.accountId],
    );
    expect(settled).toEqual([{ state: 'abandoned', settled: true }]);
  });

  test('is the only one swept', async () => {
    const [over, going] = [await sentDrop(), await sentDrop()];
    await expire(over.dropId);
    await sweep(engines);
    await findInboxFile(engines, going.receiver, going.entryId, 'a.txt');
    expect(engines.objects.keys(...(await readIds(going.sender)))).toHaveLength(2);
  });
});

describe('a drop that has ended', () => {
  const readRows = async (dropId: string) =>
    (
      await query<Record<'keys' | 'entries', number> & { toEmpty: boolean }>(
        `select to_empty as "toEmpty",
           (select count(*)::int from files where drop_id = drops.id and wrapped_key is not null) as keys,
           (select count(*)::int from inbox_entries where drop_id = drops.id) as entries
         from drops where id = $1`,
        [dropId],
      )
    )[0];

  test('is emptied a few rows at a time, and only then done with', async () => {
    const receiver = await exchange.account();
    const sender = await exchange.account(receiver.email);
    const dropId = await exchange.drop(sender, [receiver.email], ['a', 'b', 'c', 'd', 'e']);
    await expire(dropId);
    await engines.store.drops.endExpired(1000);
    expect(await readRows(dropId)).toEqual({ toEmpty: true, keys: 5, entries: 1 });
    const { drops } = engines.store;
    const twoRows = { owners: 100, rows: 2 };
    expect(await drops.empty(twoRows)).toEqual({ rows: 3, more: true });
    expect(await readRows(dropId)).toEqual({ toEmpty: true, keys: 3, entries: 0 });
    expect(await drops.empty(twoRows)).toEqual({ rows: 2, more: true });
    expect(await drops.empty(twoRows)).toEqual({ rows: 1, more: false });
    expect(await readRows(dropId)).toEqual({ toEmpty: false, keys: 0, entries: 0 });
    expect(await drops.empty(twoRows)).toEqual({ rows: 0, more: false });
  });

  test('and was left half empty by a crash is emptied by the next sweep', async () => {
    const { sender, dropId } = await sentDrop();
    const ids = await readIds(sender);
    await expire(dropId);
    await engines.store.drops.endExpired(1000);
    await engines.store.drops.empty({ owners: 100, rows: 1 });
    await sweep(engines);
    expect(await readRows(dropId)).toEqual({ toEmpty: false, keys: 0, entries: 0 });
    expect(engines.objects.keys(...ids)).toEqual([]);
  });

  test('because it was revoked has lost its keys at once', async () => {
    const { sender, dropId } = await sentDrop();
    const account = await engines.store.accounts.byId(sender.accountId);
    await revokeDrop(engines, account as Account, dropId, engines.administrator);
    expect(await readRows(dropId)).toEqual({ toEmpty: false, keys: 0, entries: 0 });
  });
});

describe('a request that is revoked', () => {
  test('ends its contact drafts: what was uploaded, is being uploaded, or was refused', async () => {
    const { actor, links } = await openRequestLink(exchange, ['c@example.org', 'd@example.org']);
    const [first, second] = links as [Link, Link];
    const { link: other } = await openRequestLink(exchange, ['e@example.org']);
    const ended = [
      await readyFile(engines, first, 'ready.txt', 'ready'),
      await receivedFile(engines, first, 'received.txt', 'received'),
      await announceUpload(engines, second, 'announced.txt', 10),
    ];
    const kept = await readyFile(engines, other, 'other.txt', 'other');
    const refused = await receivedFile(engines, second, 'refused.txt', 'refused');
    await engines.store.uploads.refuse(actor.accountId, refused, 'infected');

    const account = await engines.store.accounts.byId(actor.accountId);
    await revokeDrop(engines, account as Account, first.dropId, engines.administrator);
    await sweep(engines);
    const keys = `select id from files where wrapped_key is not null and id = any($1)
      union all select id from uploads where wrapped_key is not null and id = any($1)`;
    expect(await query(keys, [[...ended, refused, kept]])).toEqual([{ id: kept }]);
    // A chunk of an upload in progress may be stored until then.
    await query("update uploads set due_at = due_at - interval '10 minutes' where state = 'abandoned'");
    await sweep(engines);
    expect(await query('select id from files where account_id = $1', [actor.accountId])).toEqual([]);
    expect(await query('select id from uploads where account_id = $1', [actor.accountId])).toEqual([]);
    expect(await query("select name from drafts where account_id = $1 and name <> ''", [actor.accountId])).toEqual([]);
    expect(engines.objects.keys(...ended, refused)).toEqual([]);
    expect(engines.objects.keys(kept)).toHaveLength(1);
  });

  test('clears its contact drafts a few files at a time', async () => {
    const { actor, link } = await openRequestLink(exchange);
    for (const name of ['a', 'b', 'c']) await readyFile(engines, link, name, name);
    await engines.store.drops.revoke(actor.accountId, link.dropId);
    await engines.store.drops.empty(batchSize);
    const clear = () => engines.store.drafts.dropStale(86_400, { owners: 100, rows: 2 });
    expect(await clear()).toEqual({ rows: 0, more: true });
    expect(await clear()).toEqual({ rows: 1, more: false });
    expect(
      await query('select 1 from files where account_id = $1 and wrapped_key is not null', [actor.accountId]),
    ).toEqual([]);
  });
});

describe('a draft', () => {
  const age = (actor: Actor, draft: string, interval: string) =>
    query('update drafts set touched_at = now() - $3::interval where account_id = $1 and name = $2', [
      actor.accountId,
      draft,
      interval,
    ]);

  test('untouched for seven days is dropped with its files; a younger one stays', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.prepare(actor, ['r@example.org'], ['old.txt'], 'old');
    await exchange.prepare(actor, ['r@example.org'], ['young.txt'], 'young');
    const oldIds = await query<{ id: string }>("select id from files where account_id = $1 and draft = 'old'", [
      actor.accountId,
    ]);
    await age(actor, 'old', '7 days 1 second');
    await age(actor, 'young', '6 days 23 hours');
    await sweep(engines);
    expect(await query('select name from drafts where account_id = $1', [actor.accountId])).toEqual([
      { name: 'young' },
    ]);
    expect(await engines.store.files.staged(actor.accountId, 'old')).toEqual([]);
    expect(await engines.store.files.staged(actor.accountId, 'young')).toHaveLength(1);
    expect(engines.objects.keys(...oldIds.map(({ id }) => id))).toEqual([]);
  });

  test('that is dropped leaves the files of its drops alone', async () => {
    const { sender, receiver, entryId } = await sentDrop();
    await age(sender, '', '8 days');
    await sweep(engines);
    await findInboxFile(engines, receiver, entryId, 'a.txt');
  });
});

test('an idempotency key is purged after seven days, and not before', async () => {
  const { accountId } = await exchange.account();
  const digest = createHash('sha256').digest();
  const request = { requestDigest: digest, keyId: randomUUID(), response: null };
  const keys = { old: '7 days 1 second', young: '6 days 23 hours' };
  for (const [key, age] of Object.entries(keys)) {
    await engines.store.responses.insert(accountId, Buffer.from(key), request);
    await query('update responses set created_at = now() - $3::interval where account_id = $1 and key_digest = $2', [
      accountId,
      Buffer.from(key),
      age,
    ]);
  }
  await sweep(engines);
  expect(await query('select key_digest from responses where account_id = $1', [accountId])).toEqual([
    { key_digest: Buffer.from('young') },
  ]);
});

describe('an upload under way', () => {
  test('is never taken while its lease lives', async () => {
    const actor = await exchange.account();
    const owner = accountOwner(actor, '');
    const upload = await stageUpload(engines, owner, incomingFile('a.txt'));
    await sweep(engines);
    expect(engines.objects.keys(upload.writer.id)).toHaveLength(1);
    await completeUploads(engines, owner, [upload]);
    expect(await engines.store.files.staged(actor.accountId, '')).toHaveLength(1);
  });

  test('whose lease has passed loses every chunk it had claimed, stored or not', async () => {
    const actor = await exchange.account();
    const writer = { accountId: actor.accountId, id: randomUUID(), writer: randomUUID() };
    const { id } = writer;
    const upload = {
      draft: '',
      keyId: randomUUID(),
      personId: null,
      name: 'a.txt',
      path: null,
      mediaType: 'text/plain',
      sizeBytes: null,
      chunkCount: 0,
    };
    const stored = {
      wrappedKey: Buffer.alloc(60),
      keyDay: 1,
      reservedBytes: 0,
      maxStoredBytes: null,
      declared: { sha256: null, sha512: null },
    };
    await engines.store.uploads.begin(writer, { ...upload, ...stored }, 60);
    // More objects than one request deletes. Only a few of them exist; the last one was stored out of order.
    await engines.store.uploads.claim(writer, 2100, 0);
    for (const chunk of [0, 1, 7, 999, 1000, 2099])
      await engines.objects.put(chunkKey(id, chunk), [Buffer.from('x')], live);
    await leaseOver(actor);
    expect(await sweep(engines)).toMatchObject({ uploads: 1, files: 0, objects: 0 });
    expect(await engines.store.uploads.claim(writer, 2164, 0)).toBe(false);
    // An object that was on the way is stored by now.
    await engines.objects.put(chunkKey(id, 2), [Buffer.from('x')], live);
    await leaseOver(actor);
    expect(await sweep(engines)).toMatchObject({ files: 1, objects: 2100 });
    expect(engines.objects.keys(id)).toEqual([]);
    expect(await query('select 1 from uploads where account_id = $1', [actor.accountId])).toEqual([]);
  });

  test('is swept by one of many sweepers, and all end well', async () => {
    const actor = await exchange.account();
    const uploads = await Promise.all(
      Array.from({ length: 8 }, (_, index) => stageUpload(engines, accountOwner(actor, ''), incomingFile(`${index}`))),
    );
    for (const upload of uploads) upload.release();
    const sweepAll = () => Promise.all(Array.from({ length: 4 }, () => sweep(engines)));
    await leaseOver(actor);
    expect((await sweepAll()).reduce((sum, swept) => sum + swept.uploads, 0)).toBe(8);
    await leaseOver(actor);
    expect((await sweepAll()).reduce((sum, { files }) => sum + files, 0)).toBe(8);
    expect(engines.objects.keys(...uploads.map(({ writer }) => writer.id))).toEqual([]);
  });
});

test('a sweep that was broken off is finished by a later one', async () => {
  const actor = await exchange.account();
  await exchange.upload(actor, 'a.txt');
  const [id] = await readIds(actor);
  await engines.store.files.removeStaged(actor.accountId, '', 'a.txt');
  const crash = () => {
    throw new Error('killed');
  };
  await expect(sweep({ ...engines, checkpoint: crash })).rejects.toThrow('killed');
  expect(await sweep(engines)).toMatchObject({ files: 0 });
  await query('update files set lease_until = now() where account_id = $1', [actor.accountId]);
  expect(await sweep(engines)).toMatchObject({ files: 1 });
  expect([await readIds(actor), engines.objects.keys(id as string)]).toEqual([[], []]);
});

test('objects of many files are deleted by one request, and those of a large one by as many as it takes', async () => {
  const actor = await exchange.account();
  const chunkCounts = [1, 1, 2500, 1, 0, 700, 1];
  for (const [index, chunkCount] of chunkCounts.entries()) {
    await query(
      `insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, crc32, scan, chunk_count, key_day, lease_until)
       values ($1, gen_random_uuid(), 'deleting', '', 'a', 'text/plain', 0, '', 0, 'clean', $2, 1, now() - make_interval(secs => $3))`,
      [actor.accountId, chunkCount, chunkCounts.length - index],
    );
  }
  const requests: (readonly string[])[] = [];
  const deleteAll = async (keys: readonly string[]) => {
    requests.push(keys);
    return [];
  };
  const objects = { ...engines.objects, delete: deleteAll };
  expect(await sweepFiles({ ...engines, objects })).toEqual({ files: 7, objects: 3204 });
  expect(requests.map((keys) => keys.length)).toEqual([1000, 1000, 1000, 204]);
  expect(new Set(requests.flat()).size).toBe(3204);
  expect(await readIds(actor)).toEqual([]);
});

test('a large file whose deletion was broken off goes on from the chunks that are left', async () => {
  const actor = await exchange.account();
  await query(
    `insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, crc32, scan, chunk_count, key_day, lease_until)
     values ($1, gen_random_uuid(), 'deleting', '', 'a', 'text/plain', 0, '', 0, 'clean', 2500, 1, now())`,
    [actor.accountId],
  );
  let requests = 0;
  const deleteSome = async () => {
    requests += 1;
    if (requests > 2) throw new Error('away');
    return [];
  };
  const objects = { ...engines.objects, delete: deleteSome };
  await expect(sweepFiles({ ...engines, objects })).rejects.toThrow('away');
  expect(await query('select chunk_count from files where account_id = $1', [actor.accountId])).toEqual([
    { chunk_count: 500 },
  ]);
  await query('update files set lease_until = now() where account_id = $1', [actor.accountId]);
  expect(await sweep(engines)).toMatchObject({ files: 1, objects: 500 });
});
