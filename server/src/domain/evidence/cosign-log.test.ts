import { randomUUID } from 'node:crypto';
import { openNote, parsePolicy } from '@waybill/evidence';
import { expect, test } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { collectFindings } from '../../../test/findings.ts';
import { memoryLogObjects } from '../../../test/memory/memory-log-objects.ts';
import { startTestWitness } from '../../../test/test-witness.ts';
import { askWitnesses } from '../../engines/outgoing/ask-witnesses.ts';
import type { Witnesses } from '../ports/witnesses.ts';
import { LogCosigner } from './cosign-log.ts';
import { examineLog } from './examine-log.ts';
import { makeLogPolicy } from './public-log.ts';
import { listSignatures, readCheckpoint } from './published-checkpoint.ts';
import { Sequencer } from './sequencer.ts';

const witnessKey = 'witness.example.com/w1+e8498172+BD1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM';
const openWitnesses = (rules: string) => askWitnesses({ rules, policy: parsePolicy(rules) });
const exchange = await useTestExchange();
const live = new AbortController().signal;

test('the newest checkpoint is cosigned, kept and published, and the log continues from it', async () => {
  const logObjects = memoryLogObjects();
  const engines = { ...exchange.engines, logObjects };
  const sequencer = new Sequencer(engines);
  /** As a process that takes its turn, and so reads what the database has. */
  const republish = async () => {
    await sequencer.stop();
    await sequencer.step(live);
  };
  const publish = async () => {
    const story = { accountId: randomUUID(), dropId: randomUUID(), position: 0 };
    await engines.store.evidence.append([{ ...story, kind: 'link.opened', data: {} }]);
    await sequencer.step(live);
  };
  await publish();
  const witness = await startTestWitness(engines);
  const { witnesses } = witness;
  const dead = 'witness.example.com/w1/dead+db744a6e+BD1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM';
  const cosigner = new LogCosigner({ ...engines, witnesses });
  const examine = async (used: Witnesses) =>
    (await collectFindings(examineLog({ ...engines, witnesses: used }))).filter(
      ({ check }) => check === 'log.witnesses',
    );
  const policy = parsePolicy(await makeLogPolicy(engines, witnesses.rules));
  const verifiers = [...policy.logs, ...policy.witnesses.values()];
  const isTrusted = (note: string) =>
    policy.isQuorum(openNote(note, verifiers).verified.map(({ verifier }) => verifier));
  const readPublished = async () => String(await logObjects.read('1/checkpoint', 65_536, live));

  expect(isTrusted(await readPublished())).toBe(false);
  for (const size of [2, 3]) {
    expect(await cosigner.step(live)).toBe(true);
    await republish();
    expect(isTrusted(await readPublished())).toBe(true);
    const log = await engines.store.evidenceLog.find(1);
    expect(log).toMatchObject({ publishedSize: size, cosignedCheckpoint: await readPublished(), refusal: null });
    await publish();
  }
  expect(await examine(witnesses)).toMatchObject([{ status: 'ok', says: expect.stringContaining('The witness W') }]);

  // One that is dead is asked now and then, and the others no more than without it.
  const deadLine = `witness D ${dead} http://127.0.0.1:${await closedPort()}`;
  const withDead = openWitnesses(witnesses.rules.replace('quorum', `${deadLine}\nquorum`));
  const askedNames: string[] = [];
  const ask: Witnesses['ask'] = (each, ...request) => {
    askedNames.push(each.name);
    return withDead.ask(each, ...request);
  };
  const both = new LogCosigner({ ...engines, witnesses: { ...withDead, ask } });
  expect(await both.step(live)).toBe(false);
  expect(await both.step(live)).toBe(false);
  // It is told by the first response what the witness has seen.
  expect([askedNames.toSorted(), both.results]).toEqual([['D', 'W', 'W'], { W: 'cosigned', D: 'failed' }]);
  expect(await examine(withDead)).toMatchObject([
    { status: 'ok' },
    { status: 'warning', says: expect.stringMatching(/The witness D .*ECONNREFUSED/), remedy: expect.any(String) },
  ]);

  // Nothing waits for a witness.
  await publish();
  await witness.close();
  expect(await cosigner.step(live)).toBe(false);
  await publish();
  const log = await engines.store.evidenceLog.find(1);
  expect(log).toMatchObject({ publishedSize: 6, cosignedCheckpoint: expect.stringContaining('\n4\n'), refusal: null });
  await sequencer.stop();
});

