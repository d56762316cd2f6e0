import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  computeRoot,
  decodeBundle,
  hashLeaf,
  openNote,
  parseCheckpoint,
  parsePolicy,
  proveConsistency,
  proveInclusion,
  verifyConsistency,
  verifyInclusion,
} from '@waybill/evidence';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { type MemoryLogObjects, memoryLogObjects } from '../../../test/memory/memory-log-objects.ts';
import { keyfileProvider } from '../../engines/keyfile/key-provider.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { KeyProvider } from '../ports/key-provider.ts';
import { commitEvent } from './commit-event.ts';
import { makeLogPolicy } from './public-log.ts';
import { readTilesOf } from './read-log.ts';
import { addSigningKeys, retireSigningKey, wrapSigningKeysAgain } from './rotate-signing-keys.ts';
import { Sequencer } from './sequencer.ts';
import { startEpoch } from './start-epoch.ts';

const live = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'waybill-log-'));
afterAll(() => rmSync(folder, { recursive: true }));
let exchange: TestExchange;
let objects: MemoryLogObjects;

class Killed extends Error {}

beforeAll(async () => {
  exchange = await openTestExchange();
});
afterAll(async () => exchange[Symbol.asyncDispose]());
beforeEach(async () => {
  await exchange.database.query('truncate evidence_entries, evidence_logs, evidence_keys, evidence_time_stamps');
  objects = memoryLogObjects();
});

/** A process with its own memory, which dies at a point of this name, if one is given. */
function startProcess(dieAt?: string, logObjects = objects) {
  const engines = {
    ...exchange.engines,
    logObjects,
    checkpoint: (name: string) => {
      if (name === dieAt) throw new Killed(name);
    },
  };
  return { engines, sequencer: new Sequencer(engines) };
}

async function append(count: number, story = { dropId: randomUUID(), position: 0 }): Promise<void> {
  const accountId = randomUUID();
  await exchange.engines.store.evidence.append(
    Array.from({ length: count }, () => ({ accountId, ...story, kind: 'link.opened' as const, data: {} })),
  );
}

const endLeases = () => exchange.database.query("update evidence_logs set lease_until = now() - interval '1 second'");

interface Row {
  accountId: string;
  id: string;
  at: Date;
  kind: string;
  dropId: string | null;
  position: number | null;
  data: Record<string, unknown>;
  salt: Buffer;
  number: number;
  epoch: number;
  leafIndex: number;
}

const readRows = () =>
  exchange.database.query<Row>(
    `select account_id as "accountId", id, at, kind, drop_id as "dropId", position, data, salt, number, epoch, leaf_index as "leafIndex"
     from evidence_entries order by epoch, leaf_index`,
  );

/** The checkpoint in the bucket, verified with the policy as a stranger would. */
async function readCheckpointOf(epoch: number, logObjects = objects) {
  const note = logObjects.objects.get(`${epoch}/checkpoint`)?.toString();
  if (note === undefined) throw new Error('nothing is published');
  const { logs } = parsePolicy(await makeLogPolicy(exchange.engines));
  const { text, verified } = openNote(note, logs);
  const checkpoint = parseCheckpoint(text);
  if (!checkpoint) throw new Error('not a checkpoint');
  return { ...checkpoint, verified };
}

/** Everything that was ever acknowledged is in the published log exactly once, where the database says. */
async function expectComplete(): Promise<void> {
  const rows = await readRows();
  const byEpoch = Map.groupBy(rows, ({ epoch }) => epoch);
  for (const [epoch, entries] of byEpoch) {
    const { size, root } = await readCheckpointOf(epoch);
    const leaves = entries.map((entry) => hashLeaf(commitEvent(entry)));
    expect(entries.map(({ leafIndex }) => leafIndex)).toEqual(entries.map((_, index) => index));
    expect(size).toBe(entries.length);
    expect(Buffer.from(root).equals(computeRoot(leaves))).toBe(true);
    const readTile = readTilesOf(objects, epoch);
    for (const index of new Set([0, size >> 1, size - 1])) {
      const proof = await proveInclusion(readTile, index, size);
      expect(verifyInclusion({ leafHash: leaves[index] as Uint8Array, index, size, root, proof })).toBe(true);
    }
  }
  const stories = Map.groupBy(rows, ({ accountId, dropId, position }) => `${accountId} ${dropId} ${position}`);
  for (const story of stories.values()) {
    expect(story.map(({ number }) => number)).toEqual(story.map((_, index) => index));
  }
}

