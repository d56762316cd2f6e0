import { decodeBundle, formatBundlePath, formatTilePath, type ReadTile, type Tile } from '@waybill/evidence';
import { MissingObject } from '../missing-object.ts';
import type { LogObjects } from '../ports/log-objects.ts';

const hashBytes = 32;
/** A commitment, after its length. */
const bundledBytes = 2 + hashBytes;
export const tileWidth = 256;
/** A note with the signatures of many witnesses. */
export const maxCheckpointBytes = 64 * 1024;
export const maxTileBytes = tileWidth * bundledBytes;

export const toCheckpointName = (epoch: number) => `${epoch}/checkpoint`;
export const toObjectName = (epoch: number, path: string) => `${epoch}/${path}`;

const always = new AbortController().signal;

/** Reads tiles of an epoch from the bucket, for proofs. Throws MissingObject for one that is not there. */
export function readTilesOf(logObjects: LogObjects, epoch: number, signal: AbortSignal = always): ReadTile {
  return (tile) => readPart(logObjects, epoch, tile, formatTilePath, hashBytes, signal);
}

/** Reads the entries of an epoch whose hashes are in a tile of level 0. */
export async function readBundle(
  logObjects: LogObjects,
  epoch: number,
  bundle: Omit<Tile, 'level'>,
  signal: AbortSignal = always,
): Promise<Uint8Array[]> {
  return decodeBundle(await readPart(logObjects, epoch, bundle, formatBundlePath, bundledBytes, signal));
}

/** A partial tile is deleted once the full one is there, which begins with the same bytes. */
async function readPart<Part extends Omit<Tile, 'level'>>(
  logObjects: LogObjects,
  epoch: number,
  part: Part,
  formatPath: (part: Part) => string,
  bytesEach: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = part.width * bytesEach;
  for (const width of new Set([part.width, tileWidth])) {
    const found = await logObjects.read(toObjectName(epoch, formatPath({ ...part, width })), maxTileBytes, signal);
    if (found && found.length >= bytes) return found.subarray(0, bytes);
  }
  throw new MissingObject();
}
