import { expect, test } from 'vitest';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';

const { exchange, app } = await useTestServer();

test('the page about the server says what is used, and what ends next', async () => {
  const account = await exchange.account('r@example.org');
  const { browser, base } = await signInMember(exchange, app, 'reader', account);
  expect((await browser.get(`${base}about`)).body).toContain('No delivery is under way.');
  const [late, soon, ended] = [
    await exchange.drop(account, ['r@example.org'], ['a.txt']),
    await exchange.drop(account, ['r@example.org'], ['b.txt']),
    await exchange.drop(account, ['r@example.org'], ['c.txt']),
  ];
  await exchange.expire(ended);
  await exchange.database.query(
    `update drops set title = 'The plans', expires_at = now() + interval '1 day' where id = $1`,
    [soon],
  );
  const { body } = await browser.get(`${base}about`);
  expect(body).toMatch(new RegExp(`${base}sent/${soon}"[^>]*>The plans</a>.*${base}sent/${late}"`, 's'));
  expect(body).not.toContain(ended);
  expect(body).toContain('48 bytes, no limit');
});
