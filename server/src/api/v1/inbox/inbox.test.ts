import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { collectGroups } from '../../../../test/collect-groups.ts';
import { testPolicy } from '../../../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../../../test/file-requests.ts';
import { advanceQueue, fillInbox } from '../../../../test/inbox.ts';
import { memoryMailer } from '../../../../test/memory/memory-mailer.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import type { Actor } from '../../../domain/actor.ts';
import { readInbox } from '../../../domain/drops/read-history.ts';
import { tellOfParkedEntries } from '../../../domain/inbox/report-parked.ts';
import { sendFiles } from '../../../domain/requests/send-files.ts';
import { sweep } from '../../../domain/sweep.ts';

interface Entry {
  readonly id: string;
  readonly reference: string;
  readonly state: string;
  readonly attempts: number;
  readonly lease: string;
  readonly lease_ends_at: string | null;
  readonly available_at: string | null;
}
type Account = Actor & { readonly apiKey: string };

const maxAttempts = 3;
const { exchange, app } = await useTestServer({ policy: { ...testPolicy, inboxAttempts: maxAttempts } });
const { engines, database } = exchange;

const get = ({ apiKey }: Account, path: string, headers: Record<string, string> = {}) =>
  requestV1(app, 'GET', path, { key: apiKey, headers });
const post = ({ apiKey }: Account, path: string, body?: object, headers: Record<string, string> = {}) =>
  requestV1(app, 'POST', path, { key: apiKey, headers, ...(body && { body }) });
const claim = async (account: Account, max = 1, leaseSeconds = 60): Promise<Entry[]> =>
  (await post(account, '/inbox/claim', { max, lease_seconds: leaseSeconds })).json().data;
const claimOne = async (account: Account): Promise<Entry> => {
  const [entry] = await claim(account);
  if (!entry) throw new Error('no entry is available');
  return entry;
};
const ack = async (account: Account, { id, lease }: Pick<Entry, 'id' | 'lease'>) =>
  (await post(account, `/inbox/${id}/ack`, { lease })).status;
const listed = async (account: Account, state?: string): Promise<Entry[]> =>
  (await get(account, `/inbox?limit=100${state ? `&state=${state}` : ''}`)).json().data;
const readState = async (account: Account, id: string) => (await get(account, `/inbox/${id}`)).json();

/** Creates an account with this many entries without files. */
async function makeReceiver(count: number): Promise<Account> {
  const receiver = await exchange.account();
  await fillInbox(database, await exchange.account(), receiver, count);
  return receiver;
}

/** Creates an account to which another one sent these files. */
async function sentTo(...files: string[]) {
  const receiver = await exchange.account();
  const sender = await exchange.account(receiver.email);
  const dropId = await exchange.drop(sender, [receiver.email], files);
  const [entry] = await listed(receiver);
  return { receiver, sender, dropId, id: (entry as Entry).id };
}

