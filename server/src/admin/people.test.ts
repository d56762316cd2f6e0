import { expect, test } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { runAdmin } from '../../test/run-admin.ts';

const exchange = await useTestExchange();
const run = (...words: string[]) => runAdmin(exchange, ...words);

test('a person is invited, listed, joins an account and leaves it, and is disabled', async () => {
  const { email: account } = await exchange.account();
  const invited = JSON.parse(
    await run('people', 'invite', '--email', 'Maya@example.org', '--name', 'Maya', '--no-mail', '--json'),
  );
  expect(invited).toMatchObject({ person: { email: 'maya@example.org', name: 'Maya', administrator: false } });
  expect(invited.link).toMatch(/^https:\/\/[^/]+\/sign-in\/link\/[\w-]{43}$/);
  expect(await run('people', 'list')).toMatch(/^maya@example.org +- +invited +Maya$/m);

  const member = ['--account', account, '--email', 'maya@example.org'];
  expect(await run('members', 'set', ...member, '--role', 'owner')).toContain(`is owner of ${account}`);
  expect(await run('members', 'list', '--account', account)).toBe(
    'PERSON            ROLE   STATE    NAME\nmaya@example.org  owner  invited  Maya\n',
  );
  await expect(run('members', 'remove', ...member)).rejects.toThrow('keeps at least one owner');
  await run('people', 'invite', '--email', 'bo@example.org');
  await run('members', 'set', '--account', account, '--email', 'bo@example.org', '--role', 'owner');
  await run('members', 'remove', ...member);
  expect(await run('members', 'list', '--account', account)).toMatch(/^bo@example.org +owner +invited +-$/m);

  expect(await run('people', 'disable', '--email', 'maya@example.org')).toBe('maya@example.org is disabled.\n');
  expect(await run('people', 'list')).toMatch(/^maya@example.org +- +disabled +Maya$/m);
  await expect(run('people', 'enable', '--email', 'none@example.org')).rejects.toThrow('There is no person');
});

test('a person who was invited before is made an administrator, which is in the audit once', async () => {
  const invite = ['people', 'invite', '--email', 'eve@example.org'];
  await run(...invite);
  expect(await run(...invite, '--administrator')).toContain('They are an administrator now.\n');
  expect(await run('people', 'list')).toMatch(/^eve@example.org +administrator +invited +-$/m);
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
  expect(await run('people', 'list')).toMatch(/^eve@example.org +administrator +active +-$/m);
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

test('a person is deleted with their name and address, unless an account would lose its only owner', async () => {
  const account = await exchange.account('r@example.org');
  const remove = ['people', 'delete', '--email', 'jo@example.org'];
  await run('people', 'invite', '--email', 'jo@example.org', '--name', 'Jo Lind');
  const { person } = await readPerson('jo@example.org');
  for (const member of ['jo@example.org', 'di@example.org'])
    await run('members', 'set', '--account', account.email, '--email', member, '--role', 'owner');
  await exchange.database.query(
    "insert into passwords (person_id, hash) select id, 'x' from people where email = 'jo@example.org'",
  );
  await exchange.drop(account, ['r@example.org'], ['a.txt']);
  await exchange.database.query(
    `insert into messages (account_id, id, drop_id, kind, channel, receiver, told_person_id, told_account_id)
     select account_id, gen_random_uuid(), id, 'receipt', 'mail', 'jo@example.org', $2, $1 from drops where account_id = $1`,
    [account.accountId, person],
  );

  await expect(run(...remove)).rejects.toThrow('use --yes');
  await expect(run(...remove, '--yes')).rejects.toThrow('jo@example.org is the only owner of jo@example.org');
  await run('accounts', 'delete', '--account', 'jo@example.org', '--yes');
  const printed = await run(...remove, '--yes');
  expect(printed).toContain(`jo@example.org is deleted, and no longer belongs to: ${account.email}`);
  expect(await run('people', 'list')).not.toContain('Jo Lind');
  expect(await run('members', 'list', '--account', account.email)).not.toContain('jo@');
  expect(
    await exchange.database.query('select state, outcome from messages where receiver = $1', ['jo@example.org']),
  ).toEqual([{ state: 'abandoned', outcome: 'the person was deleted' }]);
  await expect(run(...remove, '--yes')).rejects.toThrow('There is no person');
});

test('with an account, the people go who belong to no other', async () => {
  for (const name of ['al', 'be', 'ce'])
    await run('people', 'invite', '--email', `${name}@example.org`, '--name', name);
  const { email } = await exchange.account();
  await run('members', 'set', '--account', email, '--email', 'be@example.org');
  await run('people', 'invite', '--email', 'ce@example.org', '--administrator');
  for (const name of ['al', 'be', 'ce']) await run('accounts', 'delete', '--account', `${name}@example.org`, '--yes');
  await run('sweep');
  const people = await run('people', 'list');
  expect(['al', 'be', 'ce'].filter((name) => people.includes(`${name}@example.org`))).toEqual(['be', 'ce']);
});

test('an account that is disabled keeps its people and its only owner', async () => {
  const { email } = await exchange.account();
  await run('people', 'invite', '--email', 'fay@example.org');
  await run('members', 'set', '--account', email, '--email', 'fay@example.org', '--role', 'owner');
  await run('accounts', 'disable', '--account', email);
  await run('accounts', 'delete', '--account', 'fay@example.org', '--yes');
  await run('sweep');
  expect(await run('people', 'list')).toContain('fay@example.org');
  const remove = run('people', 'delete', '--email', 'fay@example.org', '--yes');
  await expect(remove).rejects.toThrow(`fay@example.org is the only owner of ${email}`);
  expect(await run('members', 'list', '--account', email)).toContain('fay@example.org');
});

async function readPerson(email: string): Promise<{ person: string }> {
  const [row] = await exchange.database.query<{ person: string }>('select id as person from people where email = $1', [
    email,
  ]);
  if (!row) throw new Error(`There is no ${email}`);
  return row;
}
