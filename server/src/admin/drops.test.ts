import { expect, test } from 'vitest';
import type { Link } from '../domain/links/link-store.ts';
import { sendFiles } from '../domain/requests/send-files.ts';
import { useTestExchange } from '../testing/exchange.ts';
import { openRequestLink, readyFile } from '../testing/file-requests.ts';
import { runAdmin } from '../testing/run-admin.ts';

const exchange = await useTestExchange();
const { engines } = exchange;

test('a request is shown with what its contacts sent, not with what was sent to them', async () => {
  const { actor, links } = await openRequestLink(exchange, ['busy@example.org', 'idle@example.org']);
  const busy = links[0] as Link;
  for (const names of [['a.txt', 'b.txt'], ['c.txt']]) {
    for (const name of names) await readyFile(engines, busy, name);
    await sendFiles(engines, busy, '');
  }
  const args = ['drops', 'show', busy.dropId, '--account', actor.email];
  const shown = await runAdmin(exchange, ...args);
  const time = /[-0-9]+T[:.0-9]+Z/g;
  expect(shown.replaceAll(time, 'TIME')).toBe(`busy@example.org
  notified        -
  opened          -
  code passed     -
  first sent      TIME
  last sent       TIME
  files: 3  sendings: 2
idle@example.org
  notified        -
  opened          -
  code passed     -
  first sent      -
  last sent       -
  files: 0  sendings: 0
`);
  expect(JSON.parse(await runAdmin(exchange, ...args, '--json'))).toMatchObject([
    { receiver: 'busy@example.org', type: 'uploadfiles', sendings: 2, filesReceived: 3 },
    { receiver: 'idle@example.org', type: 'uploadfiles', sendings: 0, filesReceived: 0, lastReceivedAt: null },
  ]);
});

test('a drop is shown with what was sent to its receivers', async () => {
  const sender = await exchange.account('r@example.org');
  const dropId = await exchange.drop(sender, ['r@example.org'], ['file.txt']);
  const shown = await runAdmin(exchange, 'drops', 'show', dropId, '--account', sender.email);
  expect(shown).toMatch(/^r@example.org\n[^]*\n {2}sent in full {4}-\n {2}0 of \d+ bytes sent {2}file.txt\n$/);
});