describe('the inbox', () => {
  test('has the files from contacts and other accounts, exactly as in the machine API', async () => {
    const { actor, link } = await openRequestLink(exchange);
    const receiver = { ...actor, apiKey: (actor as Account).apiKey };
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, 'Here you are.');
    const sender = await exchange.account(actor.email);
    await exchange.drop(sender, [actor.email], ['b.txt', 'c.txt']);
    const entries = (await get(receiver, '/inbox')).json();
    expect(entries.next_cursor).toBeNull();
    expect(entries.data).toMatchObject([
      { sender: sender.email, request_id: null, file_count: 2, state: 'available', attempts: 0, lease_ends_at: null },
      { sender: link.receiver, request_id: link.dropId, file_count: 1, state: 'available', message: 'Here you are.' },
    ]);
    const inMachineApi = await collectGroups(readInbox(engines, actor.accountId));
    expect(entries.data.map(({ id }: Entry) => id)).toEqual(inMachineApi.map(({ id }) => id));
  });

  test('is read page by page, each entry once, with and without a state', async () => {
    const receiver = await makeReceiver(25);
    for (const { id, lease } of await claim(receiver, 8)) await ack(receiver, { id, lease });
    for (let attempt = 1; attempt < maxAttempts; attempt++) {
      await claim(receiver, 7);
      await advanceQueue(database, receiver, 61);
      // Entries that were claimed before come after the others.
      await database.query(
        `update inbox_entries set due_at = now() - interval '1 day' where account_id = $1 and attempts = $2`,
        [receiver.accountId, attempt],
      );
    }
    // The last attempts: five leases are held, two have ended.
    const last = await claim(receiver, 7);
    for (const { id, lease } of last.slice(5)) await post(receiver, `/inbox/${id}/nack`, { lease });
    await claim(receiver, 4);
    const sizes = { available: 6, claimed: 9, parked: 2, acknowledged: 8 };
    const seen: string[] = [];
    for (const [state, size] of [...Object.entries(sizes), [undefined, 25] as const]) {
      const found: Entry[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const filter: string = (state ? `&state=${state}` : '') + (cursor === '' ? '' : `&cursor=${cursor}`);
        const page = (await get(receiver, `/inbox?limit=2${filter}`)).json();
        expect(page.data.length).toBeLessThanOrEqual(2);
        found.push(...page.data);
        cursor = page.next_cursor;
      }
      expect(new Set(found.map(({ id }) => id)).size, state).toBe(size);
      expect(found).toHaveLength(size);
      if (state) expect(new Set(found.map((entry) => entry.state))).toEqual(new Set([state]));
      if (state) seen.push(...found.map(({ id }) => id));
    }
    expect(new Set(seen).size).toBe(25);
  });

  test('refuses a cursor of another filter, and values out of bounds', async () => {
    const receiver = await makeReceiver(3);
    const { next_cursor: cursor } = (await get(receiver, '/inbox?limit=1&state=available')).json();
    expect((await get(receiver, `/inbox?limit=1&state=available&cursor=${cursor}`)).status).toBe(200);
    for (const query of [`limit=1&cursor=${cursor}`, `state=claimed&cursor=${cursor}`, 'state=done', 'limit=101']) {
      expect((await get(receiver, `/inbox?${query}`)).status, query).toBe(400);
    }
    for (const body of [
      { max: 0, lease_seconds: 60 },
      { max: 101, lease_seconds: 60 },
      { max: 1, lease_seconds: 9 },
      { max: 1, lease_seconds: 3601 },
      { max: 1, lease_seconds: 60, more: true },
      { max: '1' },
    ]) {
      expect((await post(receiver, '/inbox/claim', body)).status, JSON.stringify(body)).toBe(400);
    }
    expect(await listed(receiver, 'available')).toHaveLength(3);
  });

  test('gives one entry for five minutes to a claim without a body', async () => {
    const receiver = await makeReceiver(2);
    const [entry, ...others] = (await post(receiver, '/inbox/claim')).json().data;
    expect(others).toEqual([]);
    expect(Date.parse(entry.lease_ends_at) - Date.now()).toBeGreaterThan(290_000);
  });
});

