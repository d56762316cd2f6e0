import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../test/file-requests.ts';
import { runAdmin } from '../../test/run-admin.ts';
import type { Link } from '../domain/links/link-store.ts';
import { toReference } from '../domain/reference.ts';
import { sendFiles } from '../domain/requests/send-files.ts';

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

describe('a drop is named by its reference', () => {
  test('without its account', async () => {
    const sender = await exchange.account('r@example.org');
    const dropId = await exchange.drop(sender, ['r@example.org'], ['file.txt']);
    const reference = toReference(dropId);
    expect(await runAdmin(exchange, 'drops', 'show', reference)).toContain('bytes sent  file.txt');
    const written = reference.toLowerCase().replaceAll('-', '');
    const until = new Date(Date.now() + 60 * 60_000).toISOString();
    await expect(runAdmin(exchange, 'drops', 'extend', written, '--until', until)).rejects.toThrow();
    const hold = [
      'holds',
      'place',
      '--account',
      sender.email,
      '--drop',
      reference,
      '--name',
      'Case',
      '--reason',
      'why',
    ];
    await runAdmin(exchange, ...hold);
    expect(JSON.parse(await runAdmin(exchange, 'holds', 'list', '--json'))).toMatchObject([{ drop: dropId }]);
    expect(await runAdmin(exchange, 'drops', 'revoke', written)).toBe(`${dropId} (${reference}) is revoked.\n`);
  });

  test('and only found in the account that was named, if one was', async () => {
    const [sender, other] = [await exchange.account('r@example.org'), await exchange.account('r@example.org')];
    const reference = toReference(await exchange.drop(sender, ['r@example.org'], ['file.txt']));
    await expect(runAdmin(exchange, 'drops', 'show', reference, '--account', other.email)).rejects.toThrow(
      `${other.email} has no drop ${reference}.`,
    );
    await expect(runAdmin(exchange, 'drops', 'show', 'WB-0000-0000')).rejects.toThrow('There is no drop WB-0000-0000.');
  });

  test('unless several have it: then by its id, or with its account', async () => {
    const [sender, other] = [await exchange.account('r@example.org'), await exchange.account('r@example.org')];
    const [first, second] = ['01900000', '01900001'].map((start) => `${start}-0000-7000-8000-00a1b2c3d4e5`);
    for (const [id, owner] of [
      [first, sender],
      [second, other],
    ] as const) {
      await exchange.database.query(
        `insert into drops select (jsonb_populate_record(d, jsonb_build_object('id', $2::text))).* from drops d where id = $1`,
        [await exchange.drop(owner, ['r@example.org'], ['f.txt']), id],
      );
    }
    const reference = toReference(first ?? '');
    await expect(runAdmin(exchange, 'drops', 'revoke', reference)).rejects.toThrow(
      /^Several drops have this reference/,
    );
    await runAdmin(exchange, 'drops', 'revoke', reference, '--account', other.email);
    const listed = JSON.parse(await runAdmin(exchange, 'drops', 'list', '--state', 'revoked', '--json')) as {
      id: string;
    }[];
    expect(listed.map(({ id }) => id)).toContain(second);
    expect(listed.map(({ id }) => id)).not.toContain(first);
  });
});

test('drops of all accounts are listed with headers, up to a limit, and as JSON', async () => {
  const [sender, other] = [await exchange.account('r@example.org'), await exchange.account('r@example.org')];
  for (const each of [sender, sender, other]) await exchange.drop(each, ['r@example.org'], ['file.txt']);
  const all = await runAdmin(exchange, 'drops', 'list');
  const [header = '', ...lines] = all.trimEnd().split('\n');
  expect(header).toMatch(/^REFERENCE +ID +ACCOUNT +CREATED +TYPE +STATE +RECEIVERS +FILES +UNTIL$/);
  expect(lines.filter((line) => line.includes(` ${sender.email} `))).toHaveLength(2);
  for (const line of lines) expect(line.search(/(?:down|up)loadfiles/)).toBe(header.indexOf('TYPE'));
  const limited = JSON.parse(await runAdmin(exchange, 'drops', 'list', '--limit', '2', '--json'));
  expect(limited).toHaveLength(2);
  const second = JSON.parse(await runAdmin(exchange, 'drops', 'list', '--limit', '1', '--page', '2', '--json'));
  expect(second).toEqual(limited.slice(1));
  const future = new Date(Date.now() + 60_000).toISOString();
  expect(await runAdmin(exchange, 'drops', 'list', '--since', future, '--json')).toBe('[]\n');
});
