import { type Bundle, decodeBundle, formatBundlePath, formatTilePath, type ReadTile } from '@waybill/evidence';
import { MissingObject } from '../exchange-error.ts';
import type { LogObjects } from '../ports/log-objects.ts';
import { query } from '../query.ts';

const hashBytes = 32;
/** A commitment, after its length. */
const bundledBytes = 2 + hashBytes;
export const tileWidth = 256;
/** A note with the signatures of many witnesses. */
export const maxCheckpointBytes = 64 * 1024;

export const toCheckpointName = (epoch: number) => `${epoch}/checkpoint`;
export const toObjectName = (epoch: number, path: string) => `${epoch}/${path}`;

const always = new AbortController().signal;

/**
 * Reads a tile, a bundle or the checkpoint of an epoch, by its path in the log. A partial tile is deleted once the full one
 * is there, which begins with the same bytes.
 */
export async function readLogFile(
  logObjects: LogObjects,
  epoch: number,
  path: string,
  signal: AbortSignal = always,
): Promise<Buffer | undefined> {
  const read = (name: string) => logObjects.read(toObjectName(epoch, name), maxCheckpointBytes, signal);
  const found = await read(path);
  const [partial, width] = /\.p\/(\d+)$/.exec(path) ?? [];
  if (found || partial === undefined) return found;
  const full = await read(path.slice(0, -partial.length));
  return full?.subarray(0, Number(width) * (path.startsWith('tile/entries/') ? bundledBytes : hashBytes));
}

/** Reads tiles of an epoch from the bucket, for proofs. Throws MissingObject for one that is not there. */
export function readTilesOf(logObjects: LogObjects, epoch: number, signal?: AbortSignal): ReadTile {
  return async (tile) =>
    requireBytes(await readLogFile(logObjects, epoch, formatTilePath(tile), signal), tile.width * hashBytes);
}

/** Reads the entries of an epoch whose hashes are in a tile of level 0. */
export async function readBundle(
  logObjects: LogObjects,
  epoch: number,
  bundle: Bundle,
  signal?: AbortSignal,
): Promise<Uint8Array[]> {
  const bytes = await readLogFile(logObjects, epoch, formatBundlePath(bundle), signal);
  return decodeBundle(requireBytes(bytes, bundle.width * bundledBytes));
}

function requireBytes(found: Buffer | undefined, bytes: number): Buffer {
  if (!found || found.length < bytes) throw new MissingObject();
  return found.subarray(0, bytes);
}

/** All epochs of the log, the oldest first. */
export const listLogs = query((store) => store.evidenceLog.list);
export const listLogKeys = query((store) => store.evidenceLog.listKeys);
export const readLogCondition = query((store) => store.evidenceLog.readCondition);