describe('a claim', () => {
  test('gives each entry to one caller, even if many ask at once', async () => {
    const receiver = await makeReceiver(100);
    const other = buildTestServer(exchange);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        requestV1(index % 2 ? app : other, 'POST', '/inbox/claim', {
          key: receiver.apiKey,
          body: { max: 7, lease_seconds: 60 },
        }),
      ),
    );
    await other.close();
    // A request may get fewer entries than there are while others are claiming them.
    const rest = await claim(receiver, 100);
    const ids = [...claims.flatMap((response): Entry[] => response.json().data), ...rest].map(({ id }) => id);
    expect(ids).toHaveLength(100);
    expect(new Set(ids).size).toBe(100);
    expect(await claim(receiver, 100)).toEqual([]);
  });

  test('contains the files of its entries, as far as a thousand go', async () => {
    const { receiver, id } = await sentTo('a.txt', 'b.txt');
    const { files } = (await get(receiver, `/inbox/${id}`)).json();
    const [entry] = (await post(receiver, '/inbox/claim')).json().data;
    expect(entry).toMatchObject({ id, files });
    expect(files).toMatchObject([{ path: 'a.txt' }, { path: 'b.txt' }]);
    const other = await makeReceiver(3);
    await database.query(
      `update drops set file_count = 600 from inbox_entries
       where inbox_entries.account_id = $1 and drops.id = inbox_entries.drop_id`,
      [other.accountId],
    );
    const many = (await post(other, '/inbox/claim', { max: 3 })).json().data;
    expect(many.map((claimed: { files: unknown }) => claimed.files)).toEqual([[], null, null]);
  });

  describe('that waits', () => {
    const waitForOne = async (receiver: Account, wait: number): Promise<Entry[]> =>
      (await post(receiver, '/inbox/claim', { wait })).json().data;

    test('gets an entry as soon as it arrives, also with a key that may only receive', async () => {
      const receiver = await exchange.account();
      const sender = await exchange.account(receiver.email);
      const body = { name: 'worker', scopes: ['receive'] };
      const { api_key: apiKey } = (await post(receiver, '/keys', body)).json();
      const began = Date.now();
      const waiting = waitForOne({ ...receiver, apiKey }, 30);
      await exchange.drop(sender, [receiver.email], ['a.txt']);
      expect(await waiting).toMatchObject([{ attempts: 1, files: [{ path: 'a.txt' }] }]);
      expect(Date.now() - began).toBeLessThan(15_000);
    });

    test('gets an entry when it can be claimed again', async () => {
      const receiver = await makeReceiver(1);
      const { id, lease } = await claimOne(receiver);
      await post(receiver, `/inbox/${id}/nack`, { lease, delay_seconds: 1 });
      expect(await waitForOne(receiver, 30)).toMatchObject([{ id, attempts: 2 }]);
    });

    test('gets nothing when its time is over, and is refused when its key is revoked', async () => {
      const receiver = await exchange.account();
      expect(await waitForOne(receiver, 1)).toEqual([]);
      expect((await post(receiver, '/inbox/claim', { wait: 31 })).status).toBe(400);
      const made = (await post(receiver, '/keys', { name: 'worker', scopes: ['receive'] })).json();
      const waiting = post({ ...receiver, apiKey: made.api_key }, '/inbox/claim', { wait: 30 });
      await requestV1(app, 'DELETE', `/keys/${made.id}`, { key: receiver.apiKey });
      expect((await waiting).status).toBe(401);
    });
  });

  test('takes the entries that have been available for longest, and no more than requested', async () => {
    const receiver = await makeReceiver(1);
    const [first] = await listed(receiver);
    await fillInbox(database, await exchange.account(), receiver, 5);
    expect(await claimOne(receiver)).toMatchObject({ id: first?.id, state: 'claimed', attempts: 1 });
    expect(await claim(receiver, 2)).toHaveLength(2);
    expect(await listed(receiver, 'available')).toHaveLength(3);
  });

  test('lasts as long as its lease, which can be renewed while it is held', async () => {
    const receiver = await makeReceiver(1);
    const entry = await claimOne(receiver);
    const leftSeconds = (end: string | null) => (Date.parse(end ?? '') - Date.now()) / 1000;
    expect(leftSeconds(entry.lease_ends_at)).toBeGreaterThan(50);
    expect(leftSeconds(entry.lease_ends_at)).toBeLessThan(70);
    await advanceQueue(database, receiver, 50);
    const renew = () => post(receiver, `/inbox/${entry.id}/renew`, { lease: entry.lease, lease_seconds: 600 });
    expect(leftSeconds((await renew()).json().lease_ends_at)).toBeGreaterThan(590);
    await advanceQueue(database, receiver, 590);
    expect(await claim(receiver)).toEqual([]);
    await advanceQueue(database, receiver, 20);
    expect(await readState(receiver, entry.id)).toMatchObject({ state: 'available', attempts: 1 });
    expect((await renew()).json()).toMatchObject({ status: 409, code: 'lease_not_held' });
    expect(await claimOne(receiver)).toMatchObject({ id: entry.id, attempts: 2 });
    expect((await renew()).status).toBe(409);
  });

  test('with an Idempotency-Key gives the same leases again', async () => {
    const receiver = await makeReceiver(4);
    const ask = () => post(receiver, '/inbox/claim', { max: 2, lease_seconds: 60 }, { 'idempotency-key': 'lost' });
    const first = await ask();
    expect(first.json().data).toHaveLength(2);
    expect((await ask()).text).toBe(first.text);
    expect(await listed(receiver, 'claimed')).toHaveLength(2);
  });
});