describe('the log', () => {
  test('starts by itself, and its first entry says so', async () => {
    const { sequencer } = startProcess();
    await sequencer.step(live);
    const [first] = await readRows();
    expect(first).toMatchObject({
      kind: 'log.started',
      number: 0,
      epoch: 1,
      data: { origin: 'files.example.org/log/1', previous: null, reason: 'first start' },
    });
    await expectComplete();
  });

  test('has every entry once after each batch, and every checkpoint contains the ones before', async () => {
    const { sequencer } = startProcess();
    const story = { dropId: randomUUID(), position: 3 };
    const published: { size: number; root: Uint8Array }[] = [];
    for (const count of [1, 254, 1, 1, 0, 300, 700]) {
      await append(count, story);
      await sequencer.step(live);
      published.push(await readCheckpointOf(1));
    }
    await expectComplete();
    const last = published.at(-1) as { size: number; root: Uint8Array };
    for (const { size, root } of published) {
      const proof = await proveConsistency(readTilesOf(objects, 1), size, last.size);
      expect(verifyConsistency({ oldSize: size, newSize: last.size, oldRoot: root, newRoot: last.root, proof })).toBe(
        true,
      );
    }
    // Partial tiles are gone where a full one is.
    const names = [...objects.objects.keys()];
    expect(names.filter((name) => /\/000\.p\//.test(name) && !/tile\/1\//.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['1/tile/0/000', '1/tile/entries/000', '1/tile/1/000.p/4']));
    expect(decodeBundle(objects.objects.get('1/tile/entries/001') as Buffer)).toHaveLength(256);
  });

  test('is signed by Ed25519 and by ML-DSA-44', async () => {
    const { sequencer } = startProcess();
    await sequencer.step(live);
    const { verified } = await readCheckpointOf(1);
    expect(verified.map(({ verifier }) => verifier.type)).toEqual([1, 6]);
    expect(verified.find(({ verifier }) => verifier.type === 6)?.timestamp).toBeGreaterThan(Date.now() / 1000 - 600);
  });

  test('is signed without the old master key once its keys are wrapped by the new one', async () => {
    const lines = [1, 2].map((version) => `${version}:${randomBytes(32).toString('base64')}`);
    const openKeys = (...content: (string | undefined)[]) => {
      const path = join(folder, randomUUID());
      writeFileSync(path, content.join('\n'), { mode: 0o600 });
      return keyfileProvider(path, exchange.engines.random);
    };
    const [old, both, fresh] = [openKeys(lines[0]), openKeys(lines[1], lines[0]), openKeys(lines[1])];
    const publish = async (masterKeys: KeyProvider) => {
      await append(1);
      await endLeases();
      const sequencer = new Sequencer({ ...startProcess().engines, masterKeys });
      await sequencer.step(live);
      await sequencer.stop();
      return readCheckpointOf(1);
    };
    const { verified } = await publish(old);
    const lost: string[] = [];
    const wrap = (masterKeys: KeyProvider) =>
      wrapSigningKeysAgain({ ...exchange.engines, masterKeys }, 2, (key) => lost.push(key));
    expect([await wrap(both), await wrap(both), lost]).toEqual([2, 0, []]);
    expect((await publish(fresh)).verified).toHaveLength(verified.length);
    await expect(publish(old)).rejects.toThrow();

    // A key that nobody can unwrap is named as other commands show it, and the log continues without it.
    await exchange.database.query("update evidence_keys set key_version = 1 where algorithm = 'ed25519'");
    expect([await wrap(fresh), lost]).toEqual([0, [expect.stringMatching(/^signing key [0-9a-f]{8} of epoch 1$/)]]);
    const engines = { ...exchange.engines, masterKeys: fresh };
    await addSigningKeys(engines);
    await retireSigningKey(engines, Number.parseInt(lost[0]?.split(' ')[2] ?? '', 16));
    expect((await publish(fresh)).verified).toHaveLength(3);
  });

  test('signs with the old and the new keys until the old ones are retired', async () => {
    const { sequencer, engines } = startProcess();
    await sequencer.step(live);
    const old = await engines.store.evidenceLog.listKeys(1);
    await addSigningKeys(engines);
    await sequencer.step(live);
    expect((await readCheckpointOf(1)).verified).toHaveLength(4);
    for (const { keyId } of old) await retireSigningKey(engines, keyId);
    await sequencer.step(live);
    const { verified } = await readCheckpointOf(1);
    const oldIds = new Set(old.map(({ keyId }) => keyId));
    expect(verified.map(({ verifier }) => oldIds.has(verifier.keyId))).toEqual([false, false]);
    const [first] = verified;
    await expect(retireSigningKey(engines, first?.verifier.keyId ?? 0)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    expect((await readRows()).map(({ kind }) => kind)).toEqual([
      'log.started',
      'log.key_added',
      'log.key_added',
      'log.key_retired',
      'log.key_retired',
    ]);
    await expectComplete();
  });
});

describe('a process that dies', () => {
  test.each(['log:assigned', 'log:tiles-written', 'log:checkpoint-stored', 'log:checkpoint-put', 'log:published'])(
    'at %s leaves nothing out and nothing twice',
    async (point) => {
      await append(300);
      await startProcess().sequencer.step(live);
      await endLeases();
      await append(600);
      await expect(startProcess(point).sequencer.step(live)).rejects.toThrow(point);
      await append(5);
      await endLeases();
      const before = await readCheckpointOf(1);
      await startProcess().sequencer.step(live);
      await expectComplete();
      const { size, root } = await readCheckpointOf(1);
      const proof = await proveConsistency(readTilesOf(objects, 1), before.size, size);
      expect(
        verifyConsistency({ oldSize: before.size, newSize: size, oldRoot: before.root, newRoot: root, proof }),
      ).toBe(true);
    },
  );

  test('after it put the checkpoint, with nothing else to log: the next process records what is published', async () => {
    await append(3);
    await expect(startProcess('log:checkpoint-put').sequencer.step(live)).rejects.toThrow(Killed);
    await endLeases();
    const { engines, sequencer } = startProcess();
    await sequencer.step(live);
    expect(await engines.store.evidenceLog.find(1)).toMatchObject({ size: 4, publishedSize: 4 });
    expect(await engines.store.evidenceLog.readCondition()).toMatchObject({ waiting: 0 });
    await expectComplete();
  });

  test('anywhere, again and again, with others taking over: the log never forks', async () => {
    const points = [
      'log:assigned',
      'log:tiles-written',
      'log:checkpoint-stored',
      'log:checkpoint-put',
      'log:published',
    ];
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const seen: { size: number; root: Uint8Array }[] = [];
    for (let round = 0; round < 15; round += 1) {
      await append(next(200));
      const process = startProcess(points[next(points.length + 3)]);
      await process.sequencer.step(live).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      await endLeases();
      if (objects.objects.has('1/checkpoint')) seen.push(await readCheckpointOf(1));
    }
    await startProcess().sequencer.step(live);
    await expectComplete();
    const last = await readCheckpointOf(1);
    for (const { size, root } of seen) {
      const proof = await proveConsistency(readTilesOf(objects, 1), size, last.size);
      expect(verifyConsistency({ oldSize: size, newSize: last.size, oldRoot: root, newRoot: last.root, proof })).toBe(
        true,
      );
    }
  });
});

describe('two processes', () => {
  test('do not write at once, and the second takes over when the first stops', async () => {
    const [first, second] = [startProcess(), startProcess()];
    await first.sequencer.step(live);
    await append(3);
    await second.sequencer.step(live);
    expect((await readCheckpointOf(1)).size).toBe(1);
    await first.sequencer.stop();
    await second.sequencer.step(live);
    expect((await readCheckpointOf(1)).size).toBe(4);
  });

  test('of which one was paused: it changes nothing, and what it stores late is corrected', async () => {
    let resume = () => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let hasReached = () => {};
    const reached = new Promise<void>((resolve) => {
      hasReached = resolve;
    });
    let isPausing = false;
    const slow = {
      ...objects,
      put: async (...[name, bytes]: Parameters<typeof objects.put>) => {
        if (isPausing && name === '1/checkpoint') {
          hasReached();
          await paused;
        }
        // Like a store that carries out a request although it was aborted.
        objects.objects.set(name, Buffer.from(bytes));
      },
    };
    const old = startProcess(undefined, slow);
    await old.sequencer.step(live);
    isPausing = true;
    await append(2);
    const late = old.sequencer.step(live);
    await reached;
    await endLeases();
    await append(2);
    const next = startProcess();
    await next.sequencer.step(live);
    expect((await readCheckpointOf(1)).size).toBe(5);
    resume();
    await late;
    // The fence: nothing in the database is from the one that was paused.
    expect(await next.engines.store.evidenceLog.find(1)).toMatchObject({ size: 5, publishedSize: 5 });
    expect((await readCheckpointOf(1)).size).toBe(3);
    await append(1);
    await next.sequencer.step(live);
    await old.sequencer.step(live);
    expect((await readCheckpointOf(1)).size).toBe(6);
    await expectComplete();
  });
});

test('an older checkpoint that arrives late is replaced, also if nothing else happens', async () => {
  await append(2);
  await startProcess().sequencer.step(live);
  const late = objects.objects.get('1/checkpoint') as Buffer;
  await endLeases();
  // The partial tiles of the older checkpoint are deleted.
  await append(300);
  await startProcess().sequencer.step(live);
  objects.objects.set('1/checkpoint', late);
  await endLeases();
  await startProcess().sequencer.step(live);
  expect((await readCheckpointOf(1)).size).toBe(303);
  await expectComplete();
});

test('a statement that arrives late replaces nothing that a later one of the same turn has stored', async () => {
  await append(9);
  await startProcess().sequencer.step(live);
  await endLeases();
  const { evidenceLog } = exchange.engines.store;
  const { turn, log } = (await evidenceLog.take(10)) ?? {};
  if (!turn) throw new Error('the turn is not free');
  const note = 'files.example.org/log/1\n5\n';
  expect(await evidenceLog.sign(turn, 5, note)).toBe(false);
  expect(await evidenceLog.publish(turn, 5, note)).toBe(false);
  expect(await evidenceLog.find(1)).toEqual(log);
  expect(await evidenceLog.sign(turn, 10, note)).toBe(true);
  expect(await evidenceLog.publish(turn, 10, note)).toBe(true);
});

/** A process that does not learn the outcome of its next request of a kind, although it is carried out. */
function startUncertain(lost: 'assign' | 'sign' | 'publish' | 'put a tile' | 'put the checkpoint') {
  const { store } = exchange.engines;
  let isArmed = false;
  const lose = async <Outcome>(kind: typeof lost, outcome: Promise<Outcome>): Promise<Outcome> => {
    const settled = await outcome;
    if (!isArmed || kind !== lost) return settled;
    isArmed = false;
    throw new ExchangeError('unavailable');
  };
  const logObjects: typeof objects = {
    ...objects,
    put: (...call) => lose(call[0] === '1/checkpoint' ? 'put the checkpoint' : 'put a tile', objects.put(...call)),
  };
  const evidenceLog: typeof store.evidenceLog = {
    ...store.evidenceLog,
    sign: (...call) => lose('sign', store.evidenceLog.sign(...call)),
    publish: (...call) => lose('publish', store.evidenceLog.publish(...call)),
  };
  const transaction: typeof store.transaction = (...call) => lose('assign', store.transaction(...call));
  const engines = { ...startProcess(undefined, logObjects).engines, store: { ...store, evidenceLog, transaction } };
  return {
    sequencer: new Sequencer(engines),
    arm() {
      isArmed = true;
    },
  };
}

test.each(['assign', 'sign', 'publish', 'put a tile', 'put the checkpoint'] as const)(
  'if the outcome of "%s" is unknown, nothing is left out and nothing is logged twice',
  async (lost) => {
    const { sequencer, arm } = startUncertain(lost);
    await append(300);
    await sequencer.step(live);
    arm();
    await append(300);
    await expect(sequencer.step(live)).rejects.toMatchObject({ code: 'unavailable' });
    await sequencer.step(live);
    expect((await readCheckpointOf(1)).size).toBe(601);
    await append(5);
    await sequencer.step(live);
    await expectComplete();
  },
);

describe('while the bucket is away', () => {
  test('entries wait, and are published when it is back', async () => {
    let isAway = false;
    const failing = new Proxy(objects, {
      get: (target, name: keyof MemoryLogObjects) =>
        isAway && name !== 'objects' ? () => Promise.reject(new ExchangeError('unavailable')) : target[name],
    });
    const { sequencer, engines } = startProcess(undefined, failing);
    await sequencer.step(live);
    isAway = true;
    for (let batch = 0; batch < 3; batch += 1) {
      await append(100);
      await expect(sequencer.step(live)).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(await engines.store.evidenceLog.readCondition()).toMatchObject({ waiting: 300, refusal: null });
    isAway = false;
    await sequencer.step(live);
    await expectComplete();
    expect(await engines.store.evidenceLog.readCondition()).toMatchObject({ waiting: 0, lagSeconds: 0 });
  });

  test('a write that fails in the middle of a batch changes nothing that is published', async () => {
    let left = Number.POSITIVE_INFINITY;
    const failing = {
      ...objects,
      put: (...call: Parameters<typeof objects.put>) => {
        left -= 1;
        return left < 0 ? Promise.reject(new ExchangeError('unavailable')) : objects.put(...call);
      },
    };
    const { sequencer } = startProcess(undefined, failing);
    await sequencer.step(live);
    await append(700);
    for (left = 0; left < 8; ) {
      const allowed = left;
      await sequencer.step(live).catch(() => undefined);
      left = allowed + 1;
    }
    left = Number.POSITIVE_INFINITY;
    await sequencer.step(live);
    await expectComplete();
  });
});

describe('a database that was restored from a backup', () => {
  /** Copies the log's rows, as a backup would, and puts them back. */
  async function backUp() {
    await exchange.database.query('create table if not exists saved_entries as table evidence_entries with no data');
    await exchange.database.query('create table if not exists saved_logs as table evidence_logs with no data');
    await exchange.database.query('truncate saved_entries, saved_logs');
    await exchange.database.query('insert into saved_entries table evidence_entries');
    await exchange.database.query('insert into saved_logs table evidence_logs');
    return async () => {
      await exchange.database.query('truncate evidence_entries');
      await exchange.database.query('insert into evidence_entries overriding system value table saved_entries');
      const columns = ['size', 'published_size', 'published_at', 'signed_checkpoint', 'checkpoint', 'ended_at'];
      await exchange.database.query(
        `update evidence_logs set ${columns.map((column) => `${column} = saved.${column}`).join()}, lease_until = null
         from saved_logs as saved where saved.epoch = evidence_logs.epoch`,
      );
    };
  }

  test('signs nothing, keeps entries waiting, and says why, until a new epoch links to what was published', async () => {
    const { sequencer, engines } = startProcess();
    await append(10);
    await sequencer.step(live);
    const restore = await backUp();
    await append(10);
    await sequencer.step(live);
    const published = objects.objects.get('1/checkpoint');
    await restore();
    await append(7);
    const restored = startProcess().sequencer;
    await restored.step(live);
    await restored.step(live);
    expect(objects.objects.get('1/checkpoint')).toBe(published);
    const condition = await engines.store.evidenceLog.readCondition();
    expect(condition.waiting).toBe(7);
    expect(condition.refusal).toMatch(/has a checkpoint of 21 entries in epoch 1, and the database knows only 11/);

    const old = await readCheckpointOf(1);
    await endLeases();
    const started = await startEpoch(engines, { reason: 'restored', author: engines.administrator });
    expect(started).toEqual({ epoch: 2, origin: 'files.example.org/log/2', moved: 0 });
    await startProcess().sequencer.step(live);
    expect((await readCheckpointOf(2)).size).toBe(8);
    expect((await readRows()).find(({ epoch }) => epoch === 2)).toMatchObject({
      kind: 'log.started',
      data: {
        previous: { origin: old.origin, size: 21, root: Buffer.from(old.root).toString('base64') },
        reason: 'restored',
      },
    });
    expect((await engines.store.evidenceLog.readCondition()).refusal).toBeNull();
  });

  test.each([
    ['between two steps', 0],
    ['before a renewal of the lease', 4_000],
  ])('by a failover %s gives no leaves to entries, although the process goes on', async (_when, passedMs) => {
    const { sequencer, engines } = startProcess();
    await append(10);
    await sequencer.step(live);
    const restore = await backUp();
    await append(10);
    await sequencer.step(live);
    await restore();
    await append(7);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    await sequencer.step(live);
    await sequencer.step(live);
    clock.mockRestore();
    const condition = await engines.store.evidenceLog.readCondition();
    expect(condition.refusal).toMatch(/has a checkpoint of 21 entries in epoch 1, and the database knows only 11/);
    expect(await exchange.database.query('select from evidence_entries where leaf_index is null')).toHaveLength(7);
    await startEpoch(engines, { reason: 'failover', author: engines.administrator, isAlone: true });
    await startProcess().sequencer.step(live);
    expect((await readCheckpointOf(2)).size).toBe(8);
  });

  test.each([
    ['a tile', '1/tile/0/000.p/21'],
    ['the checkpoint', '1/checkpoint'],
  ])('by a failover while %s is stored has no checkpoint of more entries than it has', async (_what, interrupted) => {
    let restore: (() => Promise<void>) | undefined;
    const interrupting: MemoryLogObjects = {
      ...objects,
      put: async (...call) => {
        await objects.put(...call);
        if (call[0] !== interrupted) return;
        await restore?.();
        restore = undefined;
      },
    };
    const { sequencer, engines } = startProcess(undefined, interrupting);
    await append(10);
    await sequencer.step(live);
    await append(10);
    restore = await backUp();
    await sequencer.step(live);
    expect(restore).toBeUndefined();
    const log = await engines.store.evidenceLog.find(1);
    expect(log).toMatchObject({ size: 11, publishedSize: 11, signedCheckpoint: log?.checkpoint });
    await append(7);
    await sequencer.step(live);
    if (interrupted === '1/checkpoint') {
      const { refusal } = await engines.store.evidenceLog.readCondition();
      expect(refusal).toMatch(/has a checkpoint of 21 entries in epoch 1, and the database knows only 11/);
      await startEpoch(engines, { reason: 'failover', author: engines.administrator, isAlone: true });
      await startProcess().sequencer.step(live);
      expect((await readCheckpointOf(2)).size).toBe(18);
    } else {
      expect((await readCheckpointOf(1)).size).toBe(28);
      await expectComplete();
    }
  });

  test.each(['take', 'seize'] as const)(
    'by a failover that has lost a turn ends it with the next one, by %s',
    async (by) => {
      const { sequencer, engines } = startProcess();
      await sequencer.step(live);
      await sequencer.stop();
      const { evidenceLog } = engines.store;
      const [before] = await exchange.database.query<{ fence: number }>('select fence from evidence_logs');
      const lost = await evidenceLog.take(10);
      await exchange.database.query('update evidence_logs set fence = $1, lease_until = null', [before?.fence]);
      const next = await evidenceLog[by](10);
      if (!lost || !next) throw new Error('the turn is not free');
      expect(await evidenceLog.renew(lost.turn, 10)).toBeUndefined();
      expect(await evidenceLog.renew(next.turn, 10)).toBeDefined();
    },
  );

  test('that has logged other entries under the same numbers refuses, and logs them again in the new epoch', async () => {
    const { sequencer, engines } = startProcess();
    await append(300);
    await sequencer.step(live);
    const restore = await backUp();
    await append(10);
    await sequencer.step(live);
    await restore();
    // As a sequencer that does not compare itself with the bucket would.
    const other = memoryLogObjects();
    for (const [name, bytes] of objects.objects) if (name !== '1/checkpoint') other.objects.set(name, bytes);
    await exchange.database.query('update evidence_logs set published_size = 0');
    await append(12);
    await startProcess(undefined, other).sequencer.step(live);
    await endLeases();
    const published = objects.objects.get('1/checkpoint');
    await startProcess().sequencer.step(live);
    expect(objects.objects.get('1/checkpoint')).toBe(published);
    expect((await engines.store.evidenceLog.readCondition()).refusal).toMatch(/are not those that were signed/);
    await endLeases();
    const { moved } = await startEpoch(engines, { reason: 'fork', author: engines.administrator });
    expect(moved).toBe(12);
    await startProcess().sequencer.step(live);
    expect((await readCheckpointOf(2)).size).toBe(13);
  });

  test('to between two steps of the sequencer can prove all its entries once a new epoch has started', async () => {
    await append(10);
    await startProcess().sequencer.step(live);
    await endLeases();
    await append(300);
    await expect(startProcess('log:assigned').sequencer.step(live)).rejects.toThrow(Killed);
    const restore = await backUp();
    await endLeases();
    await append(20);
    await startProcess().sequencer.step(live);
    await restore();
    await append(1);
    const { engines, sequencer } = startProcess();
    await sequencer.step(live);
    expect((await engines.store.evidenceLog.readCondition()).refusal).toMatch(/has a checkpoint of 331 entries/);
    await endLeases();
    const { moved } = await startEpoch(engines, { reason: 'restored', author: engines.administrator });
    await startProcess().sequencer.step(live);
    expect(moved).toBe(0);
    const uncovered = await exchange.database.query(
      `select id from evidence_entries join evidence_logs using (epoch)
       where leaf_index >= published_size or leaf_index >= split_part(checkpoint, chr(10), 2)::integer`,
    );
    expect(uncovered).toEqual([]);
    expect(await engines.store.evidenceLog.readCondition()).toMatchObject({ waiting: 0, stranded: 0 });
    expect((await readCheckpointOf(1)).size).toBe(331);
  });

  test('with an empty bucket refuses, and continues when the objects are back', async () => {
    const { sequencer, engines } = startProcess();
    await append(10);
    await sequencer.step(live);
    await endLeases();
    const empty = memoryLogObjects();
    await append(1);
    await startProcess(undefined, empty).sequencer.step(live);
    expect(empty.objects.size).toBe(0);
    expect((await engines.store.evidenceLog.readCondition()).refusal).toMatch(/is missing in the bucket/);
    await endLeases();
    await startProcess().sequencer.step(live);
    expect((await engines.store.evidenceLog.readCondition()).refusal).toBeNull();
    await expectComplete();
  });

  test('with a checkpoint that someone else has signed refuses', async () => {
    const { sequencer, engines } = startProcess();
    await sequencer.step(live);
    const note = objects.objects.get('1/checkpoint')?.toString() ?? '';
    objects.objects.set('1/checkpoint', Buffer.from(note.replace('\n1\n', '\n2\n')));
    await append(1);
    await sequencer.step(live);
    expect((await engines.store.evidenceLog.readCondition()).refusal).toMatch(/is not signed by a key/);
  });
});

describe('a new epoch', () => {
  const start = (engines = startProcess().engines) =>
    startEpoch(engines, { reason: 'test', author: engines.administrator, isAlone: true });
  const readPrevious = async () => (await readRows()).find(({ epoch }) => epoch === 2)?.data['previous'];

  test.each([
    ['log:checkpoint-stored', 11],
    ['log:checkpoint-put', 311],
  ])('after a death at %s counts a checkpoint as published that was signed', async (point, inBucket) => {
    await append(10);
    await startProcess().sequencer.step(live);
    await endLeases();
    await append(300);
    await expect(startProcess(point).sequencer.step(live)).rejects.toThrow(Killed);
    expect((await readCheckpointOf(1)).size).toBe(inBucket);
    expect(await start()).toMatchObject({ epoch: 2, moved: 0 });
    // One that is still on its way would change nothing.
    expect((await readCheckpointOf(1)).size).toBe(311);
    const log = await exchange.engines.store.evidenceLog.find(1);
    expect([log?.publishedSize, log?.checkpoint]).toEqual([311, objects.objects.get('1/checkpoint')?.toString()]);
    expect(await readPrevious()).toMatchObject({ size: 311 });
    await startProcess().sequencer.step(live);
    await expectComplete();
  });

  test('puts no checkpoint after its lease, which began in the database before it was told', async () => {
    await append(10);
    await startProcess().sequencer.step(live);
    await endLeases();
    await append(300);
    await expect(startProcess('log:checkpoint-stored').sequencer.step(live)).rejects.toThrow(Killed);
    const { engines } = startProcess();
    const { store } = engines;
    const now = performance.now.bind(performance);
    let passedMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    const renew: typeof store.evidenceLog.renew = async (...call) => {
      const log = await store.evidenceLog.renew(...call);
      passedMs += 61_000;
      return log;
    };
    const slow = { ...engines, store: { ...store, evidenceLog: { ...store.evidenceLog, renew } } };
    await expect(start(slow)).rejects.toMatchObject({ code: 'precondition_failed' });
    clock.mockRestore();
    expect((await readCheckpointOf(1)).size).toBe(11);
    expect(await start()).toMatchObject({ epoch: 2, moved: 0 });
    await startProcess().sequencer.step(live);
    await expectComplete();
  });

  test('takes back an older checkpoint that somebody has put in the bucket, and logs nothing again', async () => {
    await append(10);
    await startProcess().sequencer.step(live);
    const older = objects.objects.get('1/checkpoint') as Buffer;
    await endLeases();
    await append(10);
    await startProcess().sequencer.step(live);
    objects.objects.set('1/checkpoint', older);
    expect(await start()).toMatchObject({ moved: 0 });
    expect((await readCheckpointOf(1)).size).toBe(21);
    expect(await readPrevious()).toMatchObject({ size: 21 });
  });

  test.each([
    ['that nobody of the log has signed', (note: string) => Buffer.from(note.replace('\n11\n', '\n2\n'))],
    ['that is too long', () => Buffer.alloc(100_000, 'x')],
  ])('links to what was published, not to a checkpoint %s', async (_, forge) => {
    await append(10);
    await startProcess().sequencer.step(live);
    const { root } = await readCheckpointOf(1);
    const forged = forge(objects.objects.get('1/checkpoint')?.toString() ?? '');
    objects.objects.set('1/checkpoint', forged);
    await endLeases();
    await startProcess().sequencer.step(live);
    expect((await exchange.engines.store.evidenceLog.readCondition()).refusal).toMatch(/is not signed by a key/);
    expect(await start()).toMatchObject({ epoch: 2, moved: 0 });
    expect(await readPrevious()).toEqual({
      origin: 'files.example.org/log/1',
      size: 11,
      root: Buffer.from(root).toString('base64'),
    });
    // For those who look into it.
    expect(objects.objects.get('1/checkpoint')).toBe(forged);
  });

  test('logs everything that was not published, also if the process that started it has died meanwhile', async () => {
    await append(10);
    await startProcess().sequencer.step(live);
    await endLeases();
    await append(700);
    await expect(startProcess('log:assigned').sequencer.step(live)).rejects.toThrow(Killed);
    const { engines } = startProcess();
    let calls = 0;
    const evidenceLog: typeof engines.store.evidenceLog = {
      ...engines.store.evidenceLog,
      unassign: (...call) => {
        calls += 1;
        return calls > 1 ? Promise.reject(new Killed()) : engines.store.evidenceLog.unassign(...call);
      },
    };
    await expect(start({ ...engines, store: { ...engines.store, evidenceLog } })).rejects.toThrow(Killed);
    await start();
    await startProcess().sequencer.step(live);
    expect((await readCheckpointOf(1)).size).toBe(11);
    expect((await readCheckpointOf(2)).size).toBe(701);
    await expectComplete();
  });

  /** The entries of several tiles that got their leaves, and of which nothing is published. */
  async function appendUnpublished(count: number): Promise<void> {
    await append(10);
    await startProcess().sequencer.step(live);
    await endLeases();
    await append(count);
    await expect(startProcess('log:assigned').sequencer.step(live)).rejects.toThrow(Killed);
  }

  test('keeps its turn while it walks through a log for longer than a lease', async () => {
    await appendUnpublished(700);
    const { engines } = startProcess();
    const { store } = engines;
    const other = startProcess().sequencer;
    const evidenceLog: typeof store.evidenceLog = {
      ...store.evidenceLog,
      placed: async (...call) => {
        await exchange.database.query("update evidence_logs set lease_until = lease_until - interval '40 seconds'");
        await other.step(live);
        return store.evidenceLog.placed(...call);
      },
    };
    expect(await start({ ...engines, store: { ...store, evidenceLog } })).toMatchObject({ moved: 700 });
    await startProcess().sequencer.step(live);
    await expectComplete();
  });

  test('changes nothing after another process has taken the turn, at whichever step, and can be started again', async () => {
    const outcomes: string[] = [];
    for (let takenAt = 1; outcomes.at(-1) !== 'undisturbed'; takenAt += 1) {
      await exchange.database.query('truncate evidence_entries, evidence_logs, evidence_keys, evidence_time_stamps');
      objects.objects.clear();
      await appendUnpublished(260);
      let calls = 0;
      const disturb = <Called extends object>(called: Called): Called =>
        new Proxy(called, {
          get: (target, name) => {
            const found: unknown = Reflect.get(target, name);
            if (typeof found !== 'function') return found;
            return async (...call: unknown[]) => {
              calls += 1;
              if (calls === takenAt) {
                await endLeases();
                await startProcess().sequencer.step(live);
              }
              return (found as (...args: unknown[]) => unknown)(...call);
            };
          },
        });
      const { engines } = startProcess();
      const { transaction, evidenceLog } = engines.store;
      const store = { ...engines.store, ...disturb({ transaction }), evidenceLog: disturb(evidenceLog) };
      const refusal = await start({ ...engines, logObjects: disturb(objects), store }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refusal) {
        expect(refusal).toMatchObject({ code: 'precondition_failed' });
        await start();
      }
      const wasDisturbed = calls >= takenAt;
      outcomes.push(refusal ? 'refused' : wasDisturbed ? 'started' : 'undisturbed');
      await endLeases();
      await startProcess().sequencer.step(live);
      await expectComplete();
    }
    // Before it has seized the turn, another process may have it.
    expect(new Set(outcomes.slice(1, -1))).toEqual(new Set(['refused']));
  }, 60_000);

  test('takes no leaf from a published entry if rows before it are missing', async () => {
    await append(300);
    await startProcess().sequencer.step(live);
    await endLeases();
    await append(10);
    await expect(startProcess('log:assigned').sequencer.step(live)).rejects.toThrow(Killed);
    await exchange.database.query('delete from evidence_entries where leaf_index between 10 and 20');
    expect(await start()).toMatchObject({ moved: 10 });
  });
});

test('tiles that are lost or damaged are written again from the database', async () => {
  const { sequencer } = startProcess();
  await append(600);
  await sequencer.step(live);
  await endLeases();
  const tiles = () => new Map([...objects.objects].filter(([name]) => name.includes('/tile/')));
  const before = tiles();
  for (const name of before.keys()) objects.objects.delete(name);
  await startProcess().sequencer.step(live);
  expect(tiles()).toEqual(before);
  await endLeases();
  objects.objects.set('1/tile/0/002.p/89', Buffer.alloc(89 * 32));
  await startProcess().sequencer.step(live);
  expect(tiles()).toEqual(before);
  await expectComplete();
});

test.each(['1/checkpoint', '1/tile/0/000.p/11', '1/tile/entries/000.p/11'])(
  'a %s that was damaged on its way, and not in the bucket, causes neither a refusal nor a rewrite',
  async (damaged) => {
    await append(10);
    await startProcess().sequencer.step(live);
    const bundle = Buffer.from(objects.objects.get('1/tile/entries/000.p/11') ?? '');
    await endLeases();
    await append(1);
    let [isDamaging, isRewriting] = [true, false];
    const flipping: MemoryLogObjects = {
      ...objects,
      read: async (...call) => {
        const found = await objects.read(...call);
        if (call[0] === damaged && isDamaging) {
          isDamaging = false;
          found?.writeUInt8(found.readUInt8(30) ^ 1, 30);
        }
        return found;
      },
      put: (...call) => {
        isRewriting ||= call[0] === damaged && damaged !== '1/checkpoint';
        return objects.put(...call);
      },
    };
    const { engines, sequencer } = startProcess(undefined, flipping);
    await sequencer.step(live).catch((error: unknown) => expect(error).toMatchObject({ code: 'unavailable' }));
    expect((await engines.store.evidenceLog.readCondition()).refusal).toBeNull();
    await sequencer.step(live);
    expect([isDamaging, isRewriting]).toEqual([false, false]);
    // The next bundle begins with the same entries.
    expect(objects.objects.get('1/tile/entries/000.p/12')?.subarray(0, bundle.length)).toEqual(bundle);
    await expectComplete();
  },
);

test('large events are logged in several batches, however many wait', async () => {
  await append(4);
  await exchange.database.query(
    `update evidence_entries set data = jsonb_build_object('text', (select string_agg(md5(random()::text), '') from generate_series(1, 150000)))`,
  );
  const { sequencer } = startProcess();
  await sequencer.step(live);
  expect((await readCheckpointOf(1)).size).toBe(3);
  await sequencer.step(live);
  await expectComplete();
  expect((await readCheckpointOf(1)).size).toBe(5);
});

test('an event that cannot be committed to does not stop the others', async () => {
  const warnings: string[] = [];
  exchange.engines.logger.warn = (event) => void warnings.push(event);
  await append(1);
  await exchange.database.query(`update evidence_entries set data = '{"size": 1.5}'`);
  await append(1);
  await startProcess().sequencer.step(live);
  expect((await readCheckpointOf(1)).size).toBe(3);
  expect(warnings).toEqual(['an event cannot be proven']);
});
