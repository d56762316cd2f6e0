import type { FilePosition } from '../batch.ts';
import type { CheckedFile } from '../files/scrub-store.ts';
import type { Content } from './streams.ts';

/**
 * The content of a place for backups:
 *
 *   objects/…                       the objects of all backups, as they are in the bucket: sealed
 *   backups/ID/database.dump        the database, by pg_dump
 *   backups/ID/files.jsonl          the stored files: what is needed to find, check and open their objects
 *   backups/ID/absent.jsonl         those of them that are not in objects/, and why
 *   backups/ID/manifest.seal        proves that we wrote the manifest
 *   backups/ID/manifest.json        written last: without it, the backup is not complete
 *
 * No key is in it: data keys are wrapped by day keys or master keys. It has fingerprints of the latter.
 */
export const formatVersion = 1;

export interface Manifest {
  readonly format: number;
  readonly id: string;
  /** The moment of the database. */
  readonly taken_at: string;
  readonly database: Content;
  readonly files: Content & Totals;
  readonly absent: Content & { readonly ended: number; readonly lost: number; readonly unreadable?: number };
  readonly keys: { readonly master: readonly { version: number; fingerprint: string }[]; readonly pepper: string };
}

/** How many files have not ended, and are not in the backup although they should be. */
export const countLeftOut = ({ absent }: Manifest): number => absent.lost + (absent.unreadable ?? 0);

export interface Totals {
  readonly files: number;
  readonly objects: number;
  readonly object_bytes: number;
}

/**
 * A file that the backup does not have all objects of: it ended before they were copied, the bucket no longer had them,
 * or could not read them.
 */
export interface AbsentFile extends FilePosition {
  readonly reason: 'ended' | 'lost' | 'unreadable';
  /** The first object that the backup does not have. Earlier versions did not record it. */
  readonly object?: string;
}

export const partPath = (id: string, name: string) => `backups/${id}/${name}`;

/** `20261116T021500123Z-3f9a`: in the order of time, and different for two backups at the same time. */
export function newId(takenAt: Date, random: Buffer): string {
  const time = takenAt.toISOString().replaceAll(/[-:.]/g, '');
  return `${time}-${random.toString('hex')}`;
}

export type FileLine = Omit<CheckedFile, 'sha256' | 'wrappedKey'> & { sha256: string; wrappedKey: string };

export function toFileLine(file: CheckedFile): FileLine {
  const { accountId, id, sizeBytes, sha256, wrappedKey, keyDay, runs } = file;
  return {
    accountId,
    id,
    sizeBytes,
    sha256: sha256.toString('hex'),
    wrappedKey: wrappedKey.toString('base64'),
    keyDay,
    runs,
  };
}

export function fromFileLine(line: FileLine): CheckedFile {
  return { ...line, sha256: Buffer.from(line.sha256, 'hex'), wrappedKey: Buffer.from(line.wrappedKey, 'base64') };
}
