// The exchange of docs/test-mode.md, as a pipeline would run it, on a real server.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createAccount, uniqueAddress } from '../lib/accounts.ts';
import { allMails, waitForMail } from '../lib/people/mailbox.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { ended, Person } from './command.ts';

const execute = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));
const script = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(project, 'docs/test-mode.md'), 'utf8'))?.[1] ?? '';

/** A test key of a new account, which its live key creates. */
async function startTests(label: string) {
  const person = new Person(await createAccount(label));
  const scopes = ['send', 'receive', 'history'].flatMap((scope) => ['--scope', scope]);
  const { exitCode, stdout, stderr } = await ended(person.start('keys', 'create', 'pipeline', '--test', ...scopes));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('Created the test key') });
  const key = stdout.trim();
  expect(key).toMatch(/^wb_test_/);
  return { person, key, email: person.account.user.replace('@', '@test.') };
}

test('an exchange between two accounts and a receiver is tested in 30 lines, and no mail is sent', async () => {
  expect(script.trim().split('\n').filter(Boolean).length).toBeLessThanOrEqual(30);
  const [orders, archive] = [await startTests('orders'), await startTests('archive')];
  using one = orders.person;
  using other = archive.person;
  writeFileSync(join(one.home, 'package.json'), '{"type":"module"}');
  mkdirSync(join(one.home, 'node_modules/@waybill'), { recursive: true });
  symlinkSync(join(project, 'client'), join(one.home, 'node_modules/@waybill/client'));
  writeFileSync(join(one.home, 'exchange.ts'), script);
  const env = { ...one.environment, ORDERS_KEY: orders.key, ARCHIVE_KEY: archive.key };
  const { stdout } = await execute(process.execPath, ['exchange.ts'], { cwd: one.home, env });
  const [, reference = '', email = '', anna = ''] = /^(WB-\S+) arrived at (\S+) and (\S+)\n$/.exec(stdout) ?? [];
  expect({ stdout, email }).toEqual({ stdout, email: archive.email });

  // Only the test account knows of the exchange, and nobody got a mail.
  using tester = new Person({ ...one.account, user: orders.email, apiKey: orders.key });
  const listed = (await ended(tester.start('--json', 'test', 'messages'))).stdout.trim().split('\n');
  const messages = listed.map((line) => JSON.parse(line) as { kind: string; to: string });
  expect(messages.map(({ kind, to }) => `${kind} ${to}`)).toEqual(
    expect.arrayContaining([`invitation ${anna}`, `invitation ${archive.email}`, `receipt ${orders.email}`]),
  );
  expect((await ended(one.start('show', reference))).exitCode).not.toBe(0);
  expect((await ended(other.start('inbox'))).stderr).toContain('The inbox is empty.');
  // A live mail that was composed later has arrived, and none of the test.
  const receiver = uniqueAddress('receiver');
  expect((await ended(one.start('send', 'package.json', '--to', receiver))).exitCode).toBe(0);
  await waitForMail(receiver);
  const delivered = [...(await allMails()).keys()];
  expect(delivered).toContain(receiver);
  expect(delivered.filter((address) => address.split('@')[1]?.startsWith('test.'))).toEqual([]);

  // Its receipt shows all, and proves nothing.
  writeFileSync(join(tester.home, 'policy.txt'), await (await fetch(`${demo().base_url}/log/policy`)).text());
  const made = await ended(tester.start('receipt', reference, '--receiver', anna, '--output', 'receipt.pdf'));
  expect(made).toMatchObject({ exitCode: 0 });
  const verified = await ended(tester.start('verify', 'receipt.pdf', '--policy', 'policy.txt'));
  expect(verified.exitCode).toBe(9);
  expect(verified.stdout + verified.stderr).toContain('it is no evidence of a delivery');
}, 120_000);
