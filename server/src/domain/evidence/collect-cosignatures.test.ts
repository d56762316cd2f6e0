import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  appendLeaves,
  createSigner,
  edgeRoot,
  emptyEdge,
  formatCheckpoint,
  formatTilePath,
  formatVerifierKey,
  hashLeaf,
  openNote,
  parsePolicy,
  parseVerifierKey,
  type SignatureType,
  signNote,
  type Tile,
} from '@waybill/evidence';
import { expect, test } from 'vitest';
import { createWitnessServer } from '../../../../client/src/command/witness/serve-witness.ts';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { askWitnesses } from '../../engines/outgoing/ask-witnesses.ts';
import { collectCosignatures, type WitnessedSizes } from './collect-cosignatures.ts';

const origin = 'files.example.org/log/1';
const live = new AbortController().signal;

function makeKey(name: string, type: SignatureType) {
  const { privateKey, publicKey: key } = generateKeyPairSync('ed25519');
  const publicKey = key.export({ type: 'spki', format: 'der' }).subarray(-32);
  const signer = createSigner({
    name,
    type,
    publicKey,
    sign: (text) => sign(null, text, privateKey),
    readTime: () => 1_800_000_000,
  });
  return { vkey: formatVerifierKey(name, type, publicKey), signer };
}

const logKey = makeKey(origin, 1);

/** The log after these entries, as it is published. */
async function publish(entries: readonly string[]) {
  const { edge, tiles } = appendLeaves(
    emptyEdge,
    entries.map((entry) => hashLeaf(Buffer.from(entry))),
  );
  const files = new Map(tiles.map(({ tile, bytes }) => [formatTilePath(tile), bytes]));
  const checkpoint = { origin, size: entries.length, root: edgeRoot(edge) };
  const readTile = async (tile: Tile) => files.get(formatTilePath(tile)) ?? Promise.reject(new RangeError('no tile'));
  return { note: await signNote(formatCheckpoint(checkpoint), [logKey.signer]), checkpoint, readTile };
}

/** The witness that customers run, with its state in memory. */
async function startWitness(name: string) {
  const { vkey, signer } = makeKey(`witness.example.com/${name}`, 4);
  const states = new Map<string, { size: number; root: Uint8Array }>();
  const server = createWitnessServer({
    logs: [parseVerifierKey(logKey.vkey)],
    signers: [signer],
    verifierKeys: [vkey],
    state: { get: (log) => states.get(log), put: async (log, next) => void states.set(log, next) },
    report: () => undefined,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    line: `witness ${name} ${vkey} http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function openWitnesses(lines: readonly string[]) {
  const rules = `${lines.join('\n')}\nquorum none\n`;
  return askWitnesses({ rules, policy: parsePolicy(rules) });
}

const entries = (count: number, view = 'honest') => Array.from({ length: count }, (_, index) => `${view} ${index}`);

test('witnesses cosign each checkpoint, from the size that they have seen', async () => {
  await using one = await startWitness('one');
  await using two = await startWitness('two');
  const witnesses = openWitnesses([one.line, two.line]);
  const sizes: WitnessedSizes = new Map();
  for (const size of [3, 3, 300]) {
    const log = await publish(entries(size));
    const { note, outcomes } = await collectCosignatures(witnesses, log, sizes, live);
    expect([...outcomes.values()].map(({ result }) => result)).toEqual(['cosigned', 'cosigned']);
    const { verified } = openNote(note, [
      parseVerifierKey(logKey.vkey),
      ...witnesses.list.map(({ verifier }) => verifier),
    ]);
    expect(verified.map(({ timestamp }) => timestamp)).toEqual([undefined, 1_800_000_000, 1_800_000_000]);
  }
  // A process that has just started asks from the beginning, and is told where to continue.
  const { outcomes } = await collectCosignatures(witnesses, await publish(entries(310)), new Map(), live);
  expect([...outcomes.values()].map(({ result }) => result)).toEqual(['cosigned', 'cosigned']);
});

test('a witness that has seen another log refuses, and is named; one that is dead or silly costs nothing but itself', async () => {
  await using one = await startWitness('one');
  const silly = createServer((_request, response) => response.end('— witness.example.com/x AAAAAAAA\n')).listen(
    0,
    '127.0.0.1',
  );
  await once(silly, 'listening');
  const { port } = silly.address() as AddressInfo;
  const other = (name: string, at: string) => `witness ${name} ${makeKey(`witness.example.com/${name}`, 4).vkey} ${at}`;
  const witnesses = openWitnesses([
    one.line,
    other('dead', `http://127.0.0.1:${await closedPort()}`),
    other('silly', `http://127.0.0.1:${port}`),
  ]);
  const sizes: WitnessedSizes = new Map();
  const first = await collectCosignatures(witnesses, await publish(entries(5)), sizes, live);
  expect(Object.fromEntries(first.outcomes)).toMatchObject({
    one: { result: 'cosigned' },
    dead: { result: 'failed', reason: expect.stringContaining('ECONNREFUSED') },
    silly: { result: 'failed', reason: 'it returned no valid cosignature of its key' },
  });
  const judge = async (view: readonly string[]) =>
    (await collectCosignatures(witnesses, await publish(view), sizes, live)).outcomes.get('one');
  const refused = (reason: string) => ({ result: 'refused', reason });
  expect(await judge(entries(5, 'forked'))).toEqual(refused('it has seen another log of 5 entries'));
  expect(await judge(entries(9, 'forked'))).toEqual(refused('it has seen another log of 5 entries'));
  expect(await judge(entries(4))).toMatchObject(refused('it has seen 5 entries, more than the 4 of this log'));
  expect(await judge(entries(6))).toMatchObject({ result: 'cosigned' });
  silly.closeAllConnections();
  silly.close();
});