describe('an acknowledged entry', () => {
  test('can be acknowledged again only with the same lease', async () => {
    const receiver = await makeReceiver(1);
    const entry = await claimOne(receiver);
    expect(await ack(receiver, entry)).toBe(204);
    const first = await readState(receiver, entry.id);
    expect(first).toMatchObject({ state: 'acknowledged', attempts: 1, lease_ends_at: null });
    expect(await ack(receiver, entry)).toBe(204);
    expect(await readState(receiver, entry.id)).toEqual(first);
    expect(await ack(receiver, { ...entry, lease: randomUUID() })).toBe(409);
    await advanceQueue(database, receiver, 3600);
    expect(await ack(receiver, entry)).toBe(204);
    expect(await claim(receiver)).toEqual([]);
    const { lease } = entry;
    expect((await post(receiver, `/inbox/${entry.id}/nack`, { lease })).status).toBe(409);
    expect((await post(receiver, `/inbox/${entry.id}/renew`, { lease, lease_seconds: 60 })).status).toBe(409);
  });

  test('cannot be acknowledged with a lease that has ended or is another’s', async () => {
    const receiver = await makeReceiver(1);
    const early = await claimOne(receiver);
    await advanceQueue(database, receiver, 61);
    expect(await ack(receiver, early)).toBe(409);
    const late = await claimOne(receiver);
    expect(late.id).toBe(early.id);
    expect(await ack(receiver, early)).toBe(409);
    expect((await post(receiver, `/inbox/${early.id}/nack`, { lease: early.lease })).status).toBe(409);
    expect(await readState(receiver, late.id)).toMatchObject({ state: 'claimed', attempts: 2 });
    expect(await ack(receiver, late)).toBe(204);
  });

  test('stays in the inbox of the machine API, and does not count as delivered', async () => {
    const { receiver, sender, dropId, id } = await sentTo('a.txt');
    expect(await ack(receiver, await claimOne(receiver))).toBe(204);
    expect(await collectGroups(readInbox(engines, receiver.accountId))).toMatchObject([{ id }]);
    const [state] = await engines.store.drops.deliveryStates(sender.accountId, dropId, -1, 1);
    expect(state).toMatchObject({ completedAt: null, files: [{ deliveredBytes: 0 }] });
  });
});

describe('an entry that is released', () => {
  test('is available at once, or after the delay', async () => {
    const receiver = await makeReceiver(1);
    const nack = async (delay: number) => {
      const { id, lease } = await claimOne(receiver);
      return (await post(receiver, `/inbox/${id}/nack`, { lease, delay_seconds: delay })).json();
    };
    expect(await nack(0)).toMatchObject({ state: 'available', attempts: 1 });
    const delayed = await nack(300);
    expect(delayed).toMatchObject({ state: 'available', attempts: 2 });
    expect(Date.parse(delayed.available_at)).toBeGreaterThan(Date.now() + 290_000);
    expect(await claim(receiver)).toEqual([]);
    expect(await listed(receiver, 'available')).toHaveLength(1);
    await advanceQueue(database, receiver, 299);
    expect(await claim(receiver)).toEqual([]);
    await advanceQueue(database, receiver, 2);
    expect(await claimOne(receiver)).toMatchObject({ attempts: 3 });
  });

  test('without a delay waits for longer after each attempt', async () => {
    const receiver = await makeReceiver(1);
    const delays: number[] = [];
    const setAttempts = (attempts: number) =>
      database.query('update inbox_entries set attempts = $2 where account_id = $1', [receiver.accountId, attempts]);
    for (const attempts of [1, 2, 3, 7, 8, 20]) {
      await setAttempts(0);
      const { id, lease } = await claimOne(receiver);
      await setAttempts(attempts);
      const before = Date.now();
      const { available_at: availableAt } = (await post(receiver, `/inbox/${id}/nack`, { lease })).json();
      delays.push(Math.round((Date.parse(availableAt) - before) / 10_000) * 10);
      expect(await claim(receiver)).toEqual([]);
      await advanceQueue(database, receiver, 3_601);
    }
    expect(delays).toEqual([30, 60, 120, 1920, 3600, 3600]);
  });
});

