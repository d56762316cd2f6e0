import crypto, { randomUUID } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { openNote, parsePolicy, parseVerifierKey } from '@waybill/evidence';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { collectFindings, readRemedy } from '../../test/findings.ts';
import { memoryLogObjects } from '../../test/memory/memory-log-objects.ts';
import { runAdmin } from '../../test/run-admin.ts';
import { examineLog } from '../domain/evidence/examine-log.ts';
import { makeLogPolicy } from '../domain/evidence/public-log.ts';
import { Sequencer } from '../domain/evidence/sequencer.ts';

const exchange = await useTestExchange();
const { query } = exchange.database;
const live = new AbortController().signal;

let engines: (typeof exchange)['engines'];
let objects: ReturnType<typeof memoryLogObjects>;
beforeEach(async () => {
  await query('truncate evidence_entries, evidence_logs, evidence_keys, evidence_time_stamps');
  objects = memoryLogObjects();
  engines = { ...exchange.engines, logObjects: objects };
});
afterEach(() => {
  process.exitCode = undefined;
});

/** Another process `work`, which logs what waits. */
async function work(count = 1): Promise<void> {
  const story = { accountId: randomUUID(), dropId: randomUUID(), position: 0 };
  const entries = Array.from({ length: count }, () => ({ ...story, kind: 'link.opened' as const, data: {} }));
  if (count > 0) await engines.store.evidence.append(entries);
  const sequencer = new Sequencer(engines);
  await sequencer.step(live);
  await sequencer.stop();
}

async function run(...words: string[]): Promise<{ exit: number | string; printed: string }> {
  process.exitCode = undefined;
  const printed = await runAdmin({ engines }, ...words);
  return { exit: process.exitCode ?? 0, printed };
}

interface Status {
  waiting: number;
  refusal: string | null;
  epochs: {
    epoch: number;
    published_size: number;
    ended_at: string | null;
    keys: { id: string; algorithm: string; verifier_key: string; retired_at: string | null; signs: boolean }[];
  }[];
}
const readStatus = async () => JSON.parse((await run('log', 'status', '--json')).printed) as Status;

/** The keys whose signatures the published checkpoint has. */
async function readSigners(epoch = 1): Promise<string[]> {
  const note = objects.objects.get(`${epoch}/checkpoint`)?.toString() ?? '';
  const { logs } = parsePolicy(await makeLogPolicy(engines));
  return openNote(note, logs).verified.map(({ verifier }) => verifier.keyId.toString(16).padStart(8, '0'));
}

test('status shows what is published, by which keys, and exits with 1 while entries wait for too long', async () => {
  expect((await run('log', 'status')).printed).toBe(
    'There is no log yet. It starts with the process `work`.\n0 entries are waiting.\n',
  );
  await work(2);
  const { printed, exit } = await run('log', 'status');
  expect(exit).toBe(0);
  expect(printed).toMatch(
    /^epoch 1 {2}files\.example\.org\/log\/1 {2}3 entries published\n {2}key [0-9a-f]{8} {2}ed25519 {2}signs\n {2}key [0-9a-f]{8} {2}ml-dsa-44 {2}signs\n0 entries are waiting\.\n$/,
  );
  const status = await readStatus();
  expect(status).toMatchObject({
    waiting: 0,
    refusal: null,
    epochs: [{ epoch: 1, published_size: 3, ended_at: null }],
  });
  for (const { id, verifier_key: key } of status.epochs[0]?.keys ?? []) {
    expect(parseVerifierKey(key).keyId).toBe(Number.parseInt(id, 16));
  }
  const story = { accountId: randomUUID(), dropId: randomUUID(), position: 0 };
  await engines.store.evidence.append([{ ...story, kind: 'link.opened', data: {} }]);
  expect((await run('log', 'status')).exit).toBe(0);
  await query("update evidence_entries set at = now() - interval '2 minutes' where leaf_index is null");
  expect(await run('log', 'status')).toEqual({
    exit: 1,
    printed: expect.stringContaining('1 entries are waiting, the oldest for 120 seconds.'),
  });
});

