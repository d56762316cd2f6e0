import { expect, test } from 'vitest';
import { useTestExchange } from '../testing/exchange.ts';
import { runAdmin } from '../testing/run-admin.ts';

const exchange = await useTestExchange();
const run = (...words: string[]) => runAdmin(exchange, ...words);

test('a person is invited, listed, joins an account and leaves it, and is disabled', async () => {
  const { email: account } = await exchange.account();
  const invited = JSON.parse(
    await run('people', 'invite', '--email', 'Maya@example.org', '--name', 'Maya', '--no-mail', '--json'),
  );
  expect(invited).toMatchObject({ person: { email: 'maya@example.org', name: 'Maya', administrator: false } });
  expect(invited.link).toMatch(/^https:\/\/[^/]+\/sign-in\/link\/[\w-]{43}$/);
  expect(await run('people', 'list')).toContain('maya@example.org  -  Maya  has not accepted yet\n');

  const member = ['--account', account, '--email', 'maya@example.org'];
  expect(await run('members', 'set', ...member, '--role', 'owner')).toContain(`is owner of ${account}`);
  expect(await run('members', 'list', '--account', account)).toBe(
    'maya@example.org  owner  Maya  has not accepted yet\n',
  );
  await expect(run('members', 'remove', ...member)).rejects.toThrow('keeps at least one owner');
  await run('people', 'invite', '--email', 'bo@example.org');
  await run('members', 'set', '--account', account, '--email', 'bo@example.org', '--role', 'owner');
  await run('members', 'remove', ...member);
  expect(await run('members', 'list', '--account', account)).toBe('bo@example.org  owner  -  has not accepted yet\n');

  expect(await run('people', 'disable', '--email', 'maya@example.org')).toBe('maya@example.org is disabled.\n');
  expect(await run('people', 'list')).toContain('maya@example.org  -  Maya  has not accepted yet  disabled\n');
  await expect(run('people', 'enable', '--email', 'none@example.org')).rejects.toThrow('There is no person');
});

test('a person who was invited before is made an administrator, which is in the audit once', async () => {
  const invite = ['people', 'invite', '--email', 'eve@example.org'];
  await run(...invite);
  expect(await run(...invite, '--administrator')).toContain('They are an administrator now.\n');
  expect(await run('people', 'list')).toContain('eve@example.org  administrator  -  has not accepted yet\n');
  expect(await run(...invite, '--administrator')).not.toContain('administrator now');
  await run(...invite);
  const { person } = JSON.parse(await run(...invite, '--json'));
  expect(person).toMatchObject({ administrator: true });
  const entries = await exchange.database.query(
    `select addresses from audit_entries where action = 'person.made_administrator'`,
  );
  expect(entries).toEqual([{ addresses: ['eve@example.org'] }]);
  await exchange.database.query(`insert into passwords (person_id, hash) select id, 'x' from people where email = $1`, [
    'eve@example.org',
  ]);
  expect(await run('people', 'list')).toContain('eve@example.org  administrator  -\n');
});

test('the mailed link is not printed', async () => {
  const printed = await run('people', 'invite', '--email', 'cy@example.org', '--json');
  expect(JSON.parse(printed)).not.toHaveProperty('link');
});

test('a person who has lost every sign-in method gets a link for another', async () => {
  const { link: invitation } = JSON.parse(
    await run('people', 'invite', '--email', 'di@example.org', '--no-mail', '--json'),
  );
  const recover = ['people', 'recover', '--email', 'di@example.org'];
  const { link } = JSON.parse(await run(...recover, '--no-mail', '--json'));
  expect(link).toMatch(/\/sign-in\/link\/[\w-]{43}$/);
  expect(link).not.toBe(invitation);
  expect(await run(...recover)).not.toContain('/sign-in/link/');
  await run('people', 'disable', '--email', 'di@example.org');
  await expect(run(...recover)).rejects.toThrow('is disabled');
});
