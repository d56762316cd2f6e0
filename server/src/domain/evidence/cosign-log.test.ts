import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSigner, formatVerifierKey, openNote, parsePolicy } from '@waybill/evidence';
import { expect, test } from 'vitest';
import { createWitnessServer } from '../../../../client/src/command/witness/serve-witness.ts';
import { askWitnesses } from '../../engines/outgoing/ask-witnesses.ts';
import { useTestExchange } from '../../testing/exchange.ts';
import { memoryLogObjects } from '../../testing/memory/memory-log-objects.ts';
import { LogCosigner } from './cosign-log.ts';
import { makeLogPolicy } from './log-policy.ts';
import { Sequencer } from './sequencer.ts';

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
  const rules = `witness W ${formatVerifierKey(name, 4, key)} http://127.0.0.1:${port}\nquorum W\n`;
  const cosigner = new LogCosigner({ ...engines, witnesses: askWitnesses({ rules, policy: parsePolicy(rules) }) });
  const policy = parsePolicy(await makeLogPolicy(engines, rules));
  const verifiers = [...policy.logs, ...policy.witnesses.values()];
  const isTrusted = (note: string) =>
    policy.isQuorum(openNote(note, verifiers).verified.map(({ verifier }) => verifier));
  const readPublished = async () => String(await logObjects.read('1/checkpoint', 65_536, live));

  expect(isTrusted(await readPublished())).toBe(false);
  for (const size of [2, 3]) {
    expect(await cosigner.step(live)).toBe(true);
    expect(isTrusted(await readPublished())).toBe(true);
    const log = await engines.store.evidenceLog.find(1);
    expect(log).toMatchObject({ publishedSize: size, cosignedCheckpoint: await readPublished(), refusal: null });
    await publish();
  }
  // Nothing waits for a witness.
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  expect(await cosigner.step(live)).toBe(false);
  await publish();
  const log = await engines.store.evidenceLog.find(1);
  expect(log).toMatchObject({ publishedSize: 5, cosignedCheckpoint: expect.stringContaining('\n3\n'), refusal: null });
  await sequencer.stop();
});
