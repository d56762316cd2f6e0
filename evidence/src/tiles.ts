import { concatBytes, isCount } from './bytes.ts';
import { computeRoot, emptyRoot, hashNode, splitSize } from './merkle.ts';

/** The tree as a set of static files (C2SP tlog-tiles): each tile holds up to 256 hashes of one level. */

const tileWidth = 256;

export interface Tile {
  /** 0 for leaf hashes; a hash of level n + 1 is the root of a full tile of level n. */
  readonly level: number;
  readonly index: number;
  /** 1 to 256; 256 is a full tile, which never changes again. */
  readonly width: number;
}

export type Bundle = Omit<Tile, 'level'>;

/** Reads the hashes of a tile, exactly 32 bytes each. It falls back from a partial tile to the beginning of the full one. */
export type ReadTile = (tile: Tile) => Promise<Uint8Array>;

export function formatTilePath({ level, ...tile }: Tile): string {
  return `tile/${level}/${formatIndex(tile)}`;
}

/** Returns the path of the entries whose hashes are in the tile of level 0 with the same index. */
export function formatBundlePath(bundle: Bundle): string {
  return `tile/entries/${formatIndex(bundle)}`;
}

function formatIndex({ index, width }: Bundle): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? [];
  const path = groups.map((group, position) => (position < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === tileWidth ? path : `${path}.p/${width}`;
}

/** Parses the path of a tile or bundle. Returns undefined unless it is exactly as the functions above write it. */
export function parseLogPath(path: string): { tile: Tile } | { bundle: Bundle } | undefined {
  const match = /^tile\/(entries|[0-9]{1,2})\/((?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/([0-9]{1,3}))?$/.exec(path);
  if (!match) return undefined;
  const [, kind = '', groups = '', partial] = match;
  const bundle = { index: Number(groups.replaceAll(/[x/]/g, '')), width: Number(partial ?? tileWidth) };
  if (!isCount(bundle.index) || bundle.width < 1 || (partial && bundle.width >= tileWidth)) return undefined;
  if (kind === 'entries') return formatBundlePath(bundle) === path ? { bundle } : undefined;
  const tile = { level: Number(kind), ...bundle };
  return tile.level <= 63 && formatTilePath(tile) === path ? { tile } : undefined;
}

export function encodeBundle(entries: readonly Uint8Array[]): Uint8Array {
  return concatBytes(
    ...entries.flatMap((entry) => {
      if (entry.length > 0xffff) throw new RangeError('an entry of a log has at most 65,535 bytes');
      return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry];
    }),
  );
}

/** Returns the entries of a bundle. Throws a RangeError if its bytes are cut off. */
export function decodeBundle(bytes: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + 2;
    at = start + (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
    if (at > bytes.length || start > bytes.length) throw new RangeError('the bundle ends within an entry');
    entries.push(bytes.subarray(start, at));
  }
  return entries;
}

/** Returns the last tile of each level, lowest first: the partial ones, and the full ones that end at the size. */
export function listTiles(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / tileWidth)) {
    const index = Math.floor((hashes - 1) / tileWidth);
    tiles.push({ level, index, width: hashes - index * tileWidth });
  }
  return tiles;
}

/** Returns the root of the first leaves of a log. */
export async function readRoot(readTile: ReadTile, size: number): Promise<Uint8Array> {
  if (!isCount(size)) throw new RangeError(`${size} is not the size of a tree`);
  return size === 0 ? emptyRoot : openTree(readTile, size)(0, size);
}

/** Returns the siblings on the path from a leaf to the root, for `verifyInclusion`. */
export async function proveInclusion(readTile: ReadTile, index: number, size: number): Promise<Uint8Array[]> {
  if (!isCount(index) || !isCount(size) || index >= size) throw new RangeError(`no leaf ${index} in a tree of ${size}`);
  const hashRange = openTree(readTile, size);
  const siblings: Promise<Uint8Array>[] = [];
  for (let start = 0, end = size; end - start > 1; ) {
    const middle = start + splitSize(end - start);
    const isLeft = index < middle;
    siblings.unshift(isLeft ? hashRange(middle, end) : hashRange(start, middle));
    if (isLeft) end = middle;
    else start = middle;
  }
  return Promise.all(siblings);
}

/** Returns the hashes from which both roots follow, for `verifyConsistency`. */
export async function proveConsistency(readTile: ReadTile, oldSize: number, newSize: number): Promise<Uint8Array[]> {
  if (!isCount(oldSize) || !isCount(newSize) || oldSize > newSize)
    throw new RangeError(`a tree of ${newSize} does not contain one of ${oldSize}`);
  if (oldSize === 0 || oldSize === newSize) return [];
  const hashRange = openTree(readTile, newSize);
  const hashes: Promise<Uint8Array>[] = [];
  let start = 0;
  let end = newSize;
  while (oldSize < end) {
    const middle = start + splitSize(end - start);
    const isLeft = oldSize <= middle;
    hashes.unshift(isLeft ? hashRange(middle, end) : hashRange(start, middle));
    if (isLeft) end = middle;
    else start = middle;
  }
  // A verifier knows the old root already, and needs its right edge only if that is a smaller subtree.
  if (start > 0) hashes.unshift(hashRange(start, end));
  return Promise.all(hashes);
}