describe('after its last attempt, an entry', () => {
  const lastAttempt = async (receiver: Account) => {
    for (let attempt = 1; attempt < maxAttempts; attempt++) {
      expect(await claimOne(receiver)).toMatchObject({ attempts: attempt });
      await advanceQueue(database, receiver, 61);
    }
    return claimOne(receiver);
  };

  test.each([
    ['whose lease ends', (receiver: Account) => advanceQueue(database, receiver, 61)],
    [
      'that is given back',
      (receiver: Account, { id, lease }: Entry) => post(receiver, `/inbox/${id}/nack`, { lease, delay_seconds: 600 }),
    ],
  ])('%s is parked until it is released', async (_name, end) => {
    const receiver = await makeReceiver(1);
    const last = await lastAttempt(receiver);
    expect(last).toMatchObject({ state: 'claimed', attempts: maxAttempts });
    expect((await post(receiver, `/inbox/${last.id}/release`)).json()).toMatchObject({
      status: 409,
      code: 'not_parked',
    });
    await end(receiver, last);
    expect(await listed(receiver, 'parked')).toMatchObject([{ id: last.id, attempts: maxAttempts }]);
    expect(await listed(receiver)).toMatchObject([{ id: last.id, state: 'parked' }]);
    expect(await claim(receiver, 100)).toEqual([]);
    expect(await ack(receiver, last)).toBe(409);

    const released = await post(receiver, `/inbox/${last.id}/release`);
    expect(released.json()).toMatchObject({ state: 'available', attempts: 0 });
    expect((await post(receiver, `/inbox/${last.id}/release`)).status).toBe(409);
    expect(await ack(receiver, last)).toBe(409);
    const again = await lastAttempt(receiver);
    expect(await ack(receiver, again)).toBe(204);
    expect((await post(receiver, `/inbox/${last.id}/release`)).status).toBe(409);
  });

  test('is reported once: as an event, and to the owner in one mail with all others of an hour', async () => {
    const receiver = await makeReceiver(1);
    const run = async () => {
      await sweep(engines);
      await sweep(engines);
      // Events are listed when every older transaction of the database server has ended, also one of other tests.
      const { data } = (await get(receiver, '/events?limit=100')).json() as { data: { type: string; data: object }[] };
      return data.filter(({ type }) => type === 'inbox.parked').map((event) => event.data);
    };
    const findJobs = () =>
      database.query<{ payload: { accountId: string; messageId: string }; wait: number }>(
        `select payload, extract(epoch from run_at - now())::float8 as wait from graphile_worker._private_jobs
         where key = 'parked:' || $1`,
        [receiver.accountId],
      );
    const first = await lastAttempt(receiver);
    expect(await run()).toEqual([]);
    const park = async ({ id, lease }: Entry) => void (await post(receiver, `/inbox/${id}/nack`, { lease }));
    await park(first);
    await expect.poll(run, { timeout: 20_000 }).toEqual([
      {
        inbox_id: first.id,
        sender: expect.stringContaining('@'),
        files: 1,
        attempts: maxAttempts,
        request_id: null,
        reference: first.reference,
        external_id: null,
      },
    ]);
    const [job] = await findJobs();
    expect(job?.wait).toBeLessThan(1);
    const mailer = memoryMailer();
    await tellOfParkedEntries({ ...engines, mailer }, receiver.accountId, job?.payload.messageId ?? '');
    expect(mailer.sent).toMatchObject([{ to: receiver.email, subject: 'An entry in your inbox was not processed' }]);
    expect(mailer.sent[0]?.text).toContain('waybill inbox --state parked');

    await database.query("delete from graphile_worker._private_jobs where key = 'parked:' || $1", [receiver.accountId]);
    for (let entry = 0; entry < 2; entry++) {
      await fillInbox(database, await exchange.account(), receiver, 1);
      await park(await lastAttempt(receiver));
    }
    await expect.poll(run, { timeout: 20_000 }).toHaveLength(3);
    const [later, ...others] = await findJobs();
    expect(later?.wait).toBeGreaterThan(3_500);
    expect(others).toEqual([]);
    await tellOfParkedEntries({ ...engines, mailer }, receiver.accountId, later?.payload.messageId ?? '');
    expect(mailer.sent[1]?.subject).toBe('3 entries in your inbox were not processed');

    for (const { id } of await listed(receiver, 'parked')) await post(receiver, `/inbox/${id}/release`);
    await tellOfParkedEntries({ ...engines, mailer }, receiver.accountId, later?.payload.messageId ?? '');
    expect(mailer.sent).toHaveLength(2);
    for (const { id, lease } of await claim(receiver, 2)) await ack(receiver, { id, lease });
    await database.query("delete from graphile_worker._private_jobs where key = 'parked:' || $1", [receiver.accountId]);
    await park(await lastAttempt(receiver));
    await expect.poll(run, { timeout: 20_000 }).toHaveLength(4);
    expect((await findJobs()).map(({ wait }) => wait > 3_500)).toEqual([true]);
  });

  test('can be acknowledged and renewed as during any other', async () => {
    const receiver = await makeReceiver(1);
    const { id, lease } = await lastAttempt(receiver);
    expect((await post(receiver, `/inbox/${id}/renew`, { lease, lease_seconds: 3600 })).status).toBe(200);
    await advanceQueue(database, receiver, 3000);
    expect(await ack(receiver, { id, lease })).toBe(204);
  });
});

