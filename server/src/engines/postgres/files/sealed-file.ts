import { sql } from 'kysely';
import type { ChunkRun, UnscannedReason } from '../../../domain/files/file-store.ts';

/** The columns of a file that is to be read, named as in the domain. */
export const sealedFileColumns = [
  'files.account_id as accountId',
  'files.id',
  'files.name',
  sql<string>`coalesce(files.path, files.name)`.as('path'),
  'files.size_bytes as sizeBytes',
  'files.sha256',
  'files.crc32',
  'files.scan',
  sql<UnscannedReason | null>`files.unscanned_reason`.as('unscannedReason'),
  'files.wrapped_key as wrappedKey',
  'files.key_day as keyDay',
  sql<ChunkRun[]>`files.runs`.as('runs'),
] as const;

/** Columns that are never null in the state "ready"; the table itself checks it. */
export interface ReadyFile {
  wrappedKey: Buffer;
}

/** A file as evidence states it. */
export const evidenceFile = sql`jsonb_build_object('name', coalesce(files.path, files.name), 'size', files.size_bytes,
  'sha256', encode(files.sha256, 'hex'))`;
