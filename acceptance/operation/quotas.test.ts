// The limit on what an account stores is exact, however many uploads race for the last of it and whatever dies meanwhile.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readUsage } from '../checker/evidence.ts';
import { ended, Person } from '../client/command.ts';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import { multipart, uploadParts } from '../lib/http/multipart.ts';
import { openRequest } from '../lib/http/stream.ts';
import { requestFiles } from '../lib/people/contact.ts';
import { ContactUploader } from '../lib/people/contact-uploader.ts';
import { introduce, stage } from '../lib/scenario.ts';
import { admin, adminJson } from '../lib/servers/admin.ts';
import { demoInside, sweep } from '../lib/servers/exchange-internals.ts';
import { ownServe } from '../lib/servers/own-serve.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const uploads = 50;
const uploadBytes = fullSize ? 5_000_000 : 2_000_000;
/** Twenty of them fit, and half an upload is left over. */
const leftBytes = 20 * uploadBytes + uploadBytes / 2;
const earlierBytes = 1_000_000;

/** Returns the size that counts against the account's quota, which must be the size that it stores. */
async function checkUsage({ user }: Client): Promise<number> {
  const [usage] = await readUsage(demoInside, [user]);
  expect(usage?.counted, 'the usage is the sum').toBe(usage?.stored);
  return usage?.counted ?? -1;
}

const limit = ({ user }: Client, ...options: string[]) =>
  adminJson(['accounts', 'set', '--email', user, ...options, '--json']);

test('fifty uploads at once for the last space of an account: never over the limit, and under it by at most one', async () => {
  const client = await freshClient('full');
  succeeded(await client.upload({ name: 'earlier.bin', content: randomBytes(earlierBytes) }));
  await limit(client, '--max-stored', String(earlierBytes + leftBytes));
  const content = randomBytes(uploadBytes);
  // Each on its own connection, so that the balancer spreads them over the processes. A busy server may ask for patience.
  const upload = (draft: Client) =>
    eventually(
      'a response',
      async () => {
        const response = await draft.upload({ name: 'a.bin', content });
        return response.status === 503 ? undefined : response;
      },
      { withinMs: 90_000, everyMs: 1000 },
    );
  const responses = await Promise.all(
    Array.from({ length: uploads }, (_, number) => upload(client.inDraft(`d${number}`))),
  );
  const taken = responses.filter(({ status }) => status === 200);
  for (const response of taken) assertStatus(response, 'done');
  for (const response of responses) if (response.status !== 200) assertErrorResponse(response, 507, 'storage_full');
  const used = await checkUsage(client);
  expect(used).toBe(earlierBytes + taken.length * uploadBytes);
  expect(used, 'never over').toBeLessThanOrEqual(earlierBytes + leftBytes);
  expect(used, 'never under by more than one upload').toBeGreaterThanOrEqual(earlierBytes + leftBytes - uploadBytes);
}, 120_000);

test('reservations of a killed process are released', async () => {
  const serve = await ownServe({ WAYBILL_UPLOAD_LEASE_SECONDS: '2' });
  const client = await freshClient('killed', { baseUrl: serve.baseUrl });
  const requests = await Promise.all(['a', 'b', 'c'].map((draft) => beginUpload(client, draft)));
  await eventually('three reservations', async () => ((await checkUsage(client)) > 3 * uploadBytes ? true : undefined));
  await serve.kill();
  for (const request of requests) request.destroy();
  await eventually('everything given back', async () => {
    await sweep();
    return (await checkUsage(client)) === 0 ? true : undefined;
  });
  const recounted = await adminJson<{ email: string; corrected_by: number }[]>([
    'accounts',
    'usage',
    '--recount',
    '--json',
  ]);
  expect(recounted.find(({ email }) => email === client.user)).toMatchObject({ corrected_by: 0 });
});

