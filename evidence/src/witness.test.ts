import { describe, expect, test } from 'vitest';
import { encodeText } from './bytes.ts';
import { formatCheckpoint } from './checkpoint.ts';
import { parseVerifierKey } from './keys.ts';
import { computeRoot, emptyRoot, hashLeaf } from './merkle.ts';
import { signNote } from './note.ts';
import { createTestKey, createTileStore } from './testing/test-log.ts';
import { appendLeaves, emptyEdge, formatTilePath, proveConsistency } from './tiles.ts';
import { formatProof, parseProof } from './tlog-proof.ts';
import { formatAddCheckpoint, judgeAddCheckpoint, parseAddCheckpoint } from './witness.ts';

const origin = 'example.org/log';
const leaves = Array.from({ length: 12 }, (_, index) => hashLeaf(encodeText(`leaf ${index}`)));
const rootOf = (size: number) => computeRoot(leaves.slice(0, size));
const store = createTileStore();
for (const { tile, bytes } of appendLeaves(emptyEdge, leaves).tiles) store.tiles.set(formatTilePath(tile), bytes);

const key = createTestKey(origin, 1);
const verifiers = [parseVerifierKey(key.vkey)];

async function makeRequest(oldSize: number, size: number, root = rootOf(size), signer = key.signer, name = origin) {
  const checkpoint = await signNote(formatCheckpoint({ origin: name, size, root }), [signer]);
  const proof = oldSize <= size ? await proveConsistency(store.readTile, oldSize, size) : [];
  const request = parseAddCheckpoint(formatAddCheckpoint({ oldSize, proof, checkpoint }));
  if (!request) throw new Error('the request cannot be parsed');
  return request;
}
const stateOf = (size: number) => ({ size, root: rootOf(size) });

describe('a witness', () => {
  test('cosigns the first checkpoint of a log, the next ones, and the same one again', async () => {
    for (const [state, size] of [
      [undefined, 5],
      [stateOf(5), 12],
      [stateOf(12), 12],
      [undefined, 0],
    ] as const)
      expect(judgeAddCheckpoint(state, await makeRequest(state?.size ?? 0, size), verifiers)).toMatchObject({
        status: 200,
        next: stateOf(size),
      });
  });
  test('refuses everything else with the status of tlog-witness', async () => {
    const other = createTestKey(origin, 4).signer;
    const otherName = createTestKey('example.org/other', 1).signer;
    expect(judgeAddCheckpoint(stateOf(5), await makeRequest(5, 12, rootOf(12), other), verifiers)).toMatchObject({
      status: 403,
    });
    expect(
      judgeAddCheckpoint(undefined, await makeRequest(0, 5, rootOf(5), otherName, 'example.org/other'), verifiers),
    ).toMatchObject({ status: 404 });
    // Signed by a known log, but about another one.
    expect(
      judgeAddCheckpoint(undefined, await makeRequest(0, 5, rootOf(5), key.signer, 'example.org/other'), verifiers),
    ).toMatchObject({ status: 404 });
    expect(judgeAddCheckpoint(stateOf(5), await makeRequest(6, 5), verifiers)).toMatchObject({ status: 400 });
    expect(judgeAddCheckpoint(stateOf(5), await makeRequest(4, 12), verifiers)).toEqual({ status: 409, body: '5\n' });
    expect(judgeAddCheckpoint(stateOf(12), await makeRequest(0, 5), verifiers)).toEqual({ status: 409, body: '12\n' });
    expect(judgeAddCheckpoint(undefined, await makeRequest(3, 5), verifiers)).toEqual({ status: 409, body: '0\n' });
    expect(judgeAddCheckpoint(stateOf(5), await makeRequest(5, 12, rootOf(11)), verifiers)).toMatchObject({
      status: 422,
    });
    expect(judgeAddCheckpoint(stateOf(5), await makeRequest(5, 5, rootOf(6)), verifiers)).toEqual({
      status: 409,
      body: '5\n',
      isFork: true,
    });
    const longer = { ...(await makeRequest(0, 5)), proof: [emptyRoot] };
    expect(judgeAddCheckpoint(undefined, longer, verifiers)).toMatchObject({ status: 422 });
  });
  test('understands the example of tlog-witness, and nothing malformed', () => {
    const example =
      'old 20852014\nPlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\njrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n' +
      '5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n\n' +
      'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
      '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n';
    const request = parseAddCheckpoint(example);
    expect(request).toMatchObject({ oldSize: 20_852_014, origin: 'example.com/behind-the-sofa' });
    expect(request && formatAddCheckpoint(request)).toBe(example);
    for (const damaged of [
      '',
      example.slice(4),
      example.replace('old 2', 'old 02'),
      example.replace('old ', 'old  '),
      example.replace('kaw=\n', 'kax=\n'),
      example.replace('old 20852014\n', `old 20852014\n${'PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n'.repeat(60)}`),
      example.replaceAll('\n\n', '\n'),
    ])
      expect(parseAddCheckpoint(damaged)).toBeUndefined();
  });
});

describe('proofs as files', () => {
  const proof = { index: 3, proof: leaves.slice(0, 2), checkpoint: 'o\n5\nroot\n\n— o AAAA\n' };
  test('can be read again', () => {
    expect(parseProof(formatProof(proof))).toEqual(proof);
    const withExtra = { ...proof, extra: Uint8Array.of(1, 2, 3) };
    expect(parseProof(formatProof(withExtra))).toEqual(withExtra);
    expect(formatProof({ ...proof, proof: [] })).toBe('c2sp.org/tlog-proof@v1\nindex 3\n\no\n5\nroot\n\n— o AAAA\n');
  });
  test.each([
    (text: string) => text.replace('@v1', '@v2'),
    (text: string) => text.replace('index 3', 'index 03'),
    (text: string) => text.replace('index 3', 'Index 3'),
    (text: string) => text.replace('index 3', 'extra !\nindex 3'),
    (text: string) => text.replace('=\n', '\n'),
    (text: string) => text.replaceAll('\n\n', '\n'),
    () => '',
  ])('are refused in another form: %s', (change) => {
    expect(parseProof(change(formatProof(proof)))).toBeUndefined();
  });
});
