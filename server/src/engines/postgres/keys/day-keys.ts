import { type RawBuilder, sql } from 'kysely';
import type { DayKey, DayKeyStore } from '../../../domain/keys/day-key-store.ts';
import type { Database } from '../database.ts';

/** Between the two, it is clear to everyone whether an announced object will be the key of its day. */
const choosable = sql`interval '5 minutes'`;
const leftOver = sql`interval '10 minutes'`;

export function dayKeyStore(db: Database): DayKeyStore {
  const keys = () =>
    db
      .selectFrom('day_keys')
      .select(['day', 'object_id as objectId', 'object_bytes as objectBytes', 'key_version as version']);

  return {
    async clock() {
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from now())::float8 as seconds
      `.execute(db);
      return (rows[0] as { seconds: number }).seconds;
    },

    find: (day) => keys().where('day', '=', day).executeTakeFirst(),

    list: () => keys().orderBy('day').execute(),

    async announce(objectId) {
      await db.insertInto('day_key_objects').values({ id: objectId }).execute();
    },

    async choose({ day, objectId, objectBytes, version }: DayKey, insteadOf) {
      const { numAffectedRows = 0n } = await sql`
        insert into day_keys (day, object_id, object_bytes, key_version)
        select ${day}, id, ${objectBytes}, ${version} from day_key_objects
        where id = ${objectId} and created_at > now() - ${choosable}
        on conflict (day) do update
          set object_id = excluded.object_id, object_bytes = excluded.object_bytes, key_version = excluded.key_version
          where day_keys.object_id = ${insteadOf?.objectId ?? null}
      `.execute(db);
      return numAffectedRows === 1n;
    },

    async remove({ day, objectId }) {
      await db.deleteFrom('day_keys').where('day', '=', day).where('object_id', '=', objectId).execute();
    },

    async drop(endedSeconds) {
      const isUsedBy = (owner: string, condition: RawBuilder<unknown>) => sql`exists (
        select from ${sql.table(owner)} as owner where owner.key_day = day_keys.day and ${condition})`;
      const { numAffectedRows = 0n } = await sql`
        with dropped as (
          delete from day_keys
          where date '1970-01-01' + day + 1 <= (now() at time zone 'utc') - make_interval(secs => ${endedSeconds})
            and not ${isUsedBy('files', sql`state = 'ready'`)} and not ${isUsedBy('files', sql`state = 'held'`)}
            and not ${isUsedBy('uploads', sql`wrapped_key is not null`)}
            and not ${isUsedBy('drops', sql`link_key is not null`)}
          returning day, object_id
        )
        update day_key_objects set was_key_of = dropped.day from dropped where id = dropped.object_id
      `.execute(db);
      return Number(numAffectedRows);
    },

    async leftovers(count) {
      const { rows } = await sql<{ id: string }>`
        select id from day_key_objects
        where created_at < now() - ${leftOver} and not exists (select from day_keys where object_id = id)
        limit ${sql.lit(count)}
      `.execute(db);
      return rows.map(({ id }) => id);
    },

    async purge(objectIds) {
      const { rows } = await sql<{ id: string; day: number | null }>`
        delete from day_key_objects where id = any(${objectIds}::uuid[]) returning id, was_key_of as day
      `.execute(db);
      return rows;
    },
  };
}