test('status shows how many entries are cosigned and stamped', async () => {
  await work(2);
  await query(
    `update evidence_logs set cosigned_checkpoint = 'files.example.org/log/1' || chr(10) || '2' || chr(10) || $1 || chr(10)
       || chr(10), stamped_size = 1`,
    [Buffer.alloc(32).toString('base64')],
  );
  expect((await run('log', 'status')).printed).toContain('  3 entries published, 2 cosigned, 1 stamped\n');
  expect((await readStatus()).epochs).toMatchObject([{ cosigned_size: 2, stamped_size: 1 }]);
});

test('a log that refuses to sign says so and what to do, and a new epoch continues it', async () => {
  await work(2);
  objects.objects.clear();
  await work();
  const { printed, exit } = await run('log', 'status');
  expect(exit).toBe(1);
  expect(printed).toMatch(
    /Nothing is signed: The checkpoint of epoch 1 is missing .* waybilld admin log start-epoch --reason "[^"]+"\n/,
  );

  await expect(run('log', 'start-epoch')).rejects.toThrow('--reason');
  await expect(run('log', 'start-epoch', '--reason', ' ')).rejects.toThrow('1 to 200 characters');
  await expect(run('log', 'start-epoch', '--reason', 'x'.repeat(201))).rejects.toThrow('1 to 200 characters');
  const started = await run('log', 'start-epoch', '--reason', 'the bucket was lost', '--json');
  // The first entry belongs to the old epoch.
  expect(JSON.parse(started.printed)).toEqual({ epoch: 2, origin: 'files.example.org/log/2', moved_entries: 2 });
  await work(0);
  const status = await readStatus();
  expect(status).toMatchObject({ waiting: 0, refusal: null, epochs: [{ epoch: 1 }, { epoch: 2, published_size: 4 }] });
  expect(status.epochs[0]?.ended_at).not.toBeNull();
  expect(status.epochs.map(({ keys }) => keys.map(({ signs }) => signs))).toEqual([
    [false, false],
    [true, true],
  ]);
  expect((await run('log', 'start-epoch', '--reason', 'again')).printed).toContain('/log/policy');
});

test('entries of an ended epoch that no checkpoint covers are seen everywhere, and logged in a new epoch', async () => {
  await work(4);
  await run('log', 'start-epoch', '--reason', 'a test');
  await work(2);
  await query(`insert into evidence_entries (account_id, kind, drop_id, position, data, number, epoch, leaf_index, commitment, at)
    select gen_random_uuid(), 'link.opened', gen_random_uuid(), 0, '{}', 0, 1, leaf, sha256(leaf::text::bytea), now() - interval '2 minutes'
    from generate_series(5, 7) as leaf`);
  await query('update evidence_logs set size = 8 where epoch = 1');
  const status = await run('log', 'status');
  expect(status.exit).toBe(1);
  expect(status.printed).toContain('3 entries of ended epochs have a place, and no checkpoint that proves it.');
  const checked = await run('log', 'check', '--json');
  expect(checked.exit).toBe(1);
  expect(JSON.parse(checked.printed)).toMatchObject({
    findings: [5, 6, 7].map((index) => ({ epoch: 1, problem: 'unpublished', index })),
  });
  const examinePublished = async () =>
    (await collectFindings(examineLog(engines))).find(({ check }) => check === 'log.published');
  const finding = await examinePublished();
  expect(finding).toMatchObject({ status: 'fault', remedy: expect.stringContaining('waybilld admin log start-epoch') });
  expect(await engines.store.evidenceLog.readCondition()).toMatchObject({ waiting: 3, stranded: 3 });

  const reason = readRemedy(finding?.remedy ?? '', /waybilld admin log start-epoch --reason "([^"]+)"/);
  expect(JSON.parse((await run('log', 'start-epoch', '--reason', reason, '--json')).printed)).toMatchObject({
    moved_entries: 3,
  });
  await work(0);
  expect((await run('log', 'status')).exit).toBe(0);
  expect((await run('log', 'check')).exit).toBe(0);
  expect(await examinePublished()).toMatchObject({ status: 'ok' });
});

