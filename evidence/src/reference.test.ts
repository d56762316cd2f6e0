// Go's own implementation verifies ours, and ours verifies Go's.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { requireKind } from '../../tools/test/require-kind.ts';
import { decodeBase64, encodeBase64, encodeText } from './bytes.ts';
import { formatCheckpoint } from './checkpoint.ts';
import { parseVerifierKey } from './keys.ts';
import { computeRoot, emptyRoot, hashLeaf, verifyConsistency, verifyInclusion } from './merkle.ts';
import { openNote, signNote } from './note.ts';
import { createTestKey, createTileStore } from './testing/test-log.ts';
import { appendLeaves, emptyEdge, formatTilePath, proveConsistency, proveInclusion } from './tiles.ts';

requireKind('engines');

/** The output of both programs, with hashes in base64. */
interface Proofs {
  readonly Vkey: string;
  readonly Note: string;
  readonly Text: string;
  readonly Roots: readonly string[];
  readonly Inclusion: readonly { Index: number; Size: number; Proof: readonly string[] | null }[];
  readonly Consistency: readonly { OldSize: number; NewSize: number; Proof: readonly string[] | null }[];
  readonly Tiles: readonly object[] | null;
}

const sizes = [1, 2, 3, 7, 8, 9, 64, 100, 255, 256, 257, 300, 511, 512, 513, 520];
const entries = Array.from({ length: 520 }, (_, index) => encodeText(`entry ${index}`));
const leaves = entries.map(hashLeaf);
const store = createTileStore();

async function makeProofs(): Promise<Proofs> {
  const { tiles } = appendLeaves(emptyEdge, leaves);
  for (const { tile, bytes } of tiles) store.tiles.set(formatTilePath(tile), bytes);
  const roots = Array.from({ length: entries.length + 1 }, (_, size) => computeRoot(leaves.slice(0, size)));
  const { signer, vkey } = createTestKey('example.org/log', 1);
  const others = [createTestKey('example.org/log', 6).signer, createTestKey('witness.example.org/w1', 4).signer];
  const text = formatCheckpoint({ origin: 'example.org/log', size: 520, root: roots.at(-1) ?? emptyRoot });
  const pairs = sizes.flatMap((size) => sizes.filter((other) => other <= size).map((other) => [other, size] as const));
  return {
    Vkey: vkey,
    Note: await signNote(text, [signer, ...others]),
    Text: text,
    Roots: roots.map(encodeBase64),
    Inclusion: await Promise.all(
      pairs.map(async ([count, size]) => {
        const proof = await proveInclusion(store.readTile, count - 1, size);
        return { Index: count - 1, Size: size, Proof: proof.map(encodeBase64) };
      }),
    ),
    Consistency: await Promise.all(
      pairs.map(async ([oldSize, newSize]) => {
        const proof = await proveConsistency(store.readTile, oldSize, newSize);
        return { OldSize: oldSize, NewSize: newSize, Proof: proof.map(encodeBase64) };
      }),
    ),
    Tiles: tiles.map(({ tile, bytes }) => ({
      Level: tile.level,
      Width: tile.width,
      Index: tile.index,
      Path: formatTilePath(tile),
      Data: encodeBase64(bytes),
    })),
  };
}

const decode = (hash: string) => decodeBase64(hash) ?? new Uint8Array();

test("Go's Merkle log and ours accept each other's checkpoints, proofs and tiles", async () => {
  const own = await makeProofs();
  const { stdout, stderr } = spawnSync('go', ['run', fileURLToPath(new URL('../reference/main.go', import.meta.url))], {
    input: JSON.stringify({ Entries: entries.map(encodeBase64), Proofs: own }),
    env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  const { Faults, Proofs: theirs } = JSON.parse(stdout) as { Faults: string[]; Proofs: Proofs };
  expect(Faults).toEqual([]);

  const rootOf = (size: number) => decode(theirs.Roots[size] ?? '');
  expect(theirs.Inclusion).toHaveLength(own.Inclusion.length);
  for (const { Index, Size, Proof } of theirs.Inclusion)
    expect(
      verifyInclusion({
        leafHash: leaves[Index] ?? emptyRoot,
        index: Index,
        size: Size,
        root: rootOf(Size),
        proof: (Proof ?? []).map(decode),
      }),
      `leaf ${Index} of ${Size}`,
    ).toBe(true);
  expect(theirs.Consistency).toHaveLength(own.Consistency.length);
  for (const { OldSize, NewSize, Proof } of theirs.Consistency)
    expect(
      verifyConsistency({
        oldSize: OldSize,
        newSize: NewSize,
        oldRoot: rootOf(OldSize),
        newRoot: rootOf(NewSize),
        proof: (Proof ?? []).map(decode),
      }),
      `${OldSize} before ${NewSize}`,
    ).toBe(true);
  expect(openNote(theirs.Note, [parseVerifierKey(theirs.Vkey)]).text).toBe(own.Text);
});
