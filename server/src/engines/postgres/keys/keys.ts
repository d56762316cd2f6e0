import { type RawBuilder, sql } from 'kysely';
import type { DayKey, DayKeyStore, KeyOwner, OwnedKey, WrappedKeyStore } from '../../../domain/keys/key-store.ts';
import { bindStatements, type Database } from '../database.ts';

/** Between the two, it is clear to everyone whether an announced object will be the key of its day. */
const choosable = sql`interval '5 minutes'`;
const leftOver = sql`interval '10 minutes'`;

export function dayKeyStore(db: Database): DayKeyStore {
  const { readRows } = bindStatements(db);
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

    purge: (objectIds) => readRows<{ id: string; day: number | null }>`
        delete from day_key_objects where id = any(${objectIds}::uuid[]) returning id, was_key_of as day
      `,
  };
}

const columns: Record<KeyOwner, string> = { files: 'wrapped_key', uploads: 'wrapped_key', drops: 'link_key' };

/** Until the deadline of the drop, if there is one and it is not over. */
const secondsLeft = (owner: KeyOwner): RawBuilder<number | null> => {
  if (owner === 'uploads') return sql`null`;
  const left = sql`extract(epoch from drops.expires_at - now())::float8 from`;
  const isLive = sql`drops.ended_at is null and drops.expires_at > now()`;
  return owner === 'drops'
    ? sql`(select ${left} (select owner.ended_at, owner.expires_at) as drops where ${isLive})`
    : sql`(select ${left} drops where drops.account_id = owner.account_id and drops.id = owner.drop_id and ${isLive})`;
};

const keyColumns = (owner: KeyOwner) => sql`
  owner.account_id as "accountId", owner.id, owner.key_day as day, ${secondsLeft(owner)} as "secondsLeft"`;

export function wrappedKeyStore(db: Database): WrappedKeyStore {
  return {
    // Held files keep the key of their day, so that they can also be read from a backup that was made before.
    async overdue(owner, day, count, exceptDays) {
      const column = sql.ref(columns[owner]);
      const livesOn = {
        files: sql`owner.state = 'ready' and (owner.drop_id is null or ${secondsLeft('files')} is not null)`,
        uploads: sql`true`,
        drops: sql`${secondsLeft('drops')} is not null`,
      };
      const { rows } = await sql<OwnedKey>`
        select ${keyColumns(owner)}, owner.${column} as wrapped from ${sql.table(owner)} as owner
        where key_day < ${day} and owner.${column} is not null and ${livesOn[owner]}
          and key_day <> all(${exceptDays}::integer[])
        limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },

    async ofFiles(accountId, of) {
      const isOf =
        'draft' in of
          ? sql`owner.draft = ${of.draft} and owner.drop_id is null and owner.state = 'ready'`
          : 'files' in of
            ? sql`owner.id = any(${of.files}::uuid[]) and owner.drop_id is null and owner.state = 'ready'`
            : sql`owner.drop_id = ${of.dropId} and owner.state in ('ready', 'held')`;
      const { rows } = await sql<OwnedKey>`
        select ${keyColumns('files')}, wrapped_key as wrapped from files as owner
        where owner.account_id = ${accountId} and ${isOf}
      `.execute(db);
      return rows;
    },

    async replace(owner, keys) {
      const column = sql.ref(columns[owner]);
      const { numAffectedRows = 0n } = await sql`
        with replaced as materialized (
          select owner.account_id, owner.id, new.wrapped, new.day
          from unnest(${keys.map((key) => key.accountId)}::uuid[], ${keys.map((key) => key.id)}::uuid[],
            ${keys.map((key) => key.before)}::bytea[], ${keys.map((key) => key.wrapped)}::bytea[],
            ${keys.map((key) => key.day)}::integer[])
            as new (account_id, id, before, wrapped, day)
          join ${sql.table(owner)} as owner on owner.account_id = new.account_id and owner.id = new.id
          where owner.${column} = new.before
          for update of owner skip locked
        )
        update ${sql.table(owner)} as owner set ${column} = replaced.wrapped, key_day = replaced.day
        from replaced where owner.account_id = replaced.account_id and owner.id = replaced.id
      `.execute(db);
      return Number(numAffectedRows);
    },
  };
}
