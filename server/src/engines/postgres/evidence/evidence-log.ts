import { sql } from 'kysely';
import { serverAccountId } from '../../../domain/audit/record.ts';
import type {
  EvidenceLogStore,
  Log,
  LogCondition,
  LogKey,
  LogTimeStamp,
  LogTurn,
  PlacedEntry,
  WaitingEntry,
} from '../../../domain/evidence/log-store.ts';
import { bindStatements, type Database } from '../database.ts';
import { secondsFromNow } from '../time.ts';

/** How far waiting entries are counted, so that counting costs the same however many there are. */
const countedUpTo = 10_000;

/** Waiting entries are read up to this size, because one with the names of many files may have a megabyte. */
const waitingBytes = 8 * 1024 ** 2;

const logColumns = sql`
  epoch, origin, size, signed_checkpoint as "signedCheckpoint", checkpoint, published_size as "publishedSize",
  published_at as "publishedAt", cosigned_checkpoint as "cosignedCheckpoint", cosigned_at as "cosignedAt",
  stamped_size as "stampedSize", started_at as "startedAt", ended_at as "endedAt", refusal`;
const keyColumns = sql`
  epoch, key_id as "keyId", algorithm, public_key as "publicKey", wrapped_key as wrapped, key_version as version,
  created_at as "createdAt", retired_at as "retiredAt"`;

const destroyed = sql`wrapped_key = null, key_version = null`;

/** Microseconds since 1970, so that no turn has the fence of another, also not of one that a failover has lost. */
const nextFence = sql`greatest(fence + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)`;

/** The log of a turn that is not over. */
const isTurnOf = ({ epoch, fence }: LogTurn) => sql`epoch = ${epoch} and fence = ${fence} and ended_at is null`;

/** The size in a checkpoint, which is its second line. */
export const readSize = (note: ReturnType<typeof sql>) => sql`coalesce(split_part(${note}, chr(10), 2)::bigint, 0)`;

/** The first entry of an epoch belongs to it, and nothing is left to prove of one that was erased. */
const isProvable = sql`entry.leaf_index > 0 and entry.salt is not null`;

/** The highest number in a story. Each form of a story is found by its own range of the index. */
const lastNumber = sql`
  case
    when story.position is not null then (select max(number) from evidence_entries as last
      where last.account_id = story.account_id and last.drop_id = story.drop_id and last.position = story.position)
    when story.drop_id is not null then (select max(number) from evidence_entries as last
      where last.account_id = story.account_id and last.drop_id = story.drop_id and last.position is null)
    else (select max(number) from evidence_entries as last
      where last.account_id = story.account_id and last.drop_id is null and last.position is null)
  end`;

