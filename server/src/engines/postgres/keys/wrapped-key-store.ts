import { type RawBuilder, sql } from 'kysely';
import type { KeyOwner, OwnedKey, WrappedKeyStore } from '../../../domain/keys/wrapped-key-store.ts';
import type { Database } from '../database.ts';

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
