import { type RawBuilder, sql } from 'kysely';
import type {
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditPosition,
  AuditStore,
  FullAuditEntry,
} from '../../domain/audit/audit-store.ts';
import { bindStatements, type Database } from './database.ts';
import { purgeUnheld } from './purge.ts';

/** The drop that an entry is about: itself, or one of its files or messages. */
const dropOfEntry = sql`coalesce((old.details ->> 'dropId')::uuid,
  (select drop_id from files where account_id = old.account_id and id = (old.details ->> 'fileId')::uuid),
  (select drop_id from messages where account_id = old.account_id and id = (old.details ->> 'messageId')::uuid))`;

const order = sql`epoch, transaction_id, sequence`;
/** The upper bound for those who follow: an entry that a running transaction wrote, or may still write, is not below this. */
const below = sql`((select epoch from event_log), pg_snapshot_xmin(pg_current_snapshot()), 0)`;
const position = sql`json_build_object('epoch', epoch, 'transactionId', transaction_id::text, 'sequence', sequence)`;
const fullEntry = sql`${position} as position, id, at,
  to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '/' || sequence as cursor, account_id as "accountId",
  (select email from accounts where accounts.id = audit_entries.account_id) as account,
  json_build_object('kind', author_kind, 'id', author_id, 'name', author_name, 'address', author_address) as author,
  action, coalesce(addresses, '{}') as addresses, details, before, after`;

export function auditStore(db: Database): AuditStore {
  const { readRows } = bindStatements(db);
  return {
    async append(accountId, { id, author, action, addresses, details, before, after }) {
      const emails = addresses && addresses.length > 0 ? [...addresses] : null;
      await sql`
        insert into audit_entries (epoch, account_id, id, author_kind, author_id, author_name, author_address, action,
          addresses, details, before, after)
        values ((select epoch from event_log), ${accountId}, ${id}, ${author.kind}, ${author.id}, ${author.name},
          ${author.address ?? ''}, ${action}, ${emails}::text[], ${JSON.stringify(details)}::jsonb,
          ${toJson(before)}::jsonb, ${toJson(after)}::jsonb)
      `.execute(db);
    },

    ofDrop: (accountId, dropId, count) => readRows<AuditEntry>`
        select at, action, details,
          json_build_object('kind', author_kind, 'id', author_id, 'name', author_name) as author,
          (select nullif(name, '') from people
            where id = case author_kind when 'person' then author_id::uuid end) as "personName"
        from audit_entries where account_id = ${accountId} and details ->> 'dropId' = ${dropId}
          and right(details ->> 'dropId', 10) = right(${dropId}::text, 10) and author_kind <> 'link'
        order by at desc limit ${sql.lit(count)}
      `,

    search: (filter, page) => readRows<FullAuditEntry>`
        select ${fullEntry} from ${findEntries(filter, page)} as audit_entries ${sortPage(page)}
      `,

    async follow(after, count) {
      const { epoch, transactionId, sequence } = after ?? { epoch: 0, transactionId: '0', sequence: 0 };
      const { rows } = await sql<FullAuditEntry>`
        select ${fullEntry} from audit_entries
        where (${order}) > (${epoch}::bigint, ${transactionId}::xid8, ${sequence}::bigint) and (${order}) < ${below}
        order by ${order} limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },

    async end() {
      const { rows } = await sql<{ position: AuditPosition }>`
        select ${position} as position from audit_entries where (${order}) < ${below}
        order by epoch desc, transaction_id desc, sequence desc limit 1
      `.execute(db);
      return rows[0]?.position;
    },

    purge: (olderThanSeconds, count, after) =>
      purgeUnheld(
        db,
        {
          table: 'audit_entries',
          key: ['epoch', 'transaction_id', 'sequence'],
          at: 'at',
          tie: ['sequence', 'bigint'],
          dropId: dropOfEntry,
        },
        olderThanSeconds,
        count,
        after,
      ),
  };
}

function toJson(values: Readonly<Record<string, unknown>> | undefined): string | null {
  return values ? JSON.stringify(values) : null;
}

/**
 * Up to a page of entries from each of the values that an index leads to, so that no more than that is ever sorted. The
 * actions, of which there are few, are in the text of the statement: for one that it does not know, PostgreSQL would expect
 * an average number of entries, and read the whole audit by time if it has none.
 */
function findEntries(filter: AuditFilter, page: AuditPage): RawBuilder<unknown> {
  const { mailAddress } = filter;
  const several = chooseSeveral(filter);
  // PostgreSQL expects so many entries about any address that it would rather read the whole audit by time. With `offset`,
  // it finds them by their own index first.
  const from =
    mailAddress === undefined
      ? sql`audit_entries`
      : sql`(select * from audit_entries where addresses @> array[${mailAddress}] and addresses is not null offset 0) as about`;
  const find = (condition: RawBuilder<unknown>) => sql`(select * from ${from} where ${condition} ${sortPage(page)})`;
  if (!several) return find(satisfies(filter, page));
  const { column, values, rest } = several;
  const parts = values.map((value) =>
    find(sql`${sql.ref(column)} = ${column === 'action' ? sql.lit(value) : value} and ${satisfies(rest, page)}`),
  );
  return sql`(${sql.join(parts, sql` union all `)})`;
}

/** The values to search one after the other, unless another condition leads to fewer entries. */
function chooseSeveral(
  filter: AuditFilter,
): { column: string; values: readonly string[]; rest: AuditFilter } | undefined {
  const { authorIds, actions, accountId, ...others } = filter;
  if (others.dropIdEnd !== undefined || others.mailAddress !== undefined || others.networkAddress !== undefined)
    return undefined;
  if (authorIds) return { column: 'author_id', values: authorIds, rest: { ...others, actions, accountId } };
  return actions && accountId === undefined ? { column: 'action', values: actions, rest: others } : undefined;
}

function satisfies(
  filter: Omit<AuditFilter, 'mailAddress'>,
  { order: direction, after }: AuditPage,
): RawBuilder<unknown> {
  const { accountId, authorIds, dropIdEnd, networkAddress, actions, since, until } = filter;
  const [at, sequence] = after?.split('/') ?? [];
  const isAfter = direction === 'newest first' ? sql`<` : sql`>`;
  const conditions = [
    accountId !== undefined && sql`account_id = ${accountId}::uuid`,
    authorIds && sql`author_id = any (${[...authorIds]}::text[])`,
    dropIdEnd !== undefined &&
      sql`right(details ->> 'dropId', 10) = ${dropIdEnd} and (details ->> 'dropId') is not null`,
    networkAddress !== undefined && sql`author_address = ${networkAddress} and author_address <> ''`,
    actions && sql`action = any (${[...actions]}::text[])`,
    since && sql`at >= ${since}`,
    until && sql`at < ${until}`,
    at !== undefined && sql`(at, sequence) ${isAfter} (${at}::timestamptz, ${sequence}::bigint)`,
  ].filter((condition) => typeof condition === 'object');
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

function sortPage({ order: direction, count }: AuditPage): RawBuilder<unknown> {
  const by = direction === 'newest first' ? sql`at desc, sequence desc` : sql`at, sequence`;
  return sql`order by ${by} limit ${sql.lit(count)}`;
}
