// Programs that share an inbox by `inbox.work`, killed at any moment: each entry is handled, acknowledged once, and never parked.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { type Account, createAccount } from '../lib/accounts.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';
import { insertDrops } from '../sizes/many-drops.ts';
import type { WorkerOrders } from './inbox-worker.ts';

/** At full size by `npm run lab -- inbox-storm`. */
const entryCount = Number(process.env['WAYBILL_INBOX_ENTRIES'] ?? 300);
const kills = Number(process.env['WAYBILL_INBOX_KILLS'] ?? 12);
const isFullSize = entryCount > 300;
const workerCount = 4;
/** The bytes that a worker writes for an entry. */
const lineBytes = `${randomUUID()} 1\n`.length;
const workerPath = fileURLToPath(new URL('inbox-worker.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'waybill-workers-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A worker that is started again whenever it is killed. Every other one stores its claims. */
class Worker {
  readonly storesClaims: boolean;
  errors = '';
  readonly #orders: WorkerOrders;
  #process: ChildProcess;

  constructor(account: Account, log: string, number: number) {
    this.storesClaims = number % 2 === 0;
    const claims = this.storesClaims ? { claims: join(folder, `claims-${number}`) } : {};
    this.#orders = { baseUrl: demo().base_url, ...account, log, ...claims };
    this.#process = this.#start();
  }

  #start(): ChildProcess {
    const started = spawn(process.execPath, [workerPath, JSON.stringify(this.#orders)]);
    started.stderr.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    return started;
  }

  async killAndStart(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
    this.#process = this.#start();
  }

  /** Returns whether it ended as expected. A process that has only just been started is ended by the signal itself. */
  async stop(): Promise<boolean> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const [exitCode, signal] = (await exited) as [number | null, NodeJS.Signals | null];
    return exitCode === 0 || signal === 'SIGTERM';
  }
}

async function findAccount({ user }: Account): Promise<string> {
  const [found] = await query<{ id: string }>('select id from accounts where email = $1', [user]);
  return found?.id ?? '';
}

/** Makes an inbox entry of every drop of the sender. */
async function insertEntries(sender: Account, receiverId: string): Promise<void> {
  await insertDrops(sender.user, entryCount);
  await query(
    `insert into inbox_entries (account_id, id, sender_account_id, drop_id)
     select $1, gen_random_uuid(), account_id, id from drops where account_id = $2`,
    [receiverId, await findAccount(sender)],
  );
  await query('analyze inbox_entries, drops');
}

test(`${kills} kills of ${workerCount} workers on ${entryCount} entries: each is handled, and acknowledged once`, {
  timeout: isFullSize ? 7_200_000 : 120_000,
}, async () => {
  const [sender, receiver] = [await createAccount('work-sender'), await createAccount('work-receiver')];
  const receiverId = await findAccount(receiver);
  await insertEntries(sender, receiverId);
  const log = join(folder, 'handled');
  writeFileSync(log, '');
  const workers = Array.from({ length: workerCount }, (_, number) => new Worker(receiver, log, number));

  for (let kill = 1; kill <= kills; kill += 1) {
    const soFar = (entryCount * kill) / (kills + 1);
    await eventually('the workers make progress', async () => statSync(log).size / lineBytes >= soFar || undefined, {
      withinMs: 600_000,
      everyMs: 20,
    });
    const worker = workers[Math.floor(Math.random() * workers.length)];
    await worker?.killAndStart();
    // As a minute later: without its claims, the entries of a killed worker wait for the end of their leases.
    if (!isFullSize && worker?.storesClaims === false) await endLeases(receiverId);
  }
  await eventually('every entry is acknowledged', async () => (await countOpen(receiverId)) === 0 || undefined, {
    withinMs: isFullSize ? 6_000_000 : 60_000,
    everyMs: 200,
  });

  expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual(workers.map(() => true));
  const states = await query('select state, count(*)::int from inbox_entries where account_id = $1 group by state', [
    receiverId,
  ]);
  expect(states).toEqual([{ state: 'acknowledged', count: entryCount }]);
  const done = await query(
    `select count(*)::int, count(distinct details ->> 'inboxId')::int as entries from audit_entries
     where account_id = $1 and action = 'inbox.done'`,
    [receiverId],
  );
  expect(done).toEqual([{ count: entryCount, entries: entryCount }]);
  const ids = await query<{ id: string }>('select id from inbox_entries where account_id = $1', [receiverId]);
  const attempts = readFileSync(log, 'utf8').trimEnd().split('\n');
  const handled = new Set(attempts.map((line) => line.split(' ')[0]));
  expect(ids.filter(({ id }) => !handled.has(id))).toEqual([]);
  // No two workers had the same lease.
  expect(new Set(attempts).size).toBe(attempts.length);
  const problems = new Set(
    workers.flatMap(({ errors }) => [...errors.matchAll(/^([a-z]+) WaybillError/gm)].map(([, one]) => one)),
  );
  expect([...problems].filter((outcome) => outcome !== 'lost')).toEqual([]);
});

async function endLeases(receiverId: string): Promise<void> {
  await query(
    `update inbox_entries set due_at = now() where account_id = $1 and state <> 'acknowledged' and lease_id is not null
       and due_at > now()`,
    [receiverId],
  );
}

async function countOpen(receiverId: string): Promise<number> {
  const [open] = await query<{ count: number }>(
    `select count(*)::int from inbox_entries where account_id = $1 and state <> 'acknowledged'`,
    [receiverId],
  );
  return open?.count ?? 0;
}