test('bytes of a contact count when they arrive, and a contact who sends too much is told the limit', async () => {
  const client = await freshClient('contacts');
  await limit(client, '--max-stored', '1MB');
  const { link, contact } = await requestFiles(client);
  const { base_url: baseUrl } = demo();
  const uploader = await ContactUploader.open(baseUrl, link.slice(link.lastIndexOf('/') + 1));
  expect(await uploader.announce(baseUrl, 'large.bin', 1_000_001), 'no place for it').toBe('');
  expect(await uploader.announce(baseUrl, 'small.bin', 1_000_000)).toMatch(/^\/upload\//);
  const shown = await adminJson(['accounts', 'show', '--email', client.user, '--json']);
  expect(shown).toMatchObject({
    group: null,
    own: { max_stored_bytes: 1_000_000, drops_per_day: null },
    in_force: { max_stored_bytes: 1_000_000 },
    usage: { stored_bytes: 0, drops_today: 1, mails_today: 1 },
  });
  using person = new Person(client.account);
  writeFileSync(join(person.home, 'large.bin'), Buffer.alloc(3_000_000));
  const sent = await ended(person.start('send', 'large.bin', '--to', contact));
  expect(sent).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('may store up to 1.0 MB') });
}, 120_000);

test('a dispatch beyond the daily limit of the group is refused until midnight, and the group says so', async () => {
  const group = `limited-${randomBytes(4).toString('hex')}`;
  await adminJson(['groups', 'create', group, '--drops-per-day', '1', '--lifetimes', '1,7', '--json']);
  const client = await freshClient('daily');
  await limit(client, '--group', group);
  const to = [uniqueAddress('receiver')];
  await introduce(client, to);
  await stage(client, { to, files: [{ name: 'a.txt', content: 'a' }] });
  assertErrorResponse(await client.createDrop({ desttime: 2 }), 400, 'invalid_input');
  assertStatus(await client.createDrop({ desttime: 7 }), 'ok');
  await stage(client, { to, files: [{ name: 'b.txt', content: 'b' }] });
  const refused = await client.createDrop({ ddmessage: 'again' });
  assertErrorResponse(refused, 429, 'daily_limit');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await admin(['groups', 'remove', group])).stderr).toContain('Accounts are still in the group');
  expect(await adminJson(['groups', 'show', group, '--json'])).toMatchObject({
    group: { name: group, accounts: 1, drops_per_day: 1, lifetimes: [1, 7] },
  });
});

test('a hold keeps the objects of a revoked drop until it is released', async () => {
  const client = await freshClient('held');
  const to = [uniqueAddress('receiver')];
  await introduce(client, to);
  await stage(client, { to, files: [{ name: 'a.txt', content: 'a' }] });
  assertStatus(await client.createDrop({}), 'ok');
  const [file] = await demoInside.query<{ id: string; drop_id: string }>(
    'select files.id, drop_id from files join accounts on accounts.id = account_id where email = $1',
    [client.user],
  );
  const { id = '', drop_id: drop = '' } = file ?? {};
  const objects = () => demoInside.objectKeys(`${id}/`);
  const place = ['holds', 'place', '--account', client.user, '--drop', drop, '--name', 'Case 17', '--reason', 'court'];
  const { placed } = await adminJson<{ placed: string }>([...place, '--json']);
  await adminJson(['drops', 'revoke', drop, '--account', client.user, '--json']);
  await sweep();
  expect(await objects()).toHaveLength(1);
  expect(await adminJson(['holds', 'list', '--account', client.user, '--json'])).toMatchObject([
    { id: placed, drop, name: 'Case 17', reason: 'court' },
  ]);
  await adminJson(['holds', 'release', placed, '--json']);
  await sweep();
  expect(await objects()).toEqual([]);
}, 120_000);

/** Announces a whole upload and sends half of it. */
async function beginUpload(client: Client, draft: string): Promise<ClientRequest> {
  const { contentType, body } = multipart(uploadParts([{ name: 'a.bin', content: Buffer.alloc(uploadBytes) }]));
  const { outgoing } = await openRequest(client, 'POST', 'cgi/upload.cgi', {
    'Waybill-Draft': draft,
    'Content-Type': contentType,
    'Content-Length': String(body.length),
  });
  outgoing.write(body.subarray(0, uploadBytes / 2));
  return outgoing;
}