test('a witness that has seen more than the log is a fault, unless the log has that much by now', async () => {
  const logObjects = memoryLogObjects();
  const warnings: unknown[] = [];
  const logger = { info: () => undefined, warn: (...line: unknown[]) => void warnings.push(line) };
  const engines = { ...exchange.engines, logObjects, logger };
  await exchange.database.query('truncate evidence_entries, evidence_logs, evidence_keys, evidence_time_stamps');
  const sequencer = new Sequencer(engines);
  const publish = async () => {
    const story = { accountId: randomUUID(), dropId: randomUUID(), position: 0 };
    await engines.store.evidence.append([{ ...story, kind: 'link.opened', data: {} }]);
    await sequencer.step(live);
  };
  await publish();
  const rules = `witness W ${witnessKey} http://127.0.0.1:1\nquorum W\n`;
  const { list } = openWitnesses(rules);
  const seen = { size: 3 };
  const ask = async () => ({ status: 409, body: `${seen.size}\n` });
  const cosigner = new LogCosigner({ ...engines, witnesses: { rules, list, ask } });
  expect(await cosigner.step(live)).toBe(false);
  expect(await cosigner.step(live)).toBe(false);
  expect(cosigner.results).toEqual({ W: 'refused' });
  expect(warnings).toEqual([[expect.stringContaining('refuses'), expect.objectContaining({ witness: 'W' })]]);
  const examine = async (used: Witnesses) =>
    (await collectFindings(examineLog({ ...engines, witnesses: used }))).find(({ check }) => check === 'log.witnesses');
  expect(await examine({ rules, list, ask })).toMatchObject({ status: 'fault', says: expect.stringContaining('3') });

  const askLate: Witnesses['ask'] = async () => {
    if (seen.size === 3) await publish();
    seen.size += 1;
    return { status: 409, body: `${seen.size - 1}\n` };
  };
  const late = new LogCosigner({ ...engines, witnesses: { rules, list, ask: askLate } });
  expect(await late.step(live)).toBe(false);
  expect(late.results).toEqual({});
  await sequencer.stop();
});

test('a checkpoint with too few cosignatures does not replace one with a quorum', async () => {
  const logObjects = memoryLogObjects();
  const engines = { ...exchange.engines, logObjects };
  await exchange.database.query('truncate evidence_entries, evidence_logs, evidence_keys, evidence_time_stamps');
  const sequencer = new Sequencer(engines);
  const publish = async () => {
    await engines.store.evidence.append([
      { accountId: randomUUID(), kind: 'key.destroyed', data: { day: '2026-01-01' } },
    ]);
    await sequencer.step(live);
  };
  await publish();
  await using one = await startTestWitness(engines);
  await using other = await startTestWitness(engines);
  const [[w = ''], [x = '']] = [one, other].map(({ witnesses }) => witnesses.rules.split('\n')) as [string[], string[]];
  const used = openWitnesses(`${w}\n${x.replace(' W ', ' X ')}\ngroup both all W X\nquorum both\n`);
  let down: string[] = [];
  let requests = 0;
  const ask: Witnesses['ask'] = async (witness, ...request) => {
    requests += 1;
    return down.includes(witness.name) ? { failure: 'down' } : used.ask(witness, ...request);
  };
  const startCosigner = () => new LogCosigner({ ...engines, witnesses: { ...used, ask } });
  /** The size of the checkpoint that receipts use, and how many have cosigned it. */
  const readCosigned = async () => {
    const note = (await engines.store.evidenceLog.find(1))?.cosignedCheckpoint ?? '';
    const signed = listSignatures(
      note,
      used.list.map(({ verifier }) => verifier),
    );
    return [readCheckpoint(note)?.size, signed.length];
  };

  // Without a quorum, some are better than none.
  down = ['X'];
  expect(await startCosigner().step(live)).toBe(false);
  expect(await readCosigned()).toEqual([2, 1]);
  down = [];
  const cosigner = startCosigner();
  expect(await cosigner.step(live)).toBe(true);
  expect(await readCosigned()).toEqual([2, 2]);

  await publish();
  down = ['X'];
  expect(await cosigner.step(live)).toBe(false);
  expect(await readCosigned()).toEqual([2, 2]);
  // A cosignature that W has returned is not asked for again.
  requests = 0;
  expect(await cosigner.step(live)).toBe(false);
  expect(requests).toBe(0);
  down = [];
  expect(await startCosigner().step(live)).toBe(true);
  expect(await readCosigned()).toEqual([3, 2]);
  await sequencer.stop();
});
