import { type RawBuilder, sql } from 'kysely';
import {
  gatheredNews,
  gatheringSeconds,
  type NewsMessageKind,
  newsOfMessages,
  usualNews,
} from '../../domain/outbox/news.ts';
import type { ToldPerson } from '../../domain/outbox/outbox-store.ts';
import { shownName } from './accounts/account-columns.ts';
import type { Database } from './database.ts';
import type { Schedule } from './jobs/job-payload.ts';

/** For a query's `memberships`, `people` and `accounts`: the news that the person wants. */
export const wantedNews = sql<string[]>`coalesce(memberships.news, case when people.email = accounts.email
  then ${usualNews.own}::text[] else ${usualNews.shared}::text[] end)`;

/** For the same query: whether the person may know of the account at all. */
const isMember = sql`people.disabled_at is null and accounts.disabled_at is null and accounts.deleted_at is null`;

interface News {
  /** The account of the drop that it is about. */
  readonly accountId: string;
  readonly dropId: string;
  /** Null if it is about the drop as a whole. */
  readonly position: number | null;
  readonly kind: NewsMessageKind;
}

interface Reader {
  readonly toldAccountId: string;
  /** Null: the account's own address. */
  readonly toldPersonId: string | null;
  readonly email: string;
}

/** Writes the mails of news to the address of its account, and to the members of accounts who want such news. */
export async function writeNews(
  db: Database,
  alarm: (...schedule: Schedule) => RawBuilder<unknown>,
  news: News,
  toldAccountIds: readonly string[],
): Promise<void> {
  const isGathered = gatheredNews.has(newsOfMessages[news.kind]);
  const readers = [
    ...(await findMembers(db, news, toldAccountIds, isGathered)),
    ...(toldAccountIds.includes(news.accountId) ? await findOwnAddress(db, news.accountId) : []),
  ];
  if (readers.length === 0) return;
  // A separate statement: only a new snapshot is sure to show the mails that others wrote before the members were locked.
  await sql`
    with reader as (
      select * from jsonb_to_recordset(${JSON.stringify(readers)}::jsonb)
        as reader ("toldAccountId" uuid, "toldPersonId" uuid, email text)
    ), gathered as (
      update messages set more = more + 1 from reader
      where ${isGathered} and told_person_id = "toldPersonId" and told_account_id = "toldAccountId"
        and kind = ${news.kind} and state = 'waiting' and attempts = 0
      returning told_person_id, told_account_id
    ), enqueued as (
      insert into messages (account_id, drop_id, id, position, kind, channel, receiver, told_person_id, told_account_id,
        due_at)
      select ${news.accountId}, ${news.dropId}, gen_random_uuid(), coalesce(${news.position}::integer, (
          select position from links join accounts on accounts.id = "toldAccountId"
          where links.account_id = ${news.accountId} and links.drop_id = ${news.dropId} and links.email = accounts.email
        )), ${news.kind}::message_kind, 'mail', email, "toldPersonId",
        case when "toldPersonId" is null then null else "toldAccountId" end,
        case when ${isGathered} then greatest(now(), (
          select max(least(coalesce(settled_at, due_at), now())) + make_interval(secs => ${gatheringSeconds})
          from messages
          where told_person_id = "toldPersonId" and told_account_id = "toldAccountId" and kind = ${news.kind}
        )) else now() end
      from reader
      where not exists (
        select from gathered where told_person_id = "toldPersonId" and told_account_id = "toldAccountId")
      returning account_id, id, kind, due_at
    )
    select ${alarm(sql`due_at`)} from enqueued
  `.execute(db);
}

/**
 * The members who want the news. Of a shared account, that which somebody sent is news for whoever sent it. Another
 * account at whose address a drop arrives was sent the drop's own mail.
 */
async function findMembers(
  db: Database,
  { accountId, dropId, kind }: News,
  toldAccountIds: readonly string[],
  isGathered: boolean,
): Promise<Reader[]> {
  const ofOwnAccount = sql`people.email = accounts.email or ${newsOfMessages[kind]} = 'received' or people.id = (
    select sent_by from drops where drops.account_id = ${accountId} and drops.id = ${dropId})`;
  const { rows } = await sql<Reader>`
    select memberships.account_id as "toldAccountId", people.id as "toldPersonId", people.email
    from memberships
    -- One by one, however many people there are.
    join lateral (select * from people where id = memberships.person_id offset 0) as people on true
    join accounts on accounts.id = memberships.account_id
    where memberships.account_id = any(${toldAccountIds}::uuid[]) and ${isMember}
      and ${newsOfMessages[kind]} = any(${wantedNews})
      and case when accounts.id = ${accountId} then ${ofOwnAccount} else people.email <> accounts.email end
    order by memberships.account_id, people.id
    ${isGathered ? sql`for no key update of memberships` : sql``}
  `.execute(db);
  return rows;
}

/** The address of an account; none if it is that of a member, who decides about it. */
async function findOwnAddress(db: Database, accountId: string): Promise<Reader[]> {
  const { rows } = await sql<Reader>`
    select accounts.id as "toldAccountId", null as "toldPersonId", accounts.email from accounts
    where accounts.id = ${accountId} and not exists (
      select from memberships join people on people.id = memberships.person_id
      where memberships.account_id = accounts.id and people.email = accounts.email)
  `.execute(db);
  return rows;
}

/** The member whom a waiting message tells; undefined if they are none any more, or want no such news. */
export async function findToldPerson(
  db: Database,
  { personId, accountId, kind }: { personId: string; accountId: string | null; kind: NewsMessageKind },
): Promise<ToldPerson | undefined> {
  const { rows } = await sql<ToldPerson>`
    select people.language, people.time_zone as "timeZone", accounts.email as account, ${shownName} as "accountName",
      people.email <> accounts.email as "isShared"
    from memberships
    join people on people.id = memberships.person_id
    join accounts on accounts.id = memberships.account_id
    where memberships.person_id = ${personId} and memberships.account_id = ${accountId}
      and ${isMember} and ${newsOfMessages[kind]} = any(${wantedNews})
  `.execute(db);
  return rows[0];
}
