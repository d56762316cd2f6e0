import { describe, expect, test } from 'vitest';
import { computeRoot, hashLeaf, verifyConsistency, verifyInclusion } from './merkle.ts';
import {
  appendLeaves,
  type Edge,
  edgeRoot,
  emptyEdge,
  formatTilePath,
  loadEdge,
  proveConsistency,
  proveInclusion,
  readRoot,
  type Tile,
} from './tiles.ts';

const entry = (index: number) => Uint8Array.of(index >> 16, index >> 8, index);
const leaves = Array.from({ length: 2_000 }, (_, index) => hashLeaf(entry(index)));

/** A log in memory that keeps every tile it was ever given. */
function createTileStore() {
  const tiles = new Map<string, Uint8Array>();
  const readTile = async (tile: Tile) => {
    const bytes = tiles.get(formatTilePath(tile)) ?? tiles.get(formatTilePath({ ...tile, width: 256 }));
    if (!bytes) throw new Error(`${formatTilePath(tile)} is missing`);
    return bytes.subarray(0, tile.width * 32);
  };
  const append = (edge: Edge, hashes: readonly Uint8Array[]) => {
    const appended = appendLeaves(edge, hashes);
    for (const { tile, bytes } of appended.tiles) tiles.set(formatTilePath(tile), bytes);
    return appended.edge;
  };
  return { tiles, readTile, append };
}

describe('a log in tiles', () => {
  test.each([3, 7, 255, 256, 300])('has the root of its leaves after batches of %i', async (batch) => {
    const store = createTileStore();
    let edge = emptyEdge;
    while (edge.size < 4 * batch + 250) {
      edge = store.append(edge, leaves.slice(edge.size, edge.size + batch));
      const root = computeRoot(leaves.slice(0, edge.size));
      expect(edgeRoot(edge)).toEqual(root);
      expect(await readRoot(store.readTile, edge.size)).toEqual(root);
      expect(await loadEdge(store.readTile, edge.size)).toEqual(edge);
    }
  });
  test('proves inclusion and consistency', async () => {
    for (const size of [1, 2, 3, 255, 256, 257, 511, 513, 700]) {
      const local = createTileStore();
      local.append(emptyEdge, leaves.slice(0, size));
      const root = computeRoot(leaves.slice(0, size));
      for (const [index, leafHash] of leaves.slice(0, size).entries()) {
        if (index % 61 !== 0) continue;
        const proof = await proveInclusion(local.readTile, index, size);
        expect(verifyInclusion({ leafHash, index, size, root, proof })).toBe(true);
      }
      for (let oldSize = 0; oldSize <= size; oldSize += 61) {
        const proof = await proveConsistency(local.readTile, oldSize, size);
        const oldRoot = computeRoot(leaves.slice(0, oldSize));
        expect(verifyConsistency({ oldSize, newSize: size, oldRoot, newRoot: root, proof })).toBe(true);
      }
    }
  });
});
