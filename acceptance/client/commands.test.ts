// Commands that show and revoke drops and the account's keys, on a real server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAccount } from '../lib/accounts.ts';
import { ended, Person } from './command.ts';

interface Shown {
  reference: string;
  state: string;
  expires_at: string;
  receivers: { email: string; state: string }[];
}

test('a drop is listed, shown, extended, reminded of and revoked, and a key does only what it may', async () => {
  using person = new Person(await createAccount('commands'));
  writeFileSync(join(person.home, 'report.txt'), 'a report');
  const waybill = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await ended(person.start(...words));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout;
  };
  const receivers = ['anna@receiver.test', 'bo@receiver.test'];
  await waybill('send', 'report.txt', ...receivers.flatMap((address) => ['--to', address]));

  const [reference = '', , state, done, to, files] = (await waybill('history', '--receiver', 'bo@receiver.test')).split(
    '\t',
  );
  expect({ state, done, to, files }).toEqual({
    state: 'live',
    done: '0/2',
    to: receivers.join(', '),
    files: 'report.txt',
  });
  const show = async () => JSON.parse(await waybill('--json', 'show', reference)) as Shown;
  const before = await show();
  expect(before.receivers.map(({ email }) => email)).toEqual(receivers);
  await waybill('extend', reference, '--days', '20');
  expect(Date.parse((await show()).expires_at)).toBeGreaterThan(Date.parse(before.expires_at));
  expect(await waybill('remind', reference)).toBe('Reminded 2 receivers.\n');
  const { api_key: key } = JSON.parse(
    await waybill('--json', 'keys', 'create', 'reader', '--scope', 'history', '--days', '1'),
  ) as { api_key: string };
  using reader = new Person({ ...person.account, apiKey: key });
  expect((await ended(reader.start('whoami'))).stdout).toMatch(/Scopes +history\n/);
  const refused = await ended(reader.start('remind', reference));
  expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('The key needs the scope send.') });
  await waybill('keys', 'revoke', 'reader', '--yes');
  expect((await ended(reader.start('whoami'))).exitCode).toBe(3);

  await waybill('revoke', reference, '--receiver', 'bo@receiver.test', '--yes');
  expect((await show()).receivers[1]).toMatchObject({ state: 'revoked' });
  await waybill('revoke', reference, '--yes');
  expect(await show()).toMatchObject({ reference, state: 'revoked' });
}, 60_000);
