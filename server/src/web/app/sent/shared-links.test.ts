import { expect, test } from 'vitest';
import { addSharedLink } from '../../../../test/shared-links.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;

async function openDrop() {
  const account = await exchange.account('r@example.org');
  const member = await signInMember(exchange, app, 'member', account);
  const dropId = await exchange.drop(account, ['r@example.org'], ['a.txt']);
  return { ...member, dropId, page: `${member.base}sent/${dropId}` };
}

test('a link for anybody is made, shown once with its code, copied, and revoked', async () => {
  const { browser, page, dropId, account } = await openDrop();
  const before = await browser.get(page);
  expect(before.body).toContain('Make a link for anybody');
  expect(before.body).toContain('Make one link for all');
  const made = await browser.post(`${page}/shared-link`, { kind: 'anybody', max_downloads: '3' });
  expect(made.statusCode).toBe(200);
  const [link = ''] = /https:\/\/files\.example\.org\/d\/[A-Za-z0-9_-]{43}/.exec(made.body) ?? [];
  expect(link).not.toBe('');
  expect(made.body).toContain('class="qr-code"');
  expect(made.body).toContain('The link is ready');
  const after = await browser.get(page);
  expect(after.body).not.toContain(link);
  expect(after.body).toContain('3 of 3 downloads left');
  expect(after.body).not.toContain('Make a link for anybody');
  expect(after.body).toContain('Maya made a link to share');
  const shown = await browser.post(`${page}/link`, { receiver: '1000000' }, { accept: 'text/html' });
  expect(shown.body).toContain(link);
  expect((await browser.post(`${page}/revoke`, { receiver: '1000000' })).statusCode).toBe(303);
  const [revoked] = await engines.store.sharedLinks.list(account.accountId, dropId);
  expect(revoked?.revokedAt).not.toBeNull();
  expect((await browser.get(page)).body).toContain('Make a link for anybody');
});

test('a kind of link that the rules forbid is not offered, and one that was made says so', async () => {
  const { browser, page, dropId, account } = await openDrop();
  await addSharedLink(exchange, account, dropId);
  await engines.store.quotas.setForAccount(account.accountId, { sharedLinks: 'never' });
  const { body } = await browser.get(page);
  expect(body).toContain('Not allowed any more by the rules of this account');
  expect(body).not.toContain('Make one link for all');
  const refused = await browser.post(`${page}/shared-link`, { kind: 'named' });
  expect(refused.statusCode).toBe(400);
});
