import { describe, expect, test } from 'vitest';
import { collectGroups } from '../../test/collect-groups.ts';
import { useTestExchange } from '../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../test/file-requests.ts';
import { sentLink } from '../../test/links.ts';
import { placeEvidence } from '../../test/place-evidence.ts';
import { serverAccountId } from './audit/record.ts';
import { batchSize } from './batch.ts';
import { readHistory } from './drops/read-history.ts';
import type { Engines } from './engines.ts';
import { openLink } from './links/open-link.ts';
import { sendFiles } from './requests/send-files.ts';
import { sweep } from './sweep.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const daySeconds = 86_400;
const keeping = (days: Partial<Record<keyof Engines['policy']['keepSeconds'], number>>) => {
  const seconds = Object.entries(days).map(([kind, count]) => [kind, count * daySeconds]);
  const keepSeconds = { ...engines.policy.keepSeconds, ...Object.fromEntries(seconds) };
  return { ...engines, policy: { ...engines.policy, keepSeconds } };
};

/** A drop of two files with three receivers, opened and delivered, that ended `daysAgo` days ago. */
async function endedDrop(daysAgo: number) {
  const { sender, dropId, link } = await sentLink(exchange, ['a.txt', 'b.txt'], ['a@x.org', 'b@x.org', 'c@x.org']);
  await openLink(engines, link);
  for (const file of await engines.store.links.files(link)) {
    await engines.store.links.deliver(link, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
  }
  await query("update messages set state = 'sent' where drop_id = $1", [dropId]);
  await end(dropId, daysAgo);
  return { sender, dropId };
}

async function end(dropId: string, daysAgo: number): Promise<void> {
  await exchange.expire(dropId);
  await sweep(engines);
  await query('update drops set ended_at = now() - make_interval(days => $2) where id = $1', [dropId, daysAgo]);
}

const readRows = async (dropId: string) =>
  (
    await query<Record<string, number>>(
      `select (select count(*)::int from drops where id = $1) as drops,
         (select count(*)::int from links where drop_id = $1) as links,
         (select count(*)::int from files where drop_id = $1) as files,
         (select count(*)::int from messages where drop_id = $1) as messages,
         (select count(*)::int from deliveries where drop_id = $1) as deliveries,
         (select count(*)::int from link_sessions where drop_id = $1) as sessions`,
      [dropId],
    )
  )[0];
const nothing = { drops: 0, links: 0, files: 0, messages: 0, deliveries: 0, sessions: 0 };

describe('a drop that ended long ago', () => {
  test('leaves no row, and a younger one is whole', async () => {
    const [old, young] = [await endedDrop(31), await endedDrop(29)];
    const whole = { drops: 1, links: 3, files: 2, messages: 3, deliveries: 2, sessions: 1 };
    expect(await readRows(old.dropId)).toEqual(whole);
    expect(await sweep(keeping({ history: 30 }))).toMatchObject({ purged: 1 });
    expect([await readRows(old.dropId), await readRows(young.dropId)]).toEqual([nothing, whole]);
    expect(await collectGroups(readHistory(engines, old.sender.accountId))).toEqual([]);
    expect(await collectGroups(readHistory(engines, young.sender.accountId))).toHaveLength(1);
  });

  test('is kept where everything is kept', async () => {
    const { dropId } = await endedDrop(10_000);
    expect(await sweep(engines)).toMatchObject({ purged: 0 });
    expect(await readRows(dropId)).toMatchObject({ drops: 1 });
    await sweep(keeping({ history: 30 }));
  });

  test('is purged a few rows at a time, and its links last', async () => {
    const { dropId } = await endedDrop(31);
    const { drops } = engines.store;
    const twoRows = { owners: 100, rows: 2 };
    expect(await drops.purge(30 * daySeconds, twoRows)).toMatchObject({ rows: 0, more: true });
    expect(await readRows(dropId)).toMatchObject({ drops: 1, links: 3, files: 2, messages: 1, deliveries: 0 });
    expect(await drops.purge(30 * daySeconds, twoRows)).toMatchObject({ rows: 1, more: false });
    expect(await readRows(dropId)).toEqual(nothing);
    expect(await drops.purge(30 * daySeconds, twoRows)).toMatchObject({ rows: 0, more: false });
  });

  test('is purged together with others only as far as a batch allows', async () => {
    for (let count = 0; count < 3; count++) await endedDrop(31);
    // Each has three links and two files.
    expect(await engines.store.drops.purge(30 * daySeconds, { owners: 100, rows: 8 })).toMatchObject({
      rows: 2,
      more: true,
    });
    expect(await engines.store.drops.purge(30 * daySeconds, batchSize)).toMatchObject({ rows: 1, more: false });
  });

  test('stays while a message of it waits', async () => {
    const { dropId } = await endedDrop(31);
    await query("update messages set state = 'waiting' where drop_id = $1 and position = 1", [dropId]);
    expect(await sweep(keeping({ history: 30 }))).toMatchObject({ purged: 0 });
    await query("update messages set state = 'abandoned' where drop_id = $1", [dropId]);
    expect(await sweep(keeping({ history: 30 }))).toMatchObject({ purged: 1 });
  });

  test('stays while objects of its files are still to be deleted', async () => {
    const { dropId } = await endedDrop(31);
    await query("update files set state = 'deleting', lease_until = now() + interval '1 hour' where drop_id = $1", [
      dropId,
    ]);
    expect(await sweep(keeping({ history: 30 }))).toMatchObject({ purged: 0 });
    await query('update files set lease_until = now() where drop_id = $1', [dropId]);
    expect(await sweep(keeping({ history: 30 }))).toMatchObject({ purged: 0, files: 2 });
    expect(await sweep(keeping({ history: 30 }))).toMatchObject({ purged: 1 });
  });
});

test('a request is purged after the last that came through it', async () => {
  const { actor, link } = await openRequestLink(exchange);
  await readyFile(engines, link, 'from a contact.txt', 'bytes');
  await sendFiles(engines, link, '');
  await query("update messages set state = 'sent' where account_id = $1", [actor.accountId]);
  const [received] = await query<{ id: string }>('select id from drops where request_id = $1', [link.dropId]);
  await end(link.dropId, 31);
  expect(await sweep(keeping({ history: 30 }))).toMatchObject({ purged: 0 });
  await end(received?.id as string, 31);
  const first = await sweep(keeping({ history: 30 }));
  expect(first.purged + (await sweep(keeping({ history: 30 }))).purged).toBe(2);
  expect(await readRows(link.dropId)).toEqual(nothing);
});

test('an audit entry is kept for as long as audit entries are, whatever becomes of its drop', async () => {
  const { sender } = await endedDrop(31);
  const entries = () => query('select at from audit_entries where account_id = $1', [sender.accountId]);
  const before = (await entries()).length;
  expect(before).toBeGreaterThan(1);
  await sweep(keeping({ history: 30, audit: 90 }));
  expect(await entries()).toHaveLength(before);
  await query(
    `update audit_entries set at = at - interval '91 days' where (account_id, id) in
      (select account_id, id from audit_entries where account_id = $1 limit 1)`,
    [sender.accountId],
  );
  await sweep(keeping({ history: 30, audit: 90 }));
  expect(await entries()).toHaveLength(before - 1);
});

test('evidence is erased at its own age, whatever becomes of its drop, and its leaf stays', async () => {
  const { sender, dropId } = await endedDrop(31);
  await placeEvidence(exchange.database);
  const entries = () =>
    query<{ kind: string; isErased: boolean }>(
      `select kind, data is null and salt is null as "isErased" from evidence_entries where account_id = $1
       order by leaf_index`,
      [sender.accountId],
    );
  const before = await entries();
  expect(before.map(({ kind }) => kind)).toEqual([
    'submission.accepted',
    'content.consigned',
    'content.consigned',
    'content.consigned',
    'link.opened',
    'drop.expired',
  ]);
  await sweep(keeping({ history: 30, evidence: 90 }));
  expect([await readRows(dropId), await entries()]).toEqual([nothing, before]);
  await query(
    "update evidence_entries set at = at - interval '91 days' where account_id = $1 and kind like '%ed' and position is null",
    [sender.accountId],
  );
  await sweep(keeping({ evidence: 90 }));
  expect(await entries()).toEqual(
    before.map(({ kind }) => ({ kind, isErased: kind === 'submission.accepted' || kind === 'drop.expired' })),
  );
  await query(
    "insert into evidence_entries (account_id, kind, data, at) values ($1, 'key.destroyed', '{}', '2000-01-01')",
    [serverAccountId],
  );
  await query(
    "insert into evidence_entries (account_id, kind, data, at) values ($1, 'link.opened', '{}', '2000-01-01')",
    [sender.accountId],
  );
  await sweep(keeping({ evidence: 90 }));
  const waiting = await query("select kind from evidence_entries where at < '2001-01-01' and salt is not null");
  expect(waiting, 'of the log itself, or without a leaf').toHaveLength(2);
});

test('a message is purged at its own age, and its drop stays; one that is waiting is not', async () => {
  const { dropId } = await endedDrop(1);
  await query(
    `update messages set settled_at = now() - make_interval(days => 8),
       state = (case when position = 0 then 'waiting' else 'sent' end)::message_state
     where drop_id = $1`,
    [dropId],
  );
  await query('update messages set settled_at = now() where drop_id = $1 and position = 1', [dropId]);
  const before = await readRows(dropId);
  await sweep(keeping({ history: 30 }));
  expect(await readRows(dropId)).toEqual(before);
  await sweep(keeping({ history: 30, messages: 7 }));
  expect(await query('select position from messages where drop_id = $1 order by position', [dropId])).toEqual([
    { position: 0 },
    { position: 1 },
  ]);
  expect(await readRows(dropId)).toEqual({ ...before, messages: 2 });
});

describe('what receivers did with a drop', () => {
  const states = ({ sender, dropId }: { sender: { accountId: string }; dropId: string }) =>
    engines.store.drops.deliveryStates(sender.accountId, dropId, -1, 1);

  test('is purged at its own age, and the drop stays in the history', async () => {
    const [old, young] = [await endedDrop(31), await endedDrop(29)];
    const before = await readRows(old.dropId);
    await sweep(keeping({ history: 365, activity: 30 }));
    expect(await readRows(old.dropId)).toEqual({ ...before, deliveries: 0 });
    expect(await readRows(young.dropId)).toEqual(before);
    expect(await states(old)).toMatchObject([
      { openedAt: null, completedAt: null, isPurged: true, files: [{ deliveredBytes: 0 }, { deliveredBytes: 0 }] },
    ]);
    expect(await states(young)).toMatchObject([
      { openedAt: expect.any(Date), completedAt: expect.any(Date), isPurged: false },
    ]);
    expect(await collectGroups(readHistory(engines, old.sender.accountId))).toHaveLength(1);
  });

  test('is purged a few rows at a time, and its drop is marked last', async () => {
    const drop = await endedDrop(31);
    const { drops } = engines.store;
    const twoRows = { owners: 100, rows: 2 };
    expect(await drops.purgeActivity(30 * daySeconds, twoRows)).toMatchObject({ rows: 0, more: true });
    expect(await states(drop)).toMatchObject([{ isPurged: false }]);
    expect(await drops.purgeActivity(30 * daySeconds, twoRows)).toMatchObject({ rows: 1, more: false });
    expect(await states(drop)).toMatchObject([{ isPurged: true }]);
    expect(await drops.purgeActivity(30 * daySeconds, twoRows)).toMatchObject({ rows: 0, more: false });
  });
});

test('an unused draft is kept for as long as drafts are', async () => {
  const actor = await exchange.account();
  await exchange.upload(actor, 'a.txt');
  await query("update drafts set touched_at = now() - interval '2 days' where account_id = $1", [actor.accountId]);
  const draft = () => query('select name from drafts where account_id = $1', [actor.accountId]);
  await sweep(keeping({ drafts: 3 }));
  expect(await draft()).toHaveLength(1);
  await sweep(keeping({ drafts: 1 }));
  expect(await draft()).toHaveLength(0);
});
