import { sql } from 'kysely';

/** A file as evidence states it. */
export const evidenceFile = sql`jsonb_build_object('name', coalesce(files.path, files.name), 'size', files.size_bytes,
  'sha256', encode(files.sha256, 'hex'))`;
