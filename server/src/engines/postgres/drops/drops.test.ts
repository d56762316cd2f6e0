import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { collectGroups } from '../../../../test/collect-groups.ts';
import { useTestExchange } from '../../../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../../../test/file-requests.ts';
import { deriveToken, sentLink } from '../../../../test/links.ts';
import { batchSize } from '../../../domain/batch.ts';
import { readHistory, readInbox } from '../../../domain/drops/read-history.ts';
import { findInboxFile } from '../../../domain/inbox/find-inbox-file.ts';
import { findLink, findSession } from '../../../domain/links/find-link.ts';
import type { DroppedFile, Link } from '../../../domain/links/link-store.ts';
import { openLink } from '../../../domain/links/open-link.ts';
import { sendFiles } from '../../../domain/requests/send-files.ts';
import { sweep } from '../../../domain/sweep.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const dropRow = async (dropId: string) => {
  const [row] = await query<{
    ended_at: Date | null;
    revoked_at: Date | null;
    link_key: Buffer | null;
    remind_at: Date | null;
  }>('select ended_at, revoked_at, link_key, remind_at from drops where id = $1', [dropId]);
  return row;
};
const revoke = async (accountId: string, dropId: string) => {
  const revoked = await engines.store.drops.revoke(accountId, dropId);
  await engines.store.drops.empty(batchSize, { accountId, dropId });
  return revoked !== undefined;
};
const readStates = (accountId: string, dropId: string, after = -1, count = 100) =>
  engines.store.drops.deliveryStates(accountId, dropId, after, count);

describe('a revoked drop', () => {
  test('is over at once: its links, its sessions, its inbox entries, its keys and its objects', async () => {
    const receiver = await exchange.account();
    const { sender, dropId, link, token } = await sentLink(exchange, ['a.txt'], [receiver.email]);
    const secret = await openLink(engines, link);
    const [entry] = await collectGroups(readInbox(engines, receiver.accountId));
    const [file] = await engines.store.links.files(link);
    expect(await revoke(sender.accountId, dropId)).toBe(true);
    await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_revoked' });
    await expect(findSession(engines, secret, 'downloadfiles')).rejects.toMatchObject({ code: 'link_revoked' });
    await expect(findInboxFile(engines, receiver, entry?.id as string, 'a.txt')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await collectGroups(readInbox(engines, receiver.accountId))).toEqual([]);
    expect(await engines.store.links.files(link)).toEqual([]);
    expect(await engines.store.links.key(link)).toBeUndefined();
    expect(await engines.store.drops.countLive(sender.accountId)).toBe(0);
    expect(await dropRow(dropId)).toMatchObject({
      ended_at: expect.any(Date),
      revoked_at: expect.any(Date),
      link_key: null,
      remind_at: null,
    });
    await sweep(engines);
    expect([...engines.objects.objects.keys()].filter((key) => key.startsWith(file?.id as string))).toEqual([]);
    expect(await collectGroups(readHistory(engines, sender.accountId))).toMatchObject([{ files: [{ name: 'a.txt' }] }]);
  });

  test('stays revoked past its deadline, and is not swept a second time', async () => {
    const { sender, dropId, token } = await sentLink(exchange, ['a.txt']);
    await revoke(sender.accountId, dropId);
    const before = await dropRow(dropId);
    await exchange.expire(dropId);
    await sweep(engines);
    expect(await dropRow(dropId)).toEqual(before);
    await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_revoked' });
  });

  test('is revoked once, also by many at once', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    const responses = await Promise.all(Array.from({ length: 4 }, () => revoke(sender.accountId, dropId)));
    expect(responses.filter(Boolean)).toHaveLength(1);
    expect(await revoke(sender.accountId, dropId)).toBe(false);
  });

  test('is the account’s own, and live', async () => {
    const [{ sender, dropId, token }, stranger] = [await sentLink(exchange, ['a.txt']), await exchange.account()];
    expect(await revoke(stranger.accountId, dropId)).toBe(false);
    expect(await revoke(sender.accountId, randomUUID())).toBe(false);
    await findLink(engines, token, 'downloadfiles');
    await exchange.expire(dropId);
    expect(await revoke(sender.accountId, dropId)).toBe(false);
    await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_ended' });
  });

  test('takes no other with it', async () => {
    const { sender, dropId } = await sentLink(exchange, ['a.txt']);
    const other = await sentLink(exchange, ['a.txt'], ['r@example.org'], sender);
    await revoke(sender.accountId, dropId);
    expect(await engines.store.links.files(await findLink(engines, other.token, 'downloadfiles'))).toHaveLength(1);
  });

  test('that was a request leaves what came through it', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, '');
    expect(await revoke(actor.accountId, link.dropId)).toBe(true);
    const [entry] = await collectGroups(readInbox(engines, actor.accountId));
    await findInboxFile(engines, actor, entry?.id as string, 'a.txt');
  });
});