describe('an entry', () => {
  const everyRequest = (account: Account, id: string, lease: string, file: string) => [
    get(account, `/inbox/${id}`),
    get(account, `/inbox/${id}/files/${file}`),
    get(account, `/inbox/${id}/all.zip`),
    post(account, `/inbox/${id}/renew`, { lease, lease_seconds: 60 }),
    post(account, `/inbox/${id}/ack`, { lease }),
    post(account, `/inbox/${id}/nack`, { lease }),
    post(account, `/inbox/${id}/release`),
  ];
  const statuses = async (requests: Promise<{ status: number }>[]) =>
    new Set((await Promise.all(requests)).map(({ status }) => status));

  test('is not found by another account, nor is a file of another entry', async () => {
    const { receiver, id } = await sentTo('a.txt');
    const { lease } = await claimOne(receiver);
    const file = (await readState(receiver, id)).files[0].id;
    const other = await sentTo('b.txt');
    expect(await statuses(everyRequest(other.receiver, id, lease, file))).toEqual(new Set([404]));
    expect((await get(other.receiver, `/inbox/${other.id}/files/${file}`)).status).toBe(404);
    expect((await listed(other.receiver)).map((entry) => entry.id)).toEqual([other.id]);
    expect(await readState(receiver, id)).toMatchObject({ state: 'claimed' });
  });

  test('that ends while it is claimed leaves the queue', async () => {
    const { receiver, dropId, id } = await sentTo('a.txt');
    const { lease } = await claimOne(receiver);
    const file = (await readState(receiver, id)).files[0].id;
    await exchange.expire(dropId);
    const isGone = async () => {
      expect(await statuses(everyRequest(receiver, id, lease, file))).toEqual(new Set([404]));
      for (const state of [undefined, 'available', 'claimed', 'parked', 'acknowledged']) {
        expect(await listed(receiver, state)).toEqual([]);
      }
      await advanceQueue(database, receiver, 61);
      expect(await claim(receiver)).toEqual([]);
    };
    await isGone();
    await sweep(engines);
    await isGone();
    expect(await database.query('select from inbox_entries where id = $1', [id])).toEqual([]);
  });

  test('is shown with its files', async () => {
    const { receiver, id } = await sentTo('a.txt', 'b.txt');
    const sha256 = createHash('sha256').update('content of a.txt').digest('hex');
    expect(await readState(receiver, id)).toMatchObject({
      id,
      file_count: 2,
      files: [
        { name: 'a.txt', path: 'a.txt', size: 16, sha256, scan: 'unscanned', unscanned_reason: 'off' },
        { name: 'b.txt' },
      ],
    });
  });
});