export function evidenceLogStore(db: Database): EvidenceLogStore {
  const { changeOne, readRow, readRows, run } = bindStatements(db);
  /** Changes the log of a turn, if the condition is met. False when the turn is over. */
  const change = async (turn: LogTurn, values: ReturnType<typeof sql>, condition = sql`true`) => {
    const { numAffectedRows } = await sql`
      update evidence_logs set ${values} where ${isTurnOf(turn)} and ${condition}
    `.execute(db);
    return numAffectedRows === 1n;
  };

  const addKey: EvidenceLogStore['addKey'] = async (epoch, { keyId, algorithm, publicKey, wrapped, version }) => {
    await db
      .insertInto('evidence_keys')
      .values({ epoch, key_id: keyId, algorithm, public_key: publicKey, wrapped_key: wrapped, key_version: version })
      .execute();
  };

  return {
    list: () => readRows<Log>`select ${logColumns} from evidence_logs order by epoch`,

    find: (epoch) => readRow<Log>`select ${logColumns} from evidence_logs where epoch = ${epoch}`,

    listKeys: (epoch) => readRows<LogKey>`
        select ${keyColumns} from evidence_keys ${epoch === undefined ? sql`` : sql`where epoch = ${epoch}`}
        order by epoch, created_at, algorithm
      `,

    async readCondition() {
      const { rows } = await sql<LogCondition>`
        with log as (select * from evidence_logs where ended_at is null),
        waiting as (
          (select at, false as "isStranded" from evidence_entries where leaf_index is null
            order by sequence limit ${sql.lit(countedUpTo)})
          union all
          (select at, ended_at is not null from evidence_logs as any_log cross join lateral (
            select at from evidence_entries as entry
            where entry.epoch = any_log.epoch and entry.leaf_index >= any_log.published_size
              and (any_log.ended_at is null or ${isProvable})
            order by entry.leaf_index limit ${sql.lit(countedUpTo)}) as unpublished)
        )
        select least((select count(*) from waiting), ${sql.lit(countedUpTo)}) as waiting,
          least((select count(*) from waiting where "isStranded"), ${sql.lit(countedUpTo)}) as stranded,
          coalesce((select extract(epoch from now() - min(at)) from waiting), 0)::float8 as "lagSeconds",
          (select extract(epoch from now() - published_at)::float8 from log) as "checkpointSeconds",
          (select extract(epoch from now() - max(cosigned_at))::float8 from evidence_logs) as "cosignedSeconds",
          coalesce((select max(extract(epoch from now() - at)) from evidence_logs as stamped cross join lateral (
            select at from evidence_entries as entry
            where entry.epoch = stamped.epoch and entry.leaf_index >= stamped.stamped_size
              and stamped.stamped_size < stamped.published_size
            order by entry.leaf_index limit 1) as unstamped), 0)::float8 as "unstampedSeconds",
          (select stamp_failure from evidence_logs where stamp_failure is not null order by epoch limit 1) as "stampFailure",
          (select refusal from log) as refusal
      `.execute(db);
      return rows[0] as LogCondition;
    },

    async take(leaseSeconds) {
      const { rows } = await sql<Log & { fence: number }>`
        update evidence_logs set fence = ${nextFence}, lease_until = ${secondsFromNow(leaseSeconds)}
        where ended_at is null and (lease_until is null or lease_until < now())
        returning ${logColumns}, fence
      `.execute(db);
      const [taken] = rows;
      if (!taken) return undefined;
      const { fence, ...log } = taken;
      return { turn: { epoch: log.epoch, fence }, log };
    },

    renew: (turn, leaseSeconds) => readRow<Log>`
        update evidence_logs set lease_until = ${secondsFromNow(leaseSeconds)} where ${isTurnOf(turn)} returning ${logColumns}
      `,

    async release(turn) {
      await change(turn, sql`lease_until = null`);
    },

    async seize(leaseSeconds) {
      const { rows } = await sql<Log & { fence: number; heldSeconds: number }>`
        with held as (select epoch as held_epoch, lease_until as held_until from evidence_logs where ended_at is null for update)
        update evidence_logs set fence = ${nextFence}, lease_until = greatest(lease_until, now()) + make_interval(secs => ${leaseSeconds})
        from held where epoch = held_epoch
        returning ${logColumns}, fence,
          coalesce(greatest(extract(epoch from held_until - now()), 0), 0)::float8 as "heldSeconds"
      `.execute(db);
      const [taken] = rows;
      if (!taken) return undefined;
      const { fence, heldSeconds, ...log } = taken;
      return { turn: { epoch: log.epoch, fence }, log, heldSeconds };
    },

    waiting: (count) => readRows<WaitingEntry>`
        with waiting as materialized (
          select *, dense_rank() over (order by account_id, drop_id, position) as story from (
            select *, sum(pg_column_size(data)) over (order by sequence) - pg_column_size(data) as bytes_before from (
              select account_id, id, sequence, at, kind, drop_id, position, data, salt from evidence_entries
              where leaf_index is null order by sequence limit ${sql.lit(count)}) as oldest) as counted
          where bytes_before <= ${sql.lit(waitingBytes)}
        ), stories as materialized (
          select story.story, coalesce(${lastNumber}, -1) + 1 as next
          from (select distinct story, account_id, drop_id, position from waiting) as story
        )
        select account_id as "accountId", id, at, kind, drop_id as "dropId", position, data, salt,
          (next + row_number() over (partition by story order by sequence) - 1)::integer as number
        from waiting join stories using (story)
        order by sequence
      `,

    async assign(turn, size, entries) {
      const log = await sql`
        update evidence_logs set size = size + ${entries.length} where ${isTurnOf(turn)} and size = ${size}
      `.execute(db);
      if (log.numAffectedRows !== 1n) return false;
      const { numAffectedRows = 0n } = await sql`
        update evidence_entries as entry
        set epoch = ${turn.epoch}, leaf_index = ${size} + place - 1, number = new.number, commitment = new.commitment
        from unnest(${entries.map(({ accountId }) => accountId)}::uuid[], ${entries.map(({ id }) => id)}::uuid[],
          ${entries.map(({ number }) => number)}::integer[],
          ${entries.map(({ commitment }) => Buffer.from(commitment))}::bytea[])
          with ordinality as new (account_id, id, number, commitment, place)
        where entry.account_id = new.account_id and entry.id = new.id and entry.leaf_index is null
      `.execute(db);
      return Number(numAffectedRows) === entries.length;
    },

    placed: (epoch, from, count) => readRows<PlacedEntry>`
        select account_id as "accountId", id, leaf_index as "leafIndex", commitment from evidence_entries
        where epoch = ${epoch} and leaf_index >= ${from} order by leaf_index limit ${sql.lit(count)}
      `,

    // A statement whose connection was lost may arrive after later ones of the same turn. A failover may have lost places
    // that were read before it, and changes no fence.
    sign: (turn, size, note) =>
      change(
        turn,
        sql`signed_checkpoint = ${note}`,
        sql`size >= ${size} and ${readSize(sql`signed_checkpoint`)} <= ${size}`,
      ),

    publish: (turn, size, note, epoch = turn.epoch) => changeOne`
        update evidence_logs set checkpoint = ${note}, published_size = ${size}, published_at = now(), refusal = null
        where epoch = ${epoch} and size >= ${size} and published_size <= ${size}
          and exists (select from evidence_logs where ${isTurnOf(turn)} for update)
      `,

    cosign: (epoch, size, note) => changeOne`
        update evidence_logs set cosigned_checkpoint = ${note}, cosigned_at = now()
        where epoch = ${epoch} and published_size >= ${size}
          and ${readSize(sql`cosigned_checkpoint`)} <= ${size}
      `,

    async takeStampTurn(everySeconds) {
      const { rows } = await sql<Log & { failures: number }>`
        update evidence_logs set stamp_due_at = ${secondsFromNow(everySeconds)}
        where epoch = (select min(epoch) from evidence_logs where published_size > stamped_size)
          and (stamp_due_at is null or stamp_due_at <= now())
        returning ${logColumns}, stamp_failures as failures
      `.execute(db);
      const [taken] = rows;
      if (!taken) return undefined;
      const { failures, ...log } = taken;
      return { log, failures };
    },

    addTimeStamp: (epoch, { size, root, token }) => run`
        with added as (
          insert into evidence_time_stamps (epoch, size, root, token) values (${epoch}, ${size}, ${root}, ${token})
          on conflict do nothing)
        update evidence_logs set stamped_size = greatest(stamped_size, ${size}), stamp_failures = 0, stamp_failure = null
        where epoch = ${epoch}
      `,

    recordStampFailure: (epoch, failure, retrySeconds) => run`
        update evidence_logs set stamp_failures = stamp_failures + 1, stamp_failure = ${failure},
          stamp_due_at = ${secondsFromNow(retrySeconds)}
        where epoch = ${epoch}
      `,

    findTimeStamp: ({ epoch, leafIndex }, maxSize) => readRow<LogTimeStamp>`
        select size, root, token from evidence_time_stamps
        where epoch = ${epoch} and size > ${leafIndex} and size <= ${maxSize} order by size limit 1
      `,

    async setRefusal(turn, refusal) {
      await change(turn, sql`refusal = ${refusal}`);
    },

    async start({ epoch, origin, after }, first, keys) {
      if (after && !(await change(after, sql`ended_at = now(), lease_until = null`))) return false;
      const { numAffectedRows } = await sql`
        insert into evidence_logs (epoch, origin, size) select ${epoch}, ${origin}, 1
        where (select max(epoch) from evidence_logs) is not distinct from ${after?.epoch ?? null}::integer
        on conflict do nothing
      `.execute(db);
      if (numAffectedRows !== 1n) return false;
      await db
        .insertInto('evidence_entries')
        .values({
          account_id: serverAccountId,
          id: first.id,
          at: first.at,
          kind: 'log.started',
          data: JSON.stringify(first.data),
          salt: first.salt,
          number: first.number,
          epoch,
          leaf_index: 0,
          commitment: first.commitment,
        })
        .execute();
      await sql`update evidence_keys set ${destroyed} where wrapped_key is not null`.execute(db);
      for (const key of keys) await addKey(epoch, key);
      return true;
    },

    async nextNumber() {
      const { rows } = await sql<{ next: number }>`
        select coalesce(max(number), -1) + 1 as next from evidence_entries
        where account_id = ${serverAccountId} and drop_id is null and position is null
      `.execute(db);
      return rows[0]?.next ?? 0;
    },

    async unassign(turn, epoch, entries) {
      const { rows } = await sql<{ unassigned: number }>`
        with held as materialized (select epoch from evidence_logs where ${isTurnOf(turn)} for update),
        unassigned as (
          update evidence_entries as entry set epoch = null, leaf_index = null, number = null, commitment = null
          from held, unnest(${entries.map(({ accountId }) => accountId)}::uuid[], ${entries.map(({ id }) => id)}::uuid[])
            as listed (account_id, id)
          where entry.account_id = listed.account_id and entry.id = listed.id and entry.epoch = ${epoch}
            and entry.salt is not null
          returning entry.id)
        select (select count(*) from unassigned)::integer as unassigned from held
      `.execute(db);
      return rows[0]?.unassigned;
    },

    async lockKeys(epoch) {
      const { rows } = await sql`
        select from evidence_logs where epoch = ${epoch} and ended_at is null for no key update
      `.execute(db);
      return rows.length === 1;
    },

    addKey,

    retireKey: (epoch, keyId) => changeOne`
        update evidence_keys set retired_at = now(), ${destroyed}
        where epoch = ${epoch} and key_id = ${keyId} and retired_at is null
      `,

    replaceKey: ({ epoch, keyId, wrapped }, by) => changeOne`
        update evidence_keys set wrapped_key = ${by.wrapped}, key_version = ${by.version}
        where epoch = ${epoch} and key_id = ${keyId} and wrapped_key = ${wrapped}
      `,
  };
}
