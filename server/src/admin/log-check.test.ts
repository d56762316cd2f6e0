import { randomUUID } from 'node:crypto';
import { parsePolicy } from '@waybill/evidence';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { memoryLogObjects } from '../../test/memory/memory-log-objects.ts';
import { runAdmin } from '../../test/run-admin.ts';
import { LogCosigner } from '../domain/evidence/cosign-log.ts';
import { Sequencer } from '../domain/evidence/sequencer.ts';
import { startEpoch } from '../domain/evidence/start-epoch.ts';
import type { LogObjects } from '../domain/ports/log-objects.ts';
import type { Witnesses } from '../domain/ports/witnesses.ts';

const exchange = await useTestExchange();
const { query } = exchange.database;
const live = new AbortController().signal;
let logObjects: ReturnType<typeof memoryLogObjects>;
beforeEach(async () => {
  await query('truncate evidence_entries, evidence_logs, evidence_keys, evidence_time_stamps');
  logObjects = memoryLogObjects();
});
afterEach(() => {
  process.exitCode = undefined;
});

async function publish(count: number): Promise<void> {
  const story = { accountId: randomUUID(), dropId: randomUUID(), position: 0 };
  await exchange.engines.store.evidence.append(
    Array.from({ length: count }, () => ({ ...story, kind: 'link.opened' as const, data: {} })),
  );
  const sequencer = new Sequencer({ ...exchange.engines, logObjects });
  await sequencer.step(live);
  await sequencer.stop();
}

async function check(...options: string[]) {
  return checkWith(logObjects, ...options);
}

async function checkWith(objects: LogObjects, ...options: string[]) {
  process.exitCode = undefined;
  const engines = { ...exchange.engines, logObjects: objects };
  const printed = JSON.parse(await runAdmin({ engines }, 'log', 'check', '--json', ...options)) as {
    entries: number;
    erased: number;
    lost: number;
    repaired?: number;
    unrepaired?: number[];
    findings: { problem: string; index?: number; entry?: string }[];
  };
  return { exit: process.exitCode ?? 0, ...printed };
}

test('names what was changed in the database, and exits with 1', async () => {
  await publish(300);
  expect(await check()).toMatchObject({ exit: 0, entries: 301, erased: 0, findings: [] });
  expect(await check('--from', '280')).toMatchObject({ exit: 0, entries: 45, findings: [] });
  await query('update evidence_entries set data = null, salt = null where leaf_index = 5');
  expect(await check()).toMatchObject({ exit: 0, erased: 1, findings: [] });
  const [edited] = await query<{ id: string }>(
    `update evidence_entries set data = '{"by":"x"}' where leaf_index = 7 returning id`,
  );
  await query('delete from evidence_entries where leaf_index = 9');
  expect(await check()).toMatchObject({
    exit: 1,
    findings: expect.arrayContaining([
      expect.objectContaining({ problem: 'edited', index: 7, entry: edited?.id }),
      expect.objectContaining({ problem: 'deleted', index: 9 }),
    ]),
  });
});

test('finds nothing in a log that grows meanwhile, whose partial tiles are deleted', async () => {
  await publish(10);
  let hasGrown = false;
  const growing: LogObjects = {
    ...logObjects,
    read: async (...call) => {
      const found = await logObjects.read(...call);
      if (!hasGrown) {
        hasGrown = true;
        await publish(300);
      }
      return found;
    },
  };
  expect(await checkWith(growing)).toMatchObject({ exit: 0, entries: 11, findings: [] });
  expect(logObjects.objects.has('1/tile/0/000.p/11')).toBe(false);
});

test('names an event that a change has made impossible to commit to, and objects that are too long', async () => {
  await publish(10);
  await query(`update evidence_entries set data = '{"size": 1.5}' where leaf_index = 7`);
  for (const name of ['checkpoint', 'tile/0/000.p/11']) logObjects.objects.set(`1/${name}`, Buffer.alloc(100_000));
  const { exit, findings } = await check();
  expect([exit, findings.map(({ problem, index }) => [problem, index])]).toEqual([
    1,
    [
      ['checkpoint invalid', undefined],
      ['edited', 7],
      ['file changed', undefined],
    ],
  ]);
});

test('writes damaged and missing files in the middle of the log again, and nothing that does not follow from what was signed', async () => {
  // More than one batch of entries, so that there are partial files that are not needed any more.
  await publish(4_200);
  await publish(5);
  const before = new Map(logObjects.objects);
  logObjects.objects.delete('1/tile/0/003');
  logObjects.objects.delete('1/tile/entries/007');
  logObjects.objects.set('1/tile/entries/005', Buffer.alloc(100_000));
  logObjects.objects.set('1/tile/0/009', Buffer.alloc(256 * 32));
  expect(await check()).toMatchObject({ exit: 1 });

  await query('update evidence_entries set commitment = sha256(commitment) where leaf_index = 1000');
  const damaged = new Map(logObjects.objects);
  expect(await check('--repair')).toMatchObject({ exit: 1, repaired: 0, unrepaired: [1] });
  expect(logObjects.objects).toEqual(damaged);

  const published = before.get('1/tile/entries/003')?.subarray((1000 - 3 * 256) * 34 + 2, (1001 - 3 * 256) * 34);
  await query('update evidence_entries set commitment = $1 where leaf_index = 1000', [published]);
  expect(await check('--repair')).toMatchObject({ exit: 0, repaired: 4, unrepaired: [], findings: [] });
  expect(logObjects.objects).toEqual(before);
  expect(await check('--repair')).toMatchObject({ exit: 0, repaired: 0 });

  // An epoch whose checkpoint is somebody else's.
  logObjects.objects.set('1/checkpoint', Buffer.from('x'));
  logObjects.objects.delete('1/tile/0/003');
  expect(await check('--repair')).toMatchObject({ exit: 1, repaired: 0, unrepaired: [1] });
});