describe('a download', () => {
  let origin: string;
  beforeAll(async () => {
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  /** Uses a real connection, which shows how many bytes were sent. */
  const download = async ({ apiKey }: Account, path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test('of a file has its bytes, or a range of them, and is recorded as a delivery', async () => {
    const { receiver, sender, dropId, id } = await sentTo('a.txt');
    const file = (await readState(receiver, id)).files[0];
    const path = `/inbox/${id}/files/${file.id}`;
    const deliveries = async () => (await engines.store.drops.deliveryStates(sender.accountId, dropId, -1, 1))[0];
    const part = await download(receiver, path, { range: 'bytes=0-6' });
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, 'content', 'bytes 0-6/16']);
    await vi.waitFor(async () => expect((await deliveries())?.files[0]?.deliveredBytes).toBe(7));
    const rest = await download(receiver, path, { range: 'bytes=7-', 'if-range': String(part.headers.get('etag')) });
    expect([rest.status, rest.text]).toEqual([206, ' of a.txt']);
    await vi.waitFor(async () => expect(await deliveries()).toMatchObject({ completedAt: expect.any(Date) }));
    const whole = await download(receiver, path);
    expect([whole.status, whole.text]).toEqual([200, 'content of a.txt']);
    const digest = Buffer.from(file.sha256, 'hex').toString('base64');
    expect(whole.headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
    const outside = await get(receiver, path, { range: 'bytes=16-' });
    expect([outside.status, outside.headers['content-range']]).toEqual([416, 'bytes */16']);
    expect(await readState(receiver, id)).toMatchObject({ state: 'available' });
  });

  test('of all files is a ZIP that can be fetched in parts', async () => {
    const { receiver, id } = await sentTo('folder/a.txt', 'b.txt');
    const path = `/inbox/${id}/all.zip`;
    const whole = await get(receiver, path);
    const { length } = whole.bytes;
    const parts = await Promise.all(
      [`bytes=0-99`, `bytes=100-${length - 1}`].map((range) => get(receiver, path, { range })),
    );
    expect(parts.map(({ status }) => status)).toEqual([206, 206]);
    expect(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(whole.bytes)).toBe(true);
    const folder = mkdtempSync(join(tmpdir(), 'waybill-inbox-'));
    writeFileSync(join(folder, 'all.zip'), whole.bytes);
    const unpacked = execFileSync('unzip', ['-p', join(folder, 'all.zip'), 'folder/a.txt'], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(unpacked).toBe('content of folder/a.txt');
  });

  test('is described by HEAD, and refused if a required scan is missing', async () => {
    const { receiver, id } = await sentTo('a.txt');
    const file = (await readState(receiver, id)).files[0];
    const strict = buildTestServer(exchange, { policy: { ...testPolicy, scan: 'required' } });
    for (const path of [`/inbox/${id}/files/${file.id}`, `/inbox/${id}/all.zip`]) {
      const head = await requestV1(app, 'HEAD', path, { key: receiver.apiKey });
      expect([head.status, head.headers['accept-ranges'], head.text]).toEqual([200, 'bytes', '']);
      expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
      expect((await requestV1(strict, 'GET', path, { key: receiver.apiKey })).status).toBe(404);
    }
    await strict.close();
  });
});
