import { fc, test as property } from '@fast-check/vitest';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { encodeText } from './bytes.ts';
import { computeRoot, emptyRoot, hashLeaf, verifyConsistency, verifyInclusion } from './merkle.ts';
import { createTileStore } from './testing/test-log.ts';
import {
  appendLeaves,
  decodeBundle,
  type Edge,
  edgeRoot,
  emptyEdge,
  encodeBundle,
  formatBundlePath,
  formatTilePath,
  listTiles,
  loadEdge,
  parseLogPath,
  proveConsistency,
  proveInclusion,
  readRoot,
} from './tiles.ts';

const leaves = Array.from({ length: 1_000 }, (_, index) => hashLeaf(encodeText(`leaf ${index}`)));

function createLog() {
  const store = createTileStore();
  let edge = emptyEdge;
  const append = (hashes: readonly Uint8Array[]): Edge => {
    const appended = appendLeaves(edge, hashes);
    for (const { tile, bytes } of appended.tiles) store.tiles.set(formatTilePath(tile), bytes);
    edge = appended.edge;
    return edge;
  };
  return { ...store, append };
}

const describeEdge = ({ size, levels }: Edge) => ({ size, levels: levels.map((hashes) => hashes.map(bytesToHex)) });

describe('paths', () => {
  test('are those of the examples in tlog-tiles', () => {
    expect(formatTilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067');
    expect(formatBundlePath({ index: 7, width: 12 })).toBe('tile/entries/007.p/12');
    expect(listTiles(70_000)).toEqual([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ]);
    expect(listTiles(256)).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 1, index: 0, width: 1 },
    ]);
    expect(listTiles(0)).toEqual([]);
  });
  property.prop([fc.nat(63), fc.maxSafeNat(), fc.integer({ min: 1, max: 256 })])(
    'can be parsed',
    (level, index, width) => {
      const tile = { level, index, width };
      expect(parseLogPath(formatTilePath(tile))).toEqual({ tile });
      expect(parseLogPath(formatBundlePath({ index, width }))).toEqual({ bundle: { index, width } });
    },
  );
  test.each([
    'tile/00/001',
    'tile/64/001',
    'tile/-1/001',
    'tile/0/1',
    'tile/0/0001',
    'tile/0/x000/001',
    'tile/0/001/002',
    'tile/0/x001',
    'tile/0/001.p/0',
    'tile/0/001.p/256',
    'tile/0/001.p/01',
    'tile/0/001.p/',
    'tile/0/001/',
    '/tile/0/001',
    'tile/0/001\n',
    'tile/0/../001',
    'tile/entries/x9007/199/254/740/993',
    'tile/0/x009/x999/x999/x999/x999/999',
    'tile/data/001',
    'checkpoint',
  ])('are refused in another form: %j', (path) => {
    expect(parseLogPath(path)).toBeUndefined();
  });
});

describe('bundles', () => {
  property.prop([fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })])('keep their entries', (entries) => {
    expect(decodeBundle(encodeBundle(entries)).map(bytesToHex)).toEqual(entries.map(bytesToHex));
  });
  test.each([[[0]], [[0, 1]], [[0, 2, 7]], [[0, 1, 7, 0]]])('end with an entry: %j', (bytes) => {
    expect(() => decodeBundle(Uint8Array.from(bytes))).toThrow('ends within an entry');
  });
});

describe('a log in tiles', () => {
  test.each([40, 255, 256, 300])('has the root of its leaves after batches of %i', async (batch) => {
    const log = createLog();
    for (let edge = emptyEdge; edge.size < 600; ) {
      edge = log.append(leaves.slice(edge.size, edge.size + batch));
      const root = bytesToHex(computeRoot(leaves.slice(0, edge.size)));
      expect(bytesToHex(edgeRoot(edge))).toBe(root);
      expect(bytesToHex(await readRoot(log.readTile, edge.size))).toBe(root);
      expect(describeEdge(await loadEdge(log.readTile, edge.size))).toEqual(describeEdge(edge));
    }
  });

  test('reaches a second level of tiles, and writes no tile twice', () => {
    const hash = leaves[0] ?? emptyRoot;
    const { edge, tiles } = appendLeaves(emptyEdge, Array.from<Uint8Array>({ length: 65_537 }).fill(hash));
    expect(tiles).toHaveLength(256 + 1 + 2);
    expect(new Set(tiles.map(({ tile }) => formatTilePath(tile))).size).toBe(tiles.length);
    expect(tiles.slice(-3).map(({ tile }) => formatTilePath(tile))).toEqual([
      'tile/1/000',
      'tile/0/256.p/1',
      'tile/2/000.p/1',
    ]);
    expect(edge.levels.map(({ length }) => length)).toEqual([1, 0, 1]);
  });

  const size = fc.integer({ min: 1, max: 1_000 });
  const log = createLog();
  log.append(leaves);
  const rootOf = (leafCount: number) => computeRoot(leaves.slice(0, leafCount));

  property.prop([size, fc.nat(999)], { numRuns: 40 })('proves that it includes a leaf', async (leafCount, any) => {
    const index = any % leafCount;
    const proof = await proveInclusion(log.readTile, index, leafCount);
    const leafHash = leaves[index] ?? emptyRoot;
    expect(verifyInclusion({ leafHash, index, size: leafCount, root: rootOf(leafCount), proof })).toBe(true);
  });
  property.prop([size, fc.nat(1_000)], { numRuns: 40 })('proves that it continues another', async (newSize, any) => {
    const oldSize = any % (newSize + 1);
    const proof = await proveConsistency(log.readTile, oldSize, newSize);
    expect(verifyConsistency({ oldSize, newSize, oldRoot: rootOf(oldSize), newRoot: rootOf(newSize), proof })).toBe(
      true,
    );
  });

  test('reports a tile that is cut off, and a leaf that it does not have', async () => {
    const readTile = async () => new Uint8Array(31);
    await expect(readRoot(readTile, 5)).rejects.toThrow('a tile of 5 hashes has 31 bytes');
    await expect(loadEdge(readTile, 5)).rejects.toThrow('a tile of 5 hashes has 31 bytes');
    await expect(proveInclusion(log.readTile, 5, 5)).rejects.toThrow('no leaf 5 in a tree of 5');
    await expect(proveConsistency(log.readTile, 6, 5)).rejects.toThrow('does not contain');
  });
});