/** Returns a function that hashes a subtree of the tree from its tiles, and reads each tile once. */
function openTree(readTile: ReadTile, size: number): (start: number, end: number) => Promise<Uint8Array> {
  const read = new Map<string, Promise<Uint8Array[]>>();
  const readHashes = (level: number, index: number): Promise<Uint8Array[]> => {
    const width = Math.min(Math.floor(size / tileWidth ** level) - index * tileWidth, tileWidth);
    const path = formatTilePath({ level, index, width });
    const hashes = read.get(path) ?? readTile({ level, index, width }).then((bytes) => splitHashes(bytes, width));
    read.set(path, hashes);
    return hashes;
  };
  const hashRange = async (start: number, end: number): Promise<Uint8Array> => {
    const leaves = end - start;
    const left = splitSize(leaves);
    if (leaves > 1 && left * 2 !== leaves) {
      const [before, after] = await Promise.all([hashRange(start, start + left), hashRange(start + left, end)]);
      return hashNode(before, after);
    }
    // A complete subtree is a run of hashes in one tile: of the highest level whose hashes are not larger than it.
    let level = 0;
    while (tileWidth ** (level + 1) <= leaves) level++;
    const first = start / tileWidth ** level;
    const index = Math.floor(first / tileWidth);
    const hashes = await readHashes(level, index);
    const position = first - index * tileWidth;
    return computeRoot(hashes.slice(position, position + leaves / tileWidth ** level));
  };
  return hashRange;
}

function splitHashes(bytes: Uint8Array, width: number): Uint8Array[] {
  if (bytes.length !== width * 32) throw new RangeError(`a tile of ${width} hashes has ${bytes.length} bytes`);
  return Array.from({ length: width }, (_, position) => bytes.slice(position * 32, position * 32 + 32));
}

/** The right edge of a tree: all that is needed to append to it. */
export interface Edge {
  readonly size: number;
  /** The hashes of the partial tile of each level, lowest first; none where the last tile is full. */
  readonly levels: readonly (readonly Uint8Array[])[];
}

export const emptyEdge: Edge = { size: 0, levels: [] };

export async function loadEdge(readTile: ReadTile, size: number): Promise<Edge> {
  if (!isCount(size)) throw new RangeError(`${size} is not the size of a tree`);
  const levels = await Promise.all(
    listTiles(size).map(async (tile) =>
      tile.width === tileWidth ? [] : splitHashes(await readTile(tile), tile.width),
    ),
  );
  return { size, levels };
}

/** Returns the edge after these leaves and the tiles to write before its root is published: full tiles first. */
export function appendLeaves(
  edge: Edge,
  leafHashes: readonly Uint8Array[],
): { edge: Edge; tiles: { tile: Tile; bytes: Uint8Array }[] } {
  const levels = edge.levels.map((hashes) => [...hashes]);
  const tiles: { tile: Tile; bytes: Uint8Array }[] = [];
  const changed = new Set<number>();
  const filled: number[] = [];
  const append = (level: number, hash: Uint8Array): void => {
    const hashes = (levels[level] ??= []);
    hashes.push(hash);
    changed.add(level);
    if (hashes.length < tileWidth) return;
    filled[level] ??= Math.floor(edge.size / tileWidth ** (level + 1));
    tiles.push({ tile: { level, index: filled[level]++, width: tileWidth }, bytes: concatBytes(...hashes) });
    append(level + 1, computeRoot(hashes));
    hashes.length = 0;
  };
  for (const hash of leafHashes) append(0, hash);
  const size = edge.size + leafHashes.length;
  for (const tile of listTiles(size))
    if (tile.width < tileWidth && changed.has(tile.level))
      tiles.push({ tile, bytes: concatBytes(...(levels[tile.level] ?? [])) });
  return { edge: { size, levels }, tiles };
}

/** Returns the root of the tree that ends at this edge. */
export function edgeRoot(edge: Edge): Uint8Array {
  let root: Uint8Array | undefined;
  for (const hashes of edge.levels) {
    for (let end = hashes.length; end > 0; ) {
      // The complete subtrees of this level, from the right: the lowest bit of the number of hashes up to here.
      const width = end & -end;
      const subtree = computeRoot(hashes.slice(end - width, end));
      root = root ? hashNode(subtree, root) : subtree;
      end -= width;
    }
  }
  return root ?? emptyRoot;
}
