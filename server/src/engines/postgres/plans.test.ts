// Every statement of the store on tables that have grown: none reads a whole table, and none sorts a whole account.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fill } from '../../../../tools/grow/fill.ts';
import type { Link, LinkSession, Store } from '../../domain/ports/index.ts';
import { createTestDatabase, openTestPool, type TestDatabase } from '../../testing/database.ts';
import { openDatabase } from './database.ts';
import { postgresStore } from './store.ts';

const drops = 20_000;
/** With twenty accounts, each has about a thousand drops. */
const maxSortedRows = 500;
/** There are few rows in these here, and reading all of them is right. */
const small = new Set(['accounts', 'api_keys', 'global_contacts', 'global_contacts_version']);
/** Small like the tables: of a table of twenty thousand rows, a thousand are best found by reading all of it. */
const count = 20;
const batch = { owners: count, rows: count };

type Area = Exclude<keyof Store, 'sampleWrappedKeys' | 'transaction' | 'exclusively'>;
/** One call of every method: a new one does not compile until it is here. */
type Calls = { readonly [Name in Area]: { readonly [Method in keyof Store[Name]]: (store: Store[Name]) => unknown } };

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly PlanNode[];
}

let database: TestDatabase;
let statements: Map<string, Statement>;

beforeAll(async () => {
  database = await createTestDatabase();
  const id = randomUUID();
  await database.query("insert into accounts (id, email, number, type) values ($1, 'large@x.org', '1', 'api')", [id]);
  await fill(database.pool, { drops, largest: 'large@x.org' });
  await fillBesides();
  statements = await recordStatements(id);
}, 120_000);
afterAll(() => database[Symbol.asyncDispose]());

/** What `fill` leaves out. */
async function fillBesides(): Promise<void> {
  await database.query(`
    insert into deliveries (account_id, drop_id, position, file_id, delivered)
      select account_id, drop_id, 0, id, '{[0,1000)}' from files limit 20000;
    insert into link_sessions (digest, account_id, drop_id, position)
      select token_digest, account_id, drop_id, position from links limit 20000;
    insert into audit_entries (account_id, id, at, actor, action, details)
      select account_id, id, created_at, 'large@x.org', 'drop.created', '{}' from drops;
    insert into drafts (account_id, name, touched_at)
      select account_id, 'draft ' || id, created_at from drops;
    insert into uploads (account_id, id, draft, state, name, media_type, writer, key_version, due_at)
      select account_id, id, 'draft ' || id, 'given_up', 'x', 'text/plain', id, 1, created_at from drops;
    insert into idempotency_keys (account_id, key, request_digest, created_at)
      select account_id, id::text, '', created_at from drops;
    insert into contacts (account_id, email, position, number, language, groups, nick)
      select account_id, id || '@x.org', position, '', '', '{}', '' from (
        select account_id, id, row_number() over (partition by account_id) as position from drops) as numbered
      where position <= 100;
    insert into inbox_entries (account_id, id, sender_account_id, drop_id, created_at)
      select accounts.id, gen_random_uuid(), drops.account_id, drops.id, drops.created_at
      from drops, accounts where ended_at is null and accounts.id <> drops.account_id on conflict do nothing;
    update files set state = 'ready', drop_id = null, draft = 'draft ' || drop_id,
      wrapped_key = '' where id in (select id from files limit 2000);
    update messages set state = 'waiting' where id in (select id from messages limit 100);
    update messages set state = 'given_up' where id in (select id from messages where state = 'sent' limit 2000);
    update messages set kind = 'code', recipient = 'someone' || id || '@x.org'
      where id in (select id from messages where state = 'sent' limit 2000);
    analyze`);
}

