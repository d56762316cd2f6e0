import { expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import type { Actor } from '../actor.ts';
import { removeFile } from '../drafts/change-draft.ts';
import { sweep } from '../sweep.ts';
import { placeHold, releaseHold } from './change-holds.ts';

const why = { name: 'Case 17', reason: 'order of the court', by: 'Anna' };
const exchange = await useTestExchange();
const { engines } = exchange;

const hold = (actor: Actor, dropId: string | null = null) =>
  placeHold(engines, { id: actor.accountId, email: actor.email }, { ...why, dropId });
const release = (id: string) => releaseHold(engines, id, 'Bertil');

async function sendDrop() {
  const actor = await exchange.account('r@example.org');
  return { actor, dropId: await exchange.drop(actor, ['r@example.org'], ['a.txt']) };
}

test('the deadline of a held drop stays: its files cannot be downloaded after it', async () => {
  const receiver = await exchange.account();
  const actor = await exchange.account(receiver.email);
  const dropId = await exchange.drop(actor, [receiver.email], ['a.txt']);
  await hold(actor, dropId);
  const [entry] = await engines.store.drops.inboxPage(receiver.accountId, undefined, 10);
  expect(await engines.store.files.inInbox(receiver.accountId, entry?.id ?? '')).toHaveLength(1);
  await exchange.expireAll(actor);
  expect(await engines.store.files.inInbox(receiver.accountId, entry?.id ?? '')).toEqual([]);
  await sweep(engines);
  expect(await engines.store.files.inInbox(receiver.accountId, entry?.id ?? '')).toEqual([]);
});

test('is recorded when it is placed and when it is released, with who and why', async () => {
  const { actor, dropId } = await sendDrop();
  const id = await hold(actor, dropId);
  await release(id);
  const entries = await exchange.database.query(
    "select author_id, author_name, action, details from audit_entries where account_id = $1 and action like 'hold.%' order by id",
    [actor.accountId],
  );
  expect(entries).toEqual([
    {
      author_id: 'tester',
      author_name: 'Anna',
      action: 'hold.placed',
      details: { holdId: id, dropId, name: why.name, reason: why.reason },
    },
    {
      author_id: 'tester',
      author_name: 'Bertil',
      action: 'hold.released',
      details: { holdId: id, dropId, name: why.name },
    },
  ]);
  await expect(release(id)).rejects.toMatchObject({ code: 'not_found' });
  const filter = { accountId: actor.accountId, released: false };
  expect(await engines.store.holds.page(filter, undefined, 10)).toEqual([]);
  expect(await engines.store.holds.page({ ...filter, released: true }, undefined, 10)).toMatchObject([
    { id, dropId, name: why.name, placedBy: 'Anna', releasedBy: 'Bertil' },
  ]);
});

test('is placed only on a drop of the account', async () => {
  const [{ dropId }, other] = [await sendDrop(), await exchange.account()];
  await expect(hold(other, dropId)).rejects.toMatchObject({ code: 'not_found' });
});

test('waits for a deletion that has begun, and a deletion that begins later sees it', async () => {
  const actor = await exchange.account();
  await exchange.upload(actor, 'a.txt');
  const inForce = () => engines.store.holds.page({ accountId: actor.accountId, released: false }, undefined, 1);
  let placing: Promise<string> | undefined;
  await engines.store.transaction(async (tx) => {
    await tx.drafts.dropStale(0, { owners: 10, rows: 10 });
    placing = hold(actor);
    await waitsForLock();
    expect(await inForce()).toEqual([]);
  });
  await placing;
  await exchange.upload(actor, 'b.txt');
  await removeFile(engines, actor, '', 'b.txt');
  const states = await exchange.database.query('select name, state from files where account_id = $1 order by name', [
    actor.accountId,
  ]);
  expect(states).toEqual([
    { name: 'a.txt', state: 'deleting' },
    { name: 'b.txt', state: 'held' },
  ]);
});

test('waits for records that are being removed', async () => {
  const { actor, dropId } = await sendDrop();
  const entries = () => exchange.database.query('select from audit_entries where account_id = $1', [actor.accountId]);
  let placing: Promise<string> | undefined;
  await engines.store.transaction(async (tx) => {
    await tx.audit.purge(0, 1000);
    placing = hold(actor, dropId);
    await waitsForLock();
  });
  await placing;
  expect(await entries(), 'that of the hold').toHaveLength(1);
  await engines.store.audit.purge(0, 1000);
  expect(await entries()).toHaveLength(1);
});

const waitsForLock = () =>
  expect
    .poll(() => exchange.database.query("select from pg_locks where locktype = 'advisory' and not granted"))
    .toHaveLength(1);