describe('what is known of each receiver', () => {
  test('is what really happened, and nothing before it did', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt', 'b.txt'], ['r@example.org', 's@example.org']);
    const nothing = {
      notifiedAt: null,
      openedAt: null,
      passedAt: null,
      completedAt: null,
      undeliverableAt: null,
      undeliverableReason: null,
      isPurged: false,
      type: 'downloadfiles',
      sendings: 0,
      filesReceived: 0,
      lastReceivedAt: null,
    };
    const files = [
      { name: 'a.txt', sizeBytes: 16, deliveredBytes: 0 },
      { name: 'b.txt', sizeBytes: 16, deliveredBytes: 0 },
    ];
    expect(await readStates(sender.accountId, dropId)).toEqual([
      { position: 0, receiver: 'r@example.org', ...nothing, files },
      { position: 1, receiver: 's@example.org', ...nothing, files },
    ]);
    const [message] = await query<{ id: string }>('select id from messages where drop_id = $1 and position = 0', [
      dropId,
    ]);
    await engines.store.outbox.settle(sender.accountId, message?.id as string, 'sent', '250');
    await openLink(engines, link);
    const [a, b] = (await engines.store.links.files(link)) as [DroppedFile, DroppedFile];
    await engines.store.links.deliver(link, [{ file: a, sent: { start: 0, end: 16 } }]);
    await engines.store.links.deliver(link, [{ file: b, sent: { start: 0, end: 5 } }]);
    const half = await readStates(sender.accountId, dropId);
    expect(half).toMatchObject([
      {
        notifiedAt: expect.any(Date),
        openedAt: expect.any(Date),
        passedAt: null,
        completedAt: null,
        files: [{ deliveredBytes: 16 }, { deliveredBytes: 5 }],
      },
      { ...nothing, files },
    ]);
    await engines.store.links.deliver(link, [{ file: b, sent: { start: 5, end: 16 } }]);
    expect(await readStates(sender.accountId, dropId)).toMatchObject([
      { completedAt: expect.any(Date), files: [{ deliveredBytes: 16 }, { deliveredBytes: 16 }] },
      { completedAt: null },
    ]);
  });

  test('stays known when the drop has ended and its files are gone', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
    const [file] = await engines.store.links.files(link);
    await engines.store.links.deliver(link, [{ file: file as DroppedFile, sent: { start: 0, end: 7 } }]);
    await revoke(sender.accountId, dropId);
    await sweep(engines);
    expect(await readStates(sender.accountId, dropId)).toMatchObject([
      { files: [{ name: 'a.txt', sizeBytes: 16, deliveredBytes: 7 }] },
    ]);
  });

  test('comes in pages, in order', async () => {
    const receivers = Array.from({ length: 12 }, (_, index) => `r${index}@example.org`);
    const { sender, dropId } = await sentLink(exchange, ['a.txt'], receivers);
    const seen: string[] = [];
    for (let after = -1; ; ) {
      const page = await readStates(sender.accountId, dropId, after, 5);
      expect(page.length).toBeLessThanOrEqual(5);
      if (page.length === 0) break;
      seen.push(...page.map(({ receiver }) => receiver));
      after = page.at(-1)?.position as number;
    }
    expect(seen).toEqual(receivers);
  });

  test('is the account’s alone', async () => {
    const [{ dropId }, stranger] = [await sentLink(exchange, ['a.txt']), await exchange.account()];
    expect(await readStates(stranger.accountId, dropId)).toEqual([]);
  });

  test('of a request has no files', async () => {
    const { actor, link } = await openRequestLink(exchange);
    expect(await readStates(actor.accountId, link.dropId)).toMatchObject([{ receiver: 'c@example.org', files: [] }]);
  });
});

describe('browsers', () => {
  const readSessions = (link: Link) => query('select 1 from link_sessions where drop_id = $1', [link.dropId]);
  const purged = (link: Link, by: string) =>
    query('update link_sessions set purge_at = purge_at - $2::interval where drop_id = $1', [link.dropId, by]);

  test('are known for thirty days after the deadline, so that who comes late is told why', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
    const secret = await openLink(engines, link);
    const [row] = await query<{ days: number }>(
      `select extract(epoch from purge_at - drops.expires_at)::float8 / 86400 as days from link_sessions
       join drops on drops.id = drop_id where drop_id = $1`,
      [dropId],
    );
    expect(row?.days).toBeCloseTo(30, 5);
    await revoke(sender.accountId, dropId);
    await purged(link, '36 days 23 hours');
    await sweep(engines);
    await expect(findSession(engines, secret, 'downloadfiles')).rejects.toMatchObject({ code: 'link_revoked' });
    await purged(link, '2 hours');
    await sweep(engines);
    await expect(findSession(engines, secret, 'downloadfiles')).rejects.toMatchObject({ code: 'link_not_opened' });
    expect(await readSessions(link)).toEqual([]);
  });

  test('are purged in batches, the longest over first, and no others', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
    const other = await sentLink(exchange, ['a.txt'], ['r@example.org'], sender);
    await sweep(engines);
    for (let count = 0; count < 5; count += 1) await openLink(engines, link);
    await openLink(engines, other.link);
    expect(await engines.store.links.purgeSessions(3)).toMatchObject({ rows: 0 });
    await purged(link, '40 days');
    expect(await engines.store.links.purgeSessions(3)).toMatchObject({ rows: 3 });
    expect(await engines.store.links.purgeSessions(3)).toMatchObject({ rows: 2 });
    expect(await readSessions({ ...link, dropId })).toEqual([]);
    expect(await readSessions(other.link)).toHaveLength(1);
  });

  test('of a link are many, and end with it alone', async () => {
    const { sender, dropId, link } = await sentLink(exchange, ['a.txt'], ['r@example.org', 's@example.org']);
    const second = await findLink(engines, await deriveToken(exchange, sender, dropId, 1), 'downloadfiles');
    const secrets = [await openLink(engines, link), await openLink(engines, link), await openLink(engines, second)];
    const found = await Promise.all(secrets.map((secret) => findSession(engines, secret, 'downloadfiles')));
    expect(found.map(({ link: { position } }) => position)).toEqual([0, 0, 1]);
  });
});
