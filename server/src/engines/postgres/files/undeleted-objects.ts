import { sql } from 'kysely';
import type { UndeletedObjectStore } from '../../../domain/files/undeleted-object-store.ts';
import type { Database } from '../database.ts';
import { secondsFromNow } from '../time.ts';

export function undeletedObjectStore(db: Database): UndeletedObjectStore {
  return {
    async record(keys) {
      await sql`
        insert into undeleted_objects as object (key, due_at)
        select unnest(${keys}::text[]), now() + interval '1 minute'
        on conflict (key) do update set attempts = object.attempts + 1,
          due_at = now() + least(interval '1 minute' * power(2, least(object.attempts, 20)), interval '1 day')
      `.execute(db);
    },

    async takeDue(count, leaseSeconds) {
      const { rows } = await sql<{ key: string }>`
        with due as (
          select key from undeleted_objects where due_at <= now()
          order by due_at limit ${sql.lit(count)} for update skip locked
        )
        update undeleted_objects as object set due_at = ${secondsFromNow(leaseSeconds)} from due
        where object.key = due.key returning object.key
      `.execute(db);
      return rows.map(({ key }) => key);
    },

    async purge(keys) {
      await sql`delete from undeleted_objects where key = any(${keys}::text[])`.execute(db);
    },

    async list(after, count) {
      const { rows } = await sql<Awaited<ReturnType<UndeletedObjectStore['list']>>[number]>`
        select key, attempts, first_failed_at as "firstFailedAt" from undeleted_objects
        where key > ${after ?? ''} order by key limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },
  };
}