/** Publishes entries that the database loses in a restore, which ends the epoch. Returns what was in the bucket. */
async function endByRestore(kept: number, lost: number) {
  await publish(kept);
  const [{ signed } = {}] = await query<{ signed: string }>('select signed_checkpoint as signed from evidence_logs');
  await publish(lost);
  await query('delete from evidence_entries where leaf_index > $1', [kept]);
  await query(
    'update evidence_logs set size = $1, published_size = $1, signed_checkpoint = $2, checkpoint = $2, lease_until = null',
    [kept + 1, signed],
  );
  const engines = { ...exchange.engines, logObjects };
  await startEpoch(engines, { reason: 'restored', author: engines.administrator, isAlone: true });
  await publish(0);
  return new Map(logObjects.objects);
}

test('writes files of an epoch that a restore has ended again, as far as the database has their entries', async () => {
  const before = await endByRestore(600, 700);
  expect(await check('--repair')).toMatchObject({ exit: 0, lost: 700, repaired: 0, unrepaired: [], findings: [] });

  logObjects.objects.delete('1/tile/0/000');
  logObjects.objects.set('1/tile/entries/001', Buffer.alloc(256 * 34));
  expect(await check('--repair')).toMatchObject({ exit: 0, repaired: 2, unrepaired: [] });
  expect(logObjects.objects).toEqual(before);

  // The database has a part of these entries, or none.
  logObjects.objects.delete('1/tile/0/002');
  logObjects.objects.delete('1/tile/0/003');
  logObjects.objects.delete('1/tile/0/001');
  expect(await check('--repair')).toMatchObject({ exit: 1, repaired: 1, unrepaired: [1] });

  // Entries that the bucket alone had are missing: nothing shows that the others are those that were signed.
  logObjects.objects.delete('1/tile/entries/004');
  logObjects.objects.delete('1/tile/0/000');
  expect(await check('--repair')).toMatchObject({ exit: 1, repaired: 0, unrepaired: [1] });
});

test('replaces no file of an epoch by entries that were never signed', async () => {
  const before = await endByRestore(600, 700);
  await query('update evidence_entries set commitment = sha256(commitment) where epoch = 1 and leaf_index = 100');
  expect(await check('--repair')).toMatchObject({ exit: 1, repaired: 0, unrepaired: [] });
  expect(logObjects.objects).toEqual(before);
});

test('has nothing to repair of an epoch that never published', async () => {
  const engines = { ...exchange.engines, logObjects };
  for (const reason of ['first', 'second'])
    await startEpoch(engines, { reason, author: engines.administrator, isAlone: true });
  await publish(1);
  expect(await check('--repair')).toMatchObject({ exit: 0, repaired: 0, unrepaired: [], findings: [] });
});

test('a cosigned checkpoint is kept, published, and what the check holds the log against', async () => {
  await publish(10);
  // A witness whose signature is not looked at here: that it is verified is tested beside what collects it.
  const refusing: Witnesses = {
    rules: 'quorum none\n',
    list: [
      ...parsePolicy(
        'witness W witness.example.com/w1+e8498172+BD1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM http://127.0.0.1:1\nquorum none\n',
      ).witnesses,
    ].map(([name, verifier]) => ({ name, verifier, url: 'http://127.0.0.1:1' })),
    ask: async () => ({ status: 422, body: 'no\n' }),
  };
  const cosigner = new LogCosigner({ ...exchange.engines, logObjects, witnesses: refusing });
  expect(await cosigner.step(live)).toBe(false);
  const [log] = await exchange.engines.store.evidenceLog.list();
  expect(log?.cosignedCheckpoint).toBeNull();
  const { evidenceLog } = exchange.engines.store;
  const note = log?.checkpoint ?? '';
  expect(await evidenceLog.cosign(1, 11, note)).toBe(true);
  // Neither one that is not published, nor an older one.
  expect(await evidenceLog.cosign(1, 12, note)).toBe(false);
  expect(await evidenceLog.cosign(1, 10, note)).toBe(false);
  await publish(5);
  expect(await check()).toMatchObject({ exit: 0, entries: 16 });
  await query(
    "update evidence_logs set cosigned_checkpoint = replace(cosigned_checkpoint, chr(10) || '11', chr(10) || '12')",
  );
  expect(await check()).toMatchObject({ exit: 1, findings: [{ problem: 'checkpoint invalid' }] });
});
