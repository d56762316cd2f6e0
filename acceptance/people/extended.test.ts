// A deadline that an administrator has extended. The process here counts in seconds, so that a test can wait for the old one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { openedLink } from '../lib/people/opened-link.ts';
import { sendFiles } from '../lib/people/receiver.ts';
import { admin, adminJson } from '../lib/servers/admin.ts';
import { sweep } from '../lib/servers/exchange-internals.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';

const files = [{ name: 'a.txt', content: 'still here' }];
// Long enough for two administration commands on a slow machine.
const lifetimeSeconds = 40;
const hourMs = 3_600_000;

let serve: OwnServe;
beforeAll(async () => {
  serve = await ownServe({ WAYBILL_LIFETIME_UNIT: 'seconds', WAYBILL_LIFETIME_MAX: '60' });
});
afterAll(async () => {
  await serve?.stop();
});

interface Listed {
  id: string;
  state: string;
  deadline: string;
}

test('a receiver’s link works past the old deadline of a drop that was extended, and of no other', {
  timeout: 180_000,
}, async () => {
  const client = await freshClient('extending', { baseUrl: serve.baseUrl });
  const list = () => adminJson<Listed[]>(['drops', 'list', '--account', client.user, '--json']);
  const extend = (id: string, until: number) =>
    admin(['drops', 'extend', id, '--account', client.user, '--until', new Date(until).toISOString(), '--json']);

  const ending = await sendFiles(client, files, {}, { desttime: lifetimeSeconds, ddmessage: 'ends' });
  const extended = await sendFiles(client, files, {}, { desttime: lifetimeSeconds, ddmessage: 'is extended' });
  const [newest, oldest] = await list();
  const [id, old] = [newest?.id ?? '', Date.parse(newest?.deadline ?? '')];
  const response = await extend(id, old + hourMs);
  const deadline = new Date(old + hourMs).toISOString();
  expect(response).toEqual({ exitCode: 0, stdout: `${JSON.stringify({ extended: id, deadline })}\n`, stderr: '' });

  const ends = async () => ((await fetch(ending.link)).status === 410 ? true : undefined);
  await eventually('the other link ends', ends, { withinMs: 2 * lifetimeSeconds * 1000 });
  await eventually('the old deadline passes', async () => (Date.now() > old ? true : undefined), {
    withinMs: 2 * lifetimeSeconds * 1000,
  });
  await sweep();
  const { page, headers } = await openedLink(extended.link);
  const href = /href="(files\/[^"]+)"/.exec(await (await fetch(page, { headers })).text())?.[1] ?? '';
  expect(await (await fetch(`${page}${href}`, { headers })).text()).toBe('still here');
  expect((await list()).map(({ state }) => state)).toEqual(['live', 'expired']);

  const tooLate = await extend(oldest?.id ?? '', old + hourMs);
  expect(tooLate).toMatchObject({ exitCode: 1, stdout: '' });
  expect(JSON.parse(tooLate.stderr)).toMatchObject({
    code: 'link_ended',
    message: expect.stringMatching(/^The deadline passed at .* Make a new one instead\.$/),
  });
});
