// `work` dies, as in a power failure, at each point between two steps of the evidence log: nothing that was acknowledged is
// missing from it, nothing is in it twice, and every checkpoint contains the ones before. The same holds if the log is ended
// meanwhile by `log start-epoch`.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  computeRoot,
  decodeBundle,
  hashLeaf,
  openNote,
  parseCheckpoint,
  parsePolicy,
} from '../../evidence/src/index.ts';
import { uniqueAddress } from '../lib/accounts.ts';
import { dispatch } from '../lib/scenario.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';

const points = ['log:assigned', 'log:tiles-written', 'log:checkpoint-stored', 'log:checkpoint-put', 'log:published'];

let exchange: OwnExchange;
beforeAll(async () => {
  exchange = await ownExchange();
});
afterAll(() => exchange[Symbol.asyncDispose]());
afterEach(() => exchange.rest());

/** Polls that start a process each: more often, they would do nothing but that. */
const seldom = { everyMs: 1000 };

const get = async (path: string) => {
  const response = await fetch(`${exchange.baseUrl}/log/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
};

/** The published log, as a stranger reads it: its entries lead to the root that its keys have signed. */
async function readLog(epoch = 1): Promise<readonly string[]> {
  const { logs } = parsePolicy((await get('policy')).toString());
  const { text } = openNote((await get(`${epoch}/checkpoint`)).toString(), logs);
  const { size, root } = parseCheckpoint(text) ?? { size: 0, root: Buffer.alloc(0) };
  const entries: Uint8Array[] = [];
  for (let from = 0; from < size; from += 256) {
    const [name, width] = [String(from / 256).padStart(3, '0'), Math.min(256, size - from)];
    entries.push(...decodeBundle(await get(`${epoch}/tile/entries/${name}${width === 256 ? '' : `.p/${width}`}`)));
  }
  expect(Buffer.compare(root, computeRoot(entries.map((entry) => hashLeaf(entry))))).toBe(0);
  return entries.map((entry) => Buffer.from(entry).toString('hex'));
}

test('a worker killed at each step: the log has every event once, and continues what was published', {
  timeout: 900_000,
}, async () => {
  const client = await exchange.client('logged');
  let before: readonly string[] = [];
  for (const point of points) {
    const doomed = await exchange.work({ WAYBILL_FAILPOINT: point });
    await dispatch(client, { to: [uniqueAddress('receiver')], files: [{ name: 'a.txt', content: 'a' }] });
    expect(await doomed.ended).toBe('SIGKILL');
    const worker = await exchange.work();
    await eventually(
      'everything is published',
      async () => {
        const [row] = await exchange.query<{ published: boolean }>(
          `select not exists (select from evidence_entries where leaf_index is null)
             and (select size = published_size from evidence_logs) as published`,
        );
        return row?.published || undefined;
      },
      { withinMs: 120_000 },
    );
    await worker.stop();
    const commitments = await exchange.query<{ commitment: string }>(
      `select encode(commitment, 'hex') as commitment from evidence_entries order by leaf_index`,
    );
    const log = await eventually('the new checkpoint is served', async () => {
      const read = await readLog();
      return read.length === commitments.length ? read : undefined;
    });
    expect(log).toEqual(commitments.map(({ commitment }) => commitment));
    expect(new Set(log).size).toBe(log.length);
    expect(log.slice(0, before.length)).toEqual(before);
    before = log;
  }
  expect(before.length).toBeGreaterThan(2 * points.length);
  const status = await exchange.admin('log', 'status', '--json');
  expect(status.exitCode).toBe(0);
  expect(JSON.parse(status.stdout)).toMatchObject({ waiting: 0, refusal: null, epochs: [{ epoch: 1 }] });
});

test('`log start-epoch` beside `work`, with leases that end early: every event is in one epoch, once', {
  timeout: 300_000,
}, async () => {
  // One has the turn, and the other tries to take it every second.
  const workers = [await exchange.work(), await exchange.work()];
  const readStatus = async () =>
    JSON.parse((await exchange.admin('log', 'status', '--json')).stdout) as {
      refusal: string | null;
      waiting: number;
      epochs: { published_size: number }[];
    };
  await eventually(
    'the log is published',
    async () => {
      const { waiting, epochs } = await readStatus();
      return (waiting === 0 && epochs[0] && epochs[0].published_size > 0) || undefined;
    },
    seldom,
  );
  // As after a failover between "assigned" and "published": `work` refuses to sign, so that it publishes none of them itself.
  const strandedCount = 20_000;
  await exchange.query(
    `insert into evidence_entries
       (account_id, kind, drop_id, position, data, number, epoch, leaf_index, commitment)
     select gen_random_uuid(), 'link.opened', gen_random_uuid(), 0, '{}', 0, 1, size + place - 1, sha256(place::text::bytea)
     from evidence_logs, generate_series(1, ${strandedCount}) as place where epoch = 1`,
  );
  await exchange.query(
    `update evidence_logs set size = size + ${strandedCount}, signed_checkpoint = null, checkpoint = null, published_size = 0
     where epoch = 1`,
  );
  await eventually('the log refuses to sign', async () => (await readStatus()).refusal ?? undefined, seldom);
  // A lease of 60 seconds ends within a moment, unless it is renewed: long before all entries are moved.
  const started = new AbortController();
  const shortening = (async () => {
    while (!started.signal.aborted)
      await exchange.query("update evidence_logs set lease_until = lease_until - interval '1 second'");
  })();
  const exits: (number | null)[] = [];
  while (exits.at(-1) !== 0 && exits.length < 10) {
    const { exitCode, stderr } = await exchange.admin('log', 'start-epoch', '--reason', 'a test');
    exits.push(exitCode);
    if (exitCode !== 0) expect(stderr).toContain('no epoch was started');
  }
  started.abort();
  await shortening;
  expect(exits.at(-1)).toBe(0);
  await eventually(
    'everything is published',
    async () => {
      const { exitCode, stdout } = await exchange.admin('log', 'status', '--json');
      return exitCode === 0 && (JSON.parse(stdout) as { waiting: number }).waiting === 0 ? true : undefined;
    },
    seldom,
  );
  for (const worker of workers) await worker.stop();
  const rows = await exchange.query<{ epoch: number; commitment: string }>(
    `select epoch, encode(commitment, 'hex') as commitment from evidence_entries order by epoch, leaf_index`,
  );
  for (const [epoch, entries] of Map.groupBy(rows, (row) => row.epoch)) {
    const log = await eventually(`the checkpoint of epoch ${epoch} is served`, async () => {
      const read = await readLog(epoch);
      return read.length === entries.length ? read : undefined;
    });
    expect(log).toEqual(entries.map(({ commitment }) => commitment));
  }
  expect(rows.filter(({ epoch }) => epoch > 1).length).toBeGreaterThan(strandedCount);
  expect((await exchange.admin('log', 'check')).exitCode).toBe(0);
});