test('a database that began beside the log of another one is a fault, before and after it has a log of its own', async () => {
  const examinePublished = async () =>
    (await collectFindings(examineLog(engines))).find(({ check }) => check === 'log.published');
  expect(await examinePublished()).toMatchObject({ status: 'ok' });
  await work();
  expect(await examinePublished()).toMatchObject({ status: 'ok' });
  await query('truncate evidence_entries, evidence_logs, evidence_keys, evidence_time_stamps');
  const other = { status: 'fault', remedy: expect.stringContaining('Correct WAYBILL_DATABASE_URL') };
  expect(await examinePublished()).toMatchObject(other);
  await work();
  expect((await readStatus()).epochs).toMatchObject([{ epoch: 2 }]);
  expect(await examinePublished()).toMatchObject(other);
});

test('keys are rotated while the log is signed, and the last one of an algorithm stays', async () => {
  await expect(run('log', 'rotate-key')).rejects.toThrow('It starts with the process `work`');
  await work();
  const first = await readSigners();
  const rotated = JSON.parse((await run('log', 'rotate-key', '--json')).printed) as { epoch: number; keys: string[] };
  expect(rotated).toMatchObject({ epoch: 1, keys: [expect.any(String), expect.any(String)] });
  await work();
  expect(await readSigners()).toHaveLength(4);
  for (const id of first) {
    const { printed } = await run('log', 'retire-key', id, '--json');
    expect((JSON.parse(printed) as { key: string }).key).toContain(`+${id}+`);
    await expect(run('log', 'retire-key', id)).rejects.toThrow('waybilld admin log status');
  }
  await work();
  const second = rotated.keys.map((key) => key.split('+')[1]);
  expect(new Set(await readSigners())).toEqual(new Set(second));
  await expect(run('log', 'retire-key', second[0] ?? '')).rejects.toThrow('waybilld admin log rotate-key');
  for (const id of ['7F3A29D1', '12', 'x'.repeat(8)]) {
    await expect(run('log', 'retire-key', id)).rejects.toThrow('as `log status` shows it');
  }
  const { printed } = await run('log', 'status');
  expect(printed.match(/signs$/gm)).toHaveLength(2);
  expect(printed.match(/retired \d{4}-/g)).toHaveLength(2);
});

test('no private key outlives its use', async () => {
  await work(2);
  await run('log', 'rotate-key');
  await work();
  const listPrivate = () =>
    query<{ epoch: number; id: string }>(
      `select epoch, to_hex(key_id) as id from evidence_keys where wrapped_key is not null or key_version is not null`,
    );
  const retired = (await readStatus()).epochs[0]?.keys[0]?.id ?? '';
  await run('log', 'retire-key', retired);
  expect(await listPrivate()).toHaveLength(3);
  expect((await listPrivate()).map(({ id }) => id.padStart(8, '0'))).not.toContain(retired);
  // As an earlier version left it behind.
  await query(`update evidence_keys set wrapped_key = 'x', key_version = 1 where retired_at is not null`);

  await run('log', 'start-epoch', '--reason', 'a test');
  expect((await listPrivate()).map(({ epoch }) => epoch)).toEqual([2, 2]);
  await work();
  expect(await readSigners(1)).toHaveLength(4);
  expect(await readSigners(2)).toHaveLength(2);
  expect(await run('log', 'check')).toMatchObject({ exit: 0 });
  // An entry without a checkpoint in an ended epoch is settled without its keys.
  await query('update evidence_logs set checkpoint = null, published_size = 0 where epoch = 1');
  await run('log', 'start-epoch', '--reason', 'again');
  expect((await readStatus()).epochs[0]).toMatchObject({ published_size: 6 });
  expect((await listPrivate()).map(({ epoch }) => epoch)).toEqual([3, 3]);
});

test('a key that is added while another epoch starts is not added to the one that has ended', async () => {
  await work();
  const { evidenceLog } = engines.store;
  const listThenStart: typeof evidenceLog.list = async () => {
    const logs = await evidenceLog.list();
    await run('log', 'start-epoch', '--reason', 'a test');
    return logs;
  };
  const store = { ...engines.store, evidenceLog: { ...evidenceLog, list: listThenStart } };
  await expect(runAdmin({ engines: { ...engines, store } }, 'log', 'rotate-key')).rejects.toThrow(
    'waybilld admin log status',
  );
  expect(await query('select epoch from evidence_keys order by epoch')).toEqual(
    [1, 1, 2, 2].map((epoch) => ({ epoch })),
  );
});