async function recordStatements(accountId: string): Promise<Map<string, Statement>> {
  const calls = await everyCall(accountId);
  const asked = vi.spyOn(pg.Client.prototype, 'query');
  // Its connections are opened now, and so are those that are listened to.
  const pool = openTestPool(database.url);
  const store = postgresStore(openDatabase(pool));
  for (const [area, methods] of Object.entries(calls)) {
    for (const [name, call] of Object.entries(methods as Record<string, (store: unknown) => unknown>)) {
      const work = store.transaction(async (tx) => {
        await call(tx[area as Area]);
        throw new Error('rolled back');
      });
      await expect(work, `${area}.${name}`).rejects.toThrow('rolled back');
    }
  }
  await store.sampleWrappedKeys();
  await pool.end();
  const found = new Map<string, Statement>();
  for (const [query, values = []] of asked.mock.calls as unknown as [string | Statement, unknown[]?][]) {
    const statement = typeof query === 'string' ? { text: query, values } : query;
    if (/^\s*(?:select|insert|update|delete|with|\()/i.test(statement.text)) found.set(statement.text, statement);
  }
  asked.mockRestore();
  return found;
}

async function everyCall(accountId: string): Promise<Calls> {
  const [row] = await database.query<Link & { email: string; digest: Buffer }>(
    `select links.account_id as "accountId", links.drop_id as "dropId", links.position, links.email,
       links.token_digest as digest, drops.expires_at as "expiresAt"
     from links join drops on drops.account_id = links.account_id and drops.id = links.drop_id
     where links.account_id = $1 and drops.ended_at is null and drops.type = 'downloadfiles' limit 1`,
    [accountId],
  );
  if (!row) throw new Error('there is no link');
  const { dropId, email, digest } = row;
  const link = row as Link;
  const [file] = await database.query<{ id: string }>('select id from files where drop_id = $1', [dropId]);
  const fileId = file?.id as string;
  const session: LinkSession = { link, digest, passed: false, code: undefined };
  const writer = { accountId, id: randomUUID(), writer: randomUUID() };
  const attempt = { id: randomUUID(), attempts: 1 };
  const upload = { name: 'x', mediaType: 'x', sizeBytes: 1, wrappedKey: digest, keyVersion: 1, chunkCount: 1 };
  const complete = { sizeBytes: 1, sha256: digest, scan: 'clean', runs: [], chunkCount: 1 } as const;
  const after = { createdAt: '2026-01-01T00:00:00Z', id: randomUUID() };
  const contact = { email: 'new@x.org', number: '', language: '', groups: [], nick: '' };
  const deletion = { accountId, id: randomUUID(), chunkCount: 0, runs: [] };
  const day = 86_400;
  return {
    accounts: {
      credentials: (accounts) => accounts.credentials('large@x.org'),
      byEmail: (accounts) => accounts.byEmail('large@x.org'),
      byId: (accounts) => accounts.byId(accountId),
      page: (accounts) => accounts.page('a', count),
      insert: (accounts) =>
        accounts.insert({ id: randomUUID(), email: 'n@x.org', number: '', type: 'api', language: '' }),
      setDisabled: (accounts) => accounts.setDisabled(accountId, true),
      setChoices: (accounts) => accounts.setChoices(accountId, { receipts: false }),
      lock: (accounts) => accounts.lock(accountId),
      keys: (accounts) => accounts.keys(accountId),
      insertKey: (accounts) => accounts.insertKey(accountId, { id: randomUUID(), hint: '', digest }),
      revokeKey: (accounts) => accounts.revokeKey(accountId, randomUUID()),
      idsOf: (accounts) => accounts.idsOf(['large@x.org']),
    },
    contacts: {
      read: (contacts) => contacts.read(accountId),
      version: (contacts) => contacts.version(accountId),
      known: (contacts) => contacts.known(accountId, ['new@x.org']),
      find: (contacts) => contacts.find(accountId, ['new@x.org']),
      replace: (contacts) => contacts.replace(accountId, [contact]),
      readGlobal: (contacts) => contacts.readGlobal(),
      replaceGlobal: (contacts) => contacts.replaceGlobal([contact]),
    },
    drafts: {
      lock: (drafts) => drafts.lock(accountId, 'new'),
      setReceivers: (drafts) => drafts.setReceivers(accountId, 'new', []),
      openList: (drafts) => drafts.openList(accountId, 'new'),
      consume: (drafts) => drafts.consume(accountId, 'new', { digest, type: 'downloadfiles', remembered: 2 }),
      dropStale: (drafts) => drafts.dropStale(300 * day, batch),
    },
    files: {
      staged: (files) => files.staged(accountId, 'new'),
      countStaged: (files) => files.countStaged(accountId, 'new'),
      removeStaged: (files) => files.removeStaged(accountId, 'new', 'x'),
      moveToDrop: (files) => files.moveToDrop(accountId, 'new', dropId),
      inInbox: (files) => files.inInbox(accountId, randomUUID(), 'x'),
      takeDeletions: (files) => files.takeDeletions(count, 60),
      settleDeletions: (files) => files.settleDeletions([deletion]),
    },
    drops: {
      insert: (store) =>
        store.insert(accountId, {
          id: randomUUID(),
          type: 'downloadfiles',
          message: '',
          ttl: 1,
          ttlSeconds: day,
          receiverCount: 1,
          fileCount: 1,
          linkKey: null,
          keyVersion: 1,
          reminderSeconds: null,
          from: null,
        }),
      insertLinks: (store) =>
        store.insertLinks(accountId, dropId, [{ position: 9, receiver: contact, tokenDigest: randomBytes(32) }]),
      insertInboxEntry: (store) =>
        store.insertInboxEntry(accountId, { id: randomUUID(), senderAccountId: accountId, dropId }),
      claimIdempotencyKey: async (store) => {
        await store.claimIdempotencyKey(accountId, 'key', digest);
        await store.claimIdempotencyKey(accountId, 'key', digest);
      },
      page: async (store) => [await store.page(accountId, undefined, count), await store.page(accountId, after, count)],
      receivers: (store) => store.receivers(accountId, [dropId]),
      files: (store) => store.files(accountId, [dropId]),
      countLive: (store) => store.countLive(accountId),
      inboxPage: async (store) => [
        await store.inboxPage(accountId, undefined, count),
        await store.inboxPage(accountId, after, count),
      ],
      endExpired: (store) => store.endExpired(count),
      revoke: (store) => store.revoke(accountId, dropId),
      empty: async (store) => [await store.empty(batch), await store.empty(batch, { accountId, dropId })],
      forget: (store) => store.forget(300 * day, batch),
      forgetIdempotencyKeys: (store) => store.forgetIdempotencyKeys(300 * day, count),
      deliveryStates: (store) => store.deliveryStates(accountId, dropId, -1, count),
    },
    links: {
      byToken: (links) => links.byToken(digest),
      bySession: (links) => links.bySession(digest),
      ofReceiver: (links) => links.ofReceiver(accountId, dropId, email),
      open: (links) => links.open(link, randomBytes(32), day, 10),
      close: (links) => links.close(digest),
      key: (links) => links.key(link),
      lock: (links) => links.lock(link),
      holdLive: (links) => links.holdLive(link),
      endings: (links) => links.endings([{ accountId, dropId }]),
      codesSent: (links) => links.codesSent(link, 3600),
      setCode: (links) => links.setCode(digest, randomUUID(), 600),
      tryCode: (links) => links.tryCode(digest, 5),
      pass: (links) => links.pass(session, randomUUID()),
      forgetSessions: (links) => links.forgetSessions(count),
      files: async (links) => [await links.files(link), await links.files(link, fileId)],
      deliver: (links) => links.deliver(link, { id: fileId, sizeBytes: 1000 }, { start: 0, end: 1000 }),
    },
    uploads: {
      begin: (uploads) => uploads.begin(writer, { ...upload, draft: 'new' }, 60),
      takeOver: (uploads) => uploads.takeOver(writer, 'new', 60),
      renew: (uploads) => uploads.renew([writer], 60),
      claim: (uploads) => uploads.claim(writer, 1),
      beginRun: (uploads) => uploads.beginRun(writer, [], 1),
      commit: (uploads) => uploads.commit(writer, 1),
      requestCheck: (uploads) => uploads.requestCheck(writer),
      complete: (uploads) => uploads.complete(writer, complete),
      giveUp: (uploads) => uploads.giveUp(writer),
      expire: (uploads) => uploads.expire(count),
      desk: (uploads) => uploads.desk(accountId, 'new'),
      bytesThrough: (uploads) => uploads.bytesThrough(link, 'new'),
      remove: (uploads) => uploads.remove(accountId, 'new', writer.id),
      takeForCheck: (uploads) => uploads.takeForCheck(accountId, writer.id, 60),
      holdForCheck: (uploads) => uploads.holdForCheck(accountId, writer.id, 60),
      retryCheck: (uploads) => uploads.retryCheck(accountId, writer.id, { checks: 1, pauseSeconds: 1 }),
      accept: (uploads) => uploads.accept(accountId, writer.id, complete),
      refuse: (uploads) => uploads.refuse(accountId, writer.id, 'infected'),
      wakeOverdue: (uploads) => uploads.wakeOverdue(30, count),
      takeDeletions: (uploads) => uploads.takeDeletions(count, 60),
      settleDeletions: (uploads) => uploads.settleDeletions([deletion]),
    },
    outbox: {
      invite: (outbox) => outbox.invite(accountId, dropId, [{ id: randomUUID(), position: 0 }]),
      enqueue: (outbox) =>
        outbox.enqueue(accountId, {
          id: randomUUID(),
          kind: 'code',
          channel: 'mail',
          dropId,
          position: 0,
          recipient: 'r@x.org',
        }),
      remind: (outbox) => outbox.remind(10),
      take: (outbox) => outbox.take(accountId, attempt.id, 60),
      hold: (outbox) => outbox.hold(accountId, attempt, 60),
      settle: (outbox) => outbox.settle(accountId, attempt.id, 'sent', ''),
      retry: (outbox) => outbox.retry(accountId, attempt, '', 60),
      postpone: (outbox) => outbox.postpone(accountId, attempt, '', 60),
      codesTo: (outbox) => outbox.codesTo('r@x.org', 3600),
      wakeOverdue: (outbox) => outbox.wakeOverdue(30, count),
      page: async (outbox) => {
        for (const state of ['waiting', 'given_up'] as const) {
          await outbox.page(state, undefined, count);
          await outbox.page(state, { at: after.createdAt, id: after.id }, count);
        }
      },
      revive: (outbox) => outbox.revive(accountId, attempt.id),
      reviveAll: async (outbox) => {
        await outbox.reviveAll({ since: undefined, reason: undefined, until: undefined }, count);
        await outbox.reviveAll({ since: new Date(0), reason: 'x', until: after.createdAt }, count);
      },
    },
    audit: {
      append: (audit) => audit.append(accountId, { id: randomUUID(), actor: '', action: '', details: {} }),
      forget: (audit) => audit.forget(300 * day, count),
    },
  };
}

test('no statement reads a whole table or sorts a whole account', { timeout: 60_000 }, async () => {
  expect(statements.size).toBeGreaterThan(80);
  const found: string[] = [];
  for (const statement of statements.values()) {
    const text = statement.text.replaceAll(/\s+/g, ' ').trim();
    for (const problem of problemsOf(await genericPlan(statement))) found.push(`${problem}: ${text}`);
  }
  expect(found).toEqual([]);
});

function problemsOf(node: PlanNode): string[] {
  const type = node['Node Type'];
  const relation = node['Relation Name'];
  const rows = node['Plan Rows'];
  return [
    ...(type === 'Seq Scan' && relation && !small.has(relation) ? [`reads all of ${relation}`] : []),
    ...(type === 'Sort' && rows > maxSortedRows ? [`sorts ${rows} rows`] : []),
    ...(node.Plans ?? []).flatMap(problemsOf),
  ];
}

/** The plan that serves all parameters: the one a prepared statement ends up with. */
async function genericPlan({ text, values }: Statement): Promise<PlanNode> {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query('set local plan_cache_mode = force_generic_plan');
    await client.query(`prepare statement as ${text}`);
    const parameters = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (format json) execute statement${parameters}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('PostgreSQL explained nothing');
    return plan;
  } finally {
    await client.query('rollback');
    await client.query('deallocate all');
    client.release();
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (Array.isArray(value)) {
    const elements = value.map((element) => (Buffer.isBuffer(element) ? `\\x${element.toString('hex')}` : element));
    return pg.escapeLiteral(`{${elements.map((element) => JSON.stringify(String(element))).join(',')}}`);
  }
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}
