import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSigner, formatVerifierKey, parsePolicy } from '@waybill/evidence';
import { createWitnessServer } from '../../client/src/command/witness/serve-witness.ts';
import { makeLogPolicy } from '../src/domain/evidence/public-log.ts';
import type { Witnesses } from '../src/domain/ports/witnesses.ts';
import { askWitnesses } from '../src/engines/outgoing/ask-witnesses.ts';
import type { TestExchange } from './exchange.ts';

/** Starts a witness of the log that there is, whose clock says `readTime`. */
export async function startTestWitness(
  engines: TestExchange['engines'],
  readTime = () => 1,
): Promise<AsyncDisposable & { readonly witnesses: Witnesses; close(): Promise<void> }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const name = 'witness.example.com/w1';
  const states = new Map<string, { size: number; root: Uint8Array }>();
  const server = createWitnessServer({
    logs: parsePolicy(await makeLogPolicy(engines)).logs,
    signers: [createSigner({ name, type: 4, publicKey: key, sign: (text) => sign(null, text, privateKey), readTime })],
    verifierKeys: [],
    state: { get: (origin) => states.get(origin), put: async (origin, next) => void states.set(origin, next) },
    report: () => undefined,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const rules = `witness W ${formatVerifierKey(name, 4, key)} http://127.0.0.1:${port}\nquorum W\n`;
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  return { witnesses: askWitnesses({ rules, policy: parsePolicy(rules) }), close, [Symbol.asyncDispose]: close };
}
