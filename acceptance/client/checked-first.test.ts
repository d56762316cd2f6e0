// A send that cannot succeed is refused before a byte of its files leaves the machine.
import { truncateSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAccount } from '../lib/accounts.ts';
import { httpProxy } from '../lib/http/http-proxy.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { ended, Person } from './command.ts';

/** The requests that check the send, with their headers. */
const mostBytes = 5_000;

test('a wrong receiver, domain, lifetime or size costs no upload', async () => {
  const account = await createAccount('checked-first');
  await adminJson([
    'accounts',
    'set',
    '--email',
    account.user,
    '--receiver-domains',
    'receiver.test',
    '--max-file',
    '65MB',
    '--json',
  ]);
  const sockets = new Set<Socket>();
  await using way = await httpProxy('waybill', demo().base_url, ({ socket }) => {
    sockets.add(socket);
    return 'pass';
  });
  using person = new Person(account, way.baseUrl);
  for (const [name, bytes] of Object.entries({ 'film.mov': 60_000_000, 'disk.iso': 70_000_000 })) {
    writeFileSync(join(person.home, name), '');
    truncateSync(join(person.home, name), bytes);
  }
  const send = async (...words: string[]) => {
    sockets.clear();
    const { exitCode, stderr } = await ended(person.start('send', ...words));
    const bytes = [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    return { exitCode, stderr, isSmall: bytes < mostBytes };
  };
  const refused = (reason: string) => ({ exitCode: 4, stderr: expect.stringContaining(reason), isSmall: true });

  expect(await send('film.mov', '--to', 'nobody')).toEqual(refused('is not a valid e-mail address'));
  expect(await send('film.mov', '--to', 'anna@elsewhere.test')).toEqual(refused('elsewhere.test'));
  expect(await send('film.mov', '--to', 'anna@receiver.test', '--days', '31')).toEqual(refused('1 to 30 days'));
  expect(await send('film.mov', 'disk.iso', '--to', 'anna@receiver.test')).toEqual(refused('up to 65.0 MB'));
  expect(await send('film.mov', '--to', 'anna@receiver.test')).toMatchObject({ exitCode: 0, isSmall: false });
});
