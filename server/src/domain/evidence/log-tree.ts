import {
  appendLeaves,
  type Edge,
  edgeRoot,
  emptyEdge,
  encodeBundle,
  formatBundlePath,
  formatTilePath,
  hashLeaf,
  listTiles,
  loadEdge,
} from '@waybill/evidence';
import type { LogObjects } from '../ports/log-objects.ts';
import { readBundle, readTilesOf, tileWidth } from './read-log.ts';

/** A tile or a bundle to be stored, by its path in the log. */
export interface LogFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The right edge of a log, to which entries are appended without reading the rest. */
export class LogTree {
  #edge: Edge;
  /** The entries of the partial bundle. */
  #tail: Uint8Array[];
  /** By the path of a full tile: the widths of its partial ones that may be in the bucket. */
  readonly #partial = new Map<string, ReadonlySet<number>>();

  private constructor(edge: Edge, tail: Uint8Array[]) {
    this.#edge = edge;
    this.#tail = tail;
  }

  static empty(): LogTree {
    return new LogTree(emptyEdge, []);
  }

  /**
   * Loads the edge of the tree with this size from the bucket. Throws MissingObject if a part of it is not there, and a
   * RangeError if its parts do not fit together.
   */
  static async load(logObjects: LogObjects, epoch: number, size: number, signal: AbortSignal): Promise<LogTree> {
    const edge = await loadEdge(readTilesOf(logObjects, epoch, signal), size);
    const width = size % tileWidth;
    const index = Math.floor(size / tileWidth);
    const tail = width === 0 ? [] : await readBundle(logObjects, epoch, { index, width }, signal);
    // The root vouches for the hashes alone, but the bundle is written again with these entries.
    const hashes = edge.levels[0] ?? [];
    if (tail.some((entry, at) => Buffer.compare(hashLeaf(entry), hashes[at] ?? Buffer.alloc(0)) !== 0)) {
      throw new RangeError('the entries of the partial bundle are not those of its tile');
    }
    const tree = new LogTree(edge, tail);
    // Earlier processes may have stored any of them.
    const anyWidth = new Set(Array.from({ length: tileWidth - 1 }, (_, position) => position + 1));
    for (const { path } of toPlaces(size)) tree.#partial.set(path, anyWidth);
    return tree;
  }

  get size(): number {
    return this.#edge.size;
  }

  get root(): Uint8Array {
    return edgeRoot(this.#edge);
  }

  /** Appends entries. Returns what to store before the new root is signed, and the paths that are not needed then. */
  append(entries: readonly Uint8Array[]): { readonly files: LogFile[]; readonly obsolete: string[] } {
    const { edge, tiles } = appendLeaves(
      this.#edge,
      entries.map((entry) => hashLeaf(entry)),
    );
    const files = tiles.map(({ tile, bytes }) => ({ path: formatTilePath(tile), bytes }));
    const all = [...this.#tail, ...entries];
    const first = Math.floor(this.#edge.size / tileWidth);
    for (let from = 0; from < all.length; from += tileWidth) {
      const some = all.slice(from, from + tileWidth);
      const bundle = { index: first + from / tileWidth, width: some.length };
      files.push({ path: formatBundlePath(bundle), bytes: encodeBundle(some) });
    }
    this.#tail = all.slice(all.length - (all.length % tileWidth));
    this.#edge = edge;
    return { files, obsolete: this.#followPartial(files) };
  }

  #followPartial(files: readonly LogFile[]): string[] {
    const obsolete: string[] = [];
    for (const { path } of files) {
      const widths = this.#partial.get(path);
      if (widths) obsolete.push(...[...widths].map((width) => `${path}.p/${width}`));
      this.#partial.delete(path);
    }
    for (const { path, width } of toPlaces(this.size)) {
      this.#partial.set(path, new Set([...(this.#partial.get(path) ?? []), width]));
    }
    return obsolete;
  }
}

/** The partial tiles and the partial bundle of a size, by the paths that they have when they are full. */
function toPlaces(size: number): { path: string; width: number }[] {
  return listTiles(size)
    .filter(({ width }) => width < tileWidth)
    .flatMap(({ level, index, width }) => [
      { path: formatTilePath({ level, index, width: tileWidth }), width },
      ...(level === 0 ? [{ path: formatBundlePath({ index, width: tileWidth }), width }] : []),
    ]);
}
