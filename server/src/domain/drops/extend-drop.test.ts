import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { openRequestLink } from '../../../test/file-requests.ts';
import { sentLink } from '../../../test/links.ts';
import { findAccount } from '../accounts/read-accounts.ts';
import { setAccountQuotas } from '../accounts/set-quotas.ts';
import type { Actor } from '../actor.ts';
import { findLink, findSession } from '../links/find-link.ts';
import { openLink } from '../links/open-link.ts';
import { sweep } from '../sweep.ts';
import { extendDrop } from './extend-drop.ts';
import { revokeDrop } from './revoke-drop.ts';

const dayMs = 86_400_000;
/** The test's drops live for 7 days and may live for up to 30. */
const inDays = (days: number) => new Date(Date.now() + days * dayMs);

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const extend = async ({ email }: Actor, dropId: string, until: Date) =>
  extendDrop(engines, await findAccount(engines, email), dropId, until);
const readRow = async (dropId: string) => {
  const [row] = await query<{ expires_at: Date; remind_at: Date | null }>(
    'select expires_at, remind_at from drops where id = $1',
    [dropId],
  );
  return row;
};
const readEntries = (dropId: string) =>
  query<{ actor: string; before: unknown; after: unknown }>(
    `select author_name as actor, before, after from audit_entries where action = 'drop.extended' and details ->> 'dropId' = $1`,
    [dropId],
  );
/** Moves the times of a drop and of the browsers in which it is open. */
const letPass = async (dropId: string, days: number) => {
  const time = `make_interval(days => ${days})`;
  await query(`update drops set expires_at = expires_at - ${time}, remind_at = remind_at - ${time} where id = $1`, [
    dropId,
  ]);
  await query(`update link_sessions set purge_at = purge_at - ${time} where drop_id = $1`, [dropId]);
};

test('a drop can be opened past its old deadline, until the new one', async () => {
  const { sender, dropId, token } = await sentLink(exchange, ['a.txt']);
  await extend(sender, dropId, inDays(20));
  await letPass(dropId, 8);
  await sweep(engines);
  const link = await findLink(engines, token, 'downloadfiles');
  expect(await engines.store.links.files(link)).toHaveLength(1);
  await letPass(dropId, 13);
  await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_ended' });
});

test('a request is extended too, and has no reminder', async () => {
  const { actor, link } = await openRequestLink(exchange);
  const until = inDays(20);
  await extend(actor, link.dropId, until);
  expect(await readRow(link.dropId)).toEqual({ expires_at: until, remind_at: null });
});

test('a browser in which it is open is known for as long after the new deadline as after the old one', async () => {
  const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
  const secret = await openLink(engines, link);
  await extend(sender, dropId, inDays(29));
  await letPass(dropId, 29 + 29);
  await sweep(engines);
  await expect(findSession(engines, secret, 'downloadfiles')).rejects.toMatchObject({ code: 'link_ended' });
  await letPass(dropId, 2);
  await sweep(engines);
  await expect(findSession(engines, secret, 'downloadfiles')).rejects.toMatchObject({ code: 'link_not_opened' });
});

test('the reminder moves along, also one that was sent before the old deadline', async () => {
  const { sender, dropId } = await sentLink(exchange, ['a.txt']);
  await extend(sender, dropId, inDays(20));
  const moved = await readRow(dropId);
  expect(Number(moved?.expires_at) - Number(moved?.remind_at)).toBe(dayMs);

  await query('update drops set remind_at = now() where id = $1', [dropId]);
  await engines.store.outbox.remind(1000);
  expect((await readRow(dropId))?.remind_at).toBeNull();
  await extend(sender, dropId, inDays(25));
  const again = await readRow(dropId);
  expect(Number(again?.expires_at) - Number(again?.remind_at)).toBe(dayMs);
});

test('where little time is left, the reminder comes in its last quarter and not at once', async () => {
  const { sender, dropId } = await sentLink(exchange, ['a.txt']);
  await query(`update drops set expires_at = now() + interval '1 minute', remind_at = null where id = $1`, [dropId]);
  await extend(sender, dropId, new Date(Date.now() + 4 * 3_600_000));
  const row = await readRow(dropId);
  expect((Number(row?.expires_at) - Number(row?.remind_at)) / 3_600_000).toBeCloseTo(1, 2);
});

test('is recorded with the old and the new deadline', async () => {
  const { sender, dropId } = await sentLink(exchange, ['a.txt']);
  const from = (await readRow(dropId))?.expires_at;
  const until = inDays(9);
  await extend(sender, dropId, until);
  expect(await readEntries(dropId)).toEqual([
    { actor: 'admin', before: { expiresAt: from?.toISOString() }, after: { expiresAt: until.toISOString() } },
  ]);
});

test.each([
  ['an earlier time', 6, /^Choose a time after 2.*revoke it\.$/],
  ['a time in the past', -1, /^Choose a time after /],
  ['more than the longest lifetime from now', 31, /^Choose a time up to 2/],
])('%s is refused', async (_what, days, message) => {
  const { sender, dropId } = await sentLink(exchange, ['a.txt']);
  const before = await readRow(dropId);
  await expect(extend(sender, dropId, inDays(days))).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(message),
  });
  expect(await readRow(dropId)).toEqual(before);
  expect(await readEntries(dropId)).toEqual([]);
});

test('what has ended stays ended, whether swept or not', async () => {
  const { sender, dropId } = await sentLink(exchange, ['a.txt']);
  await letPass(dropId, 8);
  for (const swept of [false, true]) {
    if (swept) await sweep(engines);
    await expect(extend(sender, dropId, inDays(9))).rejects.toMatchObject({
      code: 'link_ended',
      message: expect.stringMatching(/^The deadline passed at .*Make a new one instead\.$/),
    });
  }
  const revoked = await sentLink(exchange, ['a.txt']);
  await revokeDrop(engines, await findAccount(engines, revoked.sender.email), revoked.dropId, engines.administrator);
  await expect(extend(revoked.sender, revoked.dropId, inDays(9))).rejects.toMatchObject({ code: 'link_revoked' });
});

test('is the account’s own', async () => {
  const { sender, dropId } = await sentLink(exchange, ['a.txt']);
  const before = await readRow(dropId);
  await expect(extend(await exchange.account(), dropId, inDays(9))).rejects.toMatchObject({ code: 'not_found' });
  await expect(extend(sender, randomUUID(), inDays(9))).rejects.toMatchObject({ code: 'not_found' });
  expect(await readRow(dropId)).toEqual(before);
});

test('the new deadline is one of the lifetimes that the account may give, counted from now', async () => {
  const { sender, dropId } = await sentLink(exchange, ['a.txt']);
  await setAccountQuotas(engines, { id: sender.accountId }, { lifetimes: [7, 14] });
  await expect(extend(sender, dropId, inDays(10))).rejects.toMatchObject({ code: 'invalid_input' });
  const until = inDays(14);
  await extend(sender, dropId, until);
  expect((await readRow(dropId))?.expires_at).toEqual(until);
});
