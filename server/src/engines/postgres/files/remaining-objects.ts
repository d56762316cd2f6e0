import { type RawBuilder, sql } from 'kysely';
import type { Deletion } from '../../../domain/files/file-store.ts';

/** The objects that are left to delete for each deletion, as a table `rest`, and the condition that nothing remains. */
export function remainingObjects(deletions: readonly Deletion[]): {
  rest: RawBuilder<unknown>;
  isDone: RawBuilder<boolean>;
} {
  return {
    rest: sql`jsonb_to_recordset(${JSON.stringify(deletions)}::jsonb)
      as rest ("accountId" uuid, id uuid, "chunkCount" integer, runs jsonb)`,
    isDone: sql<boolean>`(rest."chunkCount" = 0 and jsonb_array_length(rest.runs) <= 1)`,
  };
}