test('of two commands that retire the last two keys of an algorithm at once, one is refused', async () => {
  await work();
  await run('log', 'rotate-key');
  const keys = (await readStatus()).epochs[0]?.keys.filter(({ algorithm }) => algorithm === 'ed25519') ?? [];
  expect(keys).toHaveLength(2);
  const outcomes = await Promise.allSettled(keys.map(({ id }) => run('log', 'retire-key', id)));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  // However they came to be retired, nothing is published that nobody has signed.
  await query('update evidence_keys set retired_at = now()');
  const published = objects.objects.get('1/checkpoint');
  await work();
  expect(objects.objects.get('1/checkpoint')).toBe(published);
  const { exit, printed } = await run('log', 'status');
  expect(exit).toBe(1);
  expect(printed).toContain('Epoch 1 has no key that can sign. Add one: waybilld admin log rotate-key');
  await run('log', 'rotate-key');
  await work();
  expect((await run('log', 'status')).exit).toBe(0);
  expect(await readSigners()).toHaveLength(2);
});

/** Until it is disposed of, as with a version of Node that has no ML-DSA-44, with an OpenSSL that has it or not. */
function removeMlDsa(isKnownToOpenSsl: boolean): Disposable {
  const create = crypto.createPrivateKey;
  const spy = vi.spyOn(crypto, 'createPrivateKey').mockImplementation((key) => {
    const privateKey = create(key);
    if (privateKey.asymmetricKeyType === 'ed25519') return privateKey;
    if (!isKnownToOpenSsl) throw new Error('unsupported');
    return Object.create(privateKey, { asymmetricKeyType: { value: undefined } });
  });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]() {
      spy.mockRestore();
      syncBuiltinESMExports();
    },
  };
}
const examine = async () => (await collectFindings(examineLog(engines))).find(({ check }) => check === 'log.keys');
const listAlgorithms = async () => (await readStatus()).epochs[0]?.keys.map(({ algorithm }) => algorithm);

test('where Node has no ML-DSA-44, the log is signed by Ed25519 alone, and says so if it has another key', async () => {
  using old = removeMlDsa(true);
  await work();
  expect(await listAlgorithms()).toEqual(['ed25519']);
  expect(await readSigners()).toHaveLength(1);
  expect(await examine()).toMatchObject({ status: 'ok' });
  old[Symbol.dispose]();

  await run('log', 'rotate-key');
  expect(await listAlgorithms()).toEqual(['ed25519', 'ed25519', 'ml-dsa-44']);
  await work();
  expect(await readSigners()).toHaveLength(3);

  using _again = removeMlDsa(false);
  await work();
  expect(await readSigners()).toHaveLength(2);
  expect((await run('log', 'status')).printed).toMatch(/ml-dsa-44 {2}cannot sign: this version of Node/);
  expect(await examine()).toMatchObject({ status: 'warning', says: expect.stringContaining('(ml-dsa-44)') });
});

test('a log that is named by an earlier address is reported, and the remedy names it anew', async () => {
  const { policy } = exchange.engines;
  Object.assign(engines, { policy: { ...policy, publicUrl: 'http://127.0.0.1:8080' } });
  await work();
  Object.assign(engines, { policy });
  const findName = async () => (await collectFindings(examineLog(engines))).find(({ check }) => check === 'log.name');
  const { status, says, remedy = '' } = (await findName()) ?? {};
  expect([status, says]).toEqual(['warning', expect.stringContaining('is named 127.0.0.1:8080/log/1, and')]);
  const [, reason = ''] = /waybilld admin log start-epoch --reason "([^"]+)"/.exec(remedy) ?? [];
  expect((await run('log', 'start-epoch', '--reason', reason)).exit).toBe(0);
  expect(await findName()).toMatchObject({ status: 'ok', says: expect.stringContaining('files.example.org/log/2') });
});
