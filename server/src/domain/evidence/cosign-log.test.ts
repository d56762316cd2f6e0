import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSigner, formatVerifierKey, openNote, parsePolicy } from '@waybill/evidence';
import { expect, test } from 'vitest';
import { createWitnessServer } from '../../../../client/src/command/witness/serve-witness.ts';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { askWitnesses } from '../../engines/outgoing/ask-witnesses.ts';
import { useTestExchange } from '../../testing/exchange.ts';
import { collectFindings } from '../../testing/findings.ts';
import { memoryLogObjects } from '../../testing/memory/memory-log-objects.ts';
import type { Witnesses } from '../ports/witnesses.ts';
import { LogCosigner } from './cosign-log.ts';
import { examineLog } from './examine-log.ts';
import { makeLogPolicy } from './log-policy.ts';
import { Sequencer } from './sequencer.ts';

const witnessKey = 'witness.example.com/w1+e8498172+BD1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM';
const exchange = await useTestExchange();
const live = new AbortController().signal;

test('the newest checkpoint is cosigned, kept and published, and the log continues from it', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const name = 'witness.example.com/w1';
  const states = new Map<string, { size: number; root: Uint8Array }>();
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
  const server = createWitnessServer({
    logs: parsePolicy(await makeLogPolicy(engines)).logs,
    signers: [
      createSigner({ name, type: 4, publicKey: key, sign: (text) => sign(null, text, privateKey), readTime: () => 1 }),
    ],
    verifierKeys: [],
    state: { get: (origin) => states.get(origin), put: async (origin, next) => void states.set(origin, next) },
    report: () => undefined,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const dead = `${name}/dead+db744a6e+BD1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM`;
  const witness = `witness W ${formatVerifierKey(name, 4, key)} http://127.0.0.1:${port}\n`;
  const rules = `${witness}quorum W\n`;
  const openWitnesses = (lines: string) => askWitnesses({ rules: lines, policy: parsePolicy(lines) });
  const witnesses = openWitnesses(rules);
  const cosigner = new LogCosigner({ ...engines, witnesses });
  const examine = async (used: Witnesses) =>
    (await collectFindings(examineLog({ ...engines, witnesses: used }))).filter(
      ({ check }) => check === 'log.witnesses',
    );
  const policy = parsePolicy(await makeLogPolicy(engines, rules));
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
  const withDead = openWitnesses(`${witness}witness D ${dead} http://127.0.0.1:${await closedPort()}\nquorum W\n`);
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
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
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
  const { list } = askWitnesses({ rules, policy: parsePolicy(rules) });
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
