import { beforeAll, describe, expect, test } from 'vitest';
import { copyFileRows } from '../../../../test/copy-file-rows.ts';
import { deriveToken } from '../../../../test/links.ts';
import { measureLongestTurn } from '../../../../test/longest-turn.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';

const { exchange, app } = await useTestServer();
const { query } = exchange.database;

const fileCount = 1000;
const receivers = Array.from({ length: 100 }, (_, index) => `r${index}@example.org`);

/** A drop of 1,000 files in 50 folders to 100 receivers: 61 have everything, 9 have half of the files, and 15 none. */
async function openLargeDrop() {
  const receiver = await signInMember(exchange, app, 'member');
  const addresses = [receiver.account.email, ...receivers.slice(1)];
  const account = await exchange.account(...addresses);
  const sender = await signInMember(exchange, app, 'member', account);
  const dropId = await exchange.drop(account, addresses, ['a.txt']);
  await copyFileRows(
    exchange,
    `select (jsonb_populate_record(files, jsonb_build_object('id', gen_random_uuid(), 'name', n || '.txt',
       'path', format('Part %s/Section %s/%s.txt', n % 5, n / 5 % 10, n)))).*
     from files, generate_series(2, $2::integer) as n where files.drop_id = $1`,
    [dropId, fileCount],
  );
  await query('update drops set file_count = $2 where id = $1', [dropId, fileCount]);
  await query(
    `update links set notified_at = now(), opened_at = case when position < 85 then now() end,
       completed_at = case when position between 1 and 61 then now() end,
       undeliverable_at = case when position > 96 then now() end where drop_id = $1`,
    [dropId],
  );
  await query(
    `insert into deliveries (account_id, drop_id, position, file_id, delivered, completed_at)
     select account_id, drop_id, position, id, '{[0,16)}', now()
     from files, generate_series(62, 70) as position where drop_id = $1 and length(name) % 2 = 0`,
    [dropId],
  );
  const [entry] = await exchange.engines.store.inbox.page(receiver.account.accountId, {}, undefined, 1);
  const token = await deriveToken(exchange, account, dropId, 84);
  const opened = await sender.browser.send('POST', `/d/${token}`, {
    payload: 'gesture=pressed',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return {
    delivery: () => sender.browser.get(`${sender.base}sent/${dropId}`),
    folder: (href: string) => sender.browser.get(href),
    entry: () => receiver.browser.get(`${receiver.base}inbox/${entry?.id}`),
    download: () => sender.browser.get(String(opened.headers.location)),
  };
}

describe('1,000 files in 50 folders for 100 receivers', () => {
  let large: Awaited<ReturnType<typeof openLargeDrop>>;
  beforeAll(async () => {
    large = await openLargeDrop();
  });

  test('are drawn a part at a time in the app, and lead to all of them', async () => {
    for (const page of [large.delivery, large.entry]) {
      const { body } = await page();
      expect(body).toContain('1,000 files');
      expect(body.match(/<li class="file"/g), 'what is in no folder').toHaveLength(1);
      expect(body.match(/class="folder folder-link"/g)).toHaveLength(5);
      expect(body.length).toBeLessThan(300_000);
    }
    const { body } = await large.delivery();
    expect(body.match(/class="person"/g)).toHaveLength(3 + 10 + 10 + 10);
    const links = (html: string) =>
      [...html.matchAll(/class="folder folder-link" href="([^"]+)"/g)].map(([, href]) =>
        href?.replaceAll('&amp;', '&'),
      );
    const inner = await large.folder(links(body)[0] ?? '');
    expect(links(inner.body)).toHaveLength(10);
    const files = await large.folder(links(inner.body)[0] ?? '');
    expect(files.body.match(/<li class="file"/g)).toHaveLength(20);
    expect(files.body.match(/class="holders small"/g)?.length).toBeGreaterThan(0);
  });

  test.each(['delivery', 'entry', 'download'] as const)('hold up nobody: %s', async (name) => {
    // The first request of a process compiles what it runs.
    for (let warm = 0; warm < 5; warm += 1) expect((await large[name]()).statusCode).toBe(200);
    const turns = [];
    for (let round = 0; round < 5; round += 1) turns.push(await measureLongestTurn(large[name]));
    turns.sort((one, other) => one - other);
    expect(turns[2]).toBeLessThan(50);
  });
});
