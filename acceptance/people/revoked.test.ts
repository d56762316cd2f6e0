// A revoked drop stops, even while it is being downloaded.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { openedLink } from '../lib/people/opened-link.ts';
import { sentTo } from '../lib/people/receiver.ts';
import { deliver } from '../lib/scenario.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { demo } from '../lib/servers/running-demo.ts';

/** More than all buffers on the way hold. */
const fileBytes = 60_000_000;

/** A download whose reader accepts about 5 MB per second. */
async function begun(url: string, headers: Record<string, string>) {
  const outgoing = request(url, { headers, agent: false }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  const state = { bytes: 0, ended: false };
  outgoing.on('error', () => undefined);
  response.on('error', () => undefined).on('close', () => (state.ended = true));
  response.on('data', (bytes: Buffer) => {
    state.bytes += bytes.length;
    response.pause();
    setTimeout(() => response.resume(), bytes.length / 5_000);
  });
  return state;
}

test('revoking a drop cuts its running downloads within seconds: a file, the ZIP, and through the API', async () => {
  const [sender, receiver] = await Promise.all([freshClient('revoking'), freshClient('fetching')]);
  const entry = await deliver(sender, receiver, [{ name: 'large.bin', content: randomBytes(fileBytes) }]);
  const { page, headers } = await openedLink((await sentTo(receiver.user)).link);
  const href = /href="(files\/[^"]+)"/.exec(await (await fetch(page, { headers })).text())?.[1] ?? '';
  const { base_url } = demo();
  const credentials = { authorization: receiver.authorization, 'csrf-token': await receiver.token() };
  const inbox = `${base_url}/${receiver.user}/${entry.url}/files/large.bin`;
  const downloads = [
    await begun(`${page}${href}`, headers),
    await begun(`${page}all.zip`, headers),
    await begun(inbox, credentials),
  ];

  const [drop] = await query<{ id: string }>('select drop_id as id from links where email = $1', [receiver.user]);
  await adminJson(['drops', 'revoke', drop?.id ?? '', '--account', sender.user, '--json']);
  await expect.poll(() => downloads.every(({ ended }) => ended), { timeout: 30_000 }).toBe(true);
  // A reader that is not cut gets everything in the end.
  for (const { bytes } of downloads) expect(bytes).toBeLessThan(fileBytes);

  expect((await fetch(`${page}all.zip`, { headers })).status).toBe(410);
  expect(await (await fetch(page, { headers })).text()).toContain(`This link from ${sender.user} has been disabled`);
  expect((await fetch(inbox, { headers: credentials })).status).toBe(404);
});
