import { expect, test } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { sentLink } from '../../test/links.ts';
import { placeEvidence } from '../../test/place-evidence.ts';
import { runAdmin } from '../../test/run-admin.ts';
import { findAccount } from '../domain/accounts/read-accounts.ts';
import { placeHold, releaseHold } from '../domain/holds/change-holds.ts';
import { openLink } from '../domain/links/open-link.ts';
import { recordDelivery } from '../domain/links/record-delivery.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const erase = async (address: string, ...options: string[]) =>
  JSON.parse(await runAdmin(exchange, 'evidence', 'erase', '--address', address, '--yes', '--json', ...options));
const countAudited = async () =>
  (await query("select from audit_entries where action = 'evidence.erased' and author_id = 'tester'")).length;

/** The entries of a drop that can still name someone, by their stories. */
const readStories = async (dropId: string) => {
  const rows = await query<{ story: string; kinds: string[]; texts: string }>(
    `select coalesce(position::text, 'drop') as story, array_agg(kind order by sequence) as kinds
     from evidence_entries where drop_id = $1 and data is not null and salt is not null
     group by position order by position nulls first`,
    [dropId],
  );
  return Object.fromEntries(rows.map(({ story, kinds }) => [story, kinds]));
};

/** A drop to Kim and another receiver, of which Kim has the file. */
async function deliveredDrop(kim: string) {
  const sent = await sentLink(exchange, ['Kim’s contract.txt'], [kim, 'other@example.net']);
  await openLink(engines, sent.link);
  const [file] = await engines.store.links.files(sent.link);
  if (!file) throw new Error('there is no file');
  await recordDelivery(engines, sent.link, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
  await placeEvidence(exchange.database);
  return sent;
}

test('a receiver is erased with their whole story, and others are not', async () => {
  const { sender, dropId } = await deliveredDrop('kim@example.net');
  const whole = {
    drop: ['submission.accepted'],
    '0': ['content.consigned', 'link.opened', 'content.handed_over'],
    '1': ['content.consigned'],
  };
  expect(await readStories(dropId)).toEqual(whole);
  await expect(runAdmin(exchange, 'evidence', 'erase', '--address', 'kim@example.net')).rejects.toThrow('--yes');
  expect(await readStories(dropId)).toEqual(whole);
  expect(await erase('nobody@example.net')).toEqual({ address: 'nobody@example.net', erased: 0, remaining: 0 });
  expect(await countAudited()).toBe(0);

  expect(await erase('Kim@Example.net')).toEqual({ address: 'Kim@Example.net', erased: 3, remaining: 0 });
  expect(await readStories(dropId)).toEqual({ drop: whole.drop, '1': whole['1'] });
  expect(await countAudited()).toBe(1);
  expect(await erase(sender.email)).toMatchObject({ erased: 1, remaining: 0 });
  expect(await readStories(dropId)).toEqual({ '1': whole['1'] });
  const leaves = await query('select from evidence_entries where drop_id = $1 and commitment is not null', [dropId]);
  expect(leaves).toHaveLength(5);
  const audited = await query(
    "select from audit_entries where action = 'evidence.erased' and (details::text || coalesce(addresses::text, '')) ilike '%kim@%'",
  );
  expect(audited).toEqual([]);
});

test('a legal hold keeps evidence, and what waits for its leaf is kept until it has one', async () => {
  const { sender, dropId, link } = await deliveredDrop('bo@example.net');
  const account = await findAccount(engines, sender.email);
  const holdId = await placeHold(engines, account, { dropId, name: 'Case 1', reason: 'a court', by: 'Anna' });
  expect(await erase('bo@example.net')).toMatchObject({ erased: 0, remaining: 1 });
  await releaseHold(engines, holdId, 'Anna');
  await engines.store.evidence.append([
    { ...link, kind: 'notification.failed', data: { to: 'bo@example.net', reason: 'full' } },
  ]);
  expect(await erase('bo@example.net')).toMatchObject({ erased: 3, remaining: 1 });
  await placeEvidence(exchange.database);
  expect(await erase('bo@example.net')).toMatchObject({ erased: 1, remaining: 0 });
  expect((await readStories(dropId))['0']).toBeUndefined();
});

test('a long story is erased in batches, and is found until nothing is left of it', async () => {
  const { sender, dropId, link } = await deliveredDrop('long@example.net');
  const file = { name: 'a.txt', size: 1, sha256: '00' };
  const { accountId, position } = link;
  await engines.store.evidence.append(
    Array.from({ length: 2_500 }, () => {
      return { accountId, dropId, position, kind: 'content.handed_over', data: { file, via: 'link' } } as const;
    }),
  );
  await placeEvidence(exchange.database);
  const { eraseNaming } = engines.store.evidence;
  expect(await eraseNaming('long@example.net', { owners: 10, rows: 1000 })).toEqual({ rows: 1000, more: true });
  expect(await erase('long@example.net')).toMatchObject({ erased: 1503, remaining: 0 });
  expect(await readStories(dropId)).toEqual({ drop: ['submission.accepted'], '1': ['content.consigned'] });
  expect(await erase(sender.email)).toMatchObject({ erased: 1 });
});
