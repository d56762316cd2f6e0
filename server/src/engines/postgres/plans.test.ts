// Runs every statement of the store on tables that have grown: none reads a whole table, and none sorts a whole
// account.
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fill } from '../../../../tools/lab/grow/fill.ts';
import { requireKind } from '../../../../tools/test/require-kind.ts';
import { createTestDatabase, openTestPool, type TestDatabase } from '../../../test/database.ts';
import { systemAuthor } from '../../domain/audit/author.ts';
import { type BatchPosition, batchSize } from '../../domain/batch.ts';
import type { Link, LinkSession } from '../../domain/links/link-store.ts';
import type { Store } from '../../domain/store.ts';
import { databaseCopies } from './backup/copies.ts';
import { migrationDeadlines, openDatabase } from './database.ts';
import { postgresStore } from './store.ts';

// For a superuser of PostgreSQL, who may switch triggers off.
requireKind('engines');

const drops = 20_000;
/** With twenty accounts, each has about a thousand drops. */
const maxSortedRows = 500;
/** These have few rows here, so it is right to read all of them. */
const small = new Set([
  '_private_jobs',
  'accounts',
  'api_keys',
  'audit_targets',
  'daily_usage',
  'damaged_files',
  'day_key_objects',
  'day_keys',
  'download_places',
  'event_log',
  'evidence_keys',
  'evidence_logs',
  'global_contacts',
  'global_contacts_version',
  'groups',
  'holds',
  'public_pages',
  'scrub',
  'usage',
  'webhooks',
]);
/**
 * Small in proportion to the tables: a thousand rows out of twenty thousand are best found by reading the whole table.
 */
const count = 20;
const batch = { owners: count, rows: count };

type Area = Exclude<keyof Store, 'transaction' | 'exclusively'>;
/** One call of every method: a new method does not compile until it is here. */
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
let purges: Map<string, Statement>;

beforeAll(async () => {
  database = await createTestDatabase();
  const id = randomUUID();
  await database.query("insert into accounts (id, email, phone, type) values ($1, 'large@x.org', '1', 'api')", [id]);
  // Without a time limit, which a machine that is busy with other things would exceed.
  const filling = openTestPool(database.url, migrationDeadlines);
  await fill(filling, { drops, largest: 'large@x.org' });
  await fillBesides(filling);
  await filling.end();
  statements = await recordStatements(await everyCall(id), async () => {
    const copies = databaseCopies({ url: database.url, openPool: () => openTestPool(database.url) });
    // Of a day and a file that do not exist: these are committed.
    await copies.endFilesOfDay(999_999);
    await copies.endFiles([{ accountId: id, id: randomUUID() }]);
  });
  purges = await recordStatements(everyPurge(randomUUID()));
}, 300_000);
afterAll(() => database[Symbol.asyncDispose]());

/** Fills the tables that `fill` leaves out. */
async function fillBesides(filling: pg.Pool): Promise<void> {
  await filling.query(`
    insert into deliveries (account_id, drop_id, position, file_id, delivered)
      select account_id, drop_id, 0, id, '{[0,1000)}' from files limit 20000;
    insert into link_sessions (digest, account_id, drop_id, position)
      select token_digest, account_id, drop_id, position from links limit 20000;
    insert into audit_entries (epoch, account_id, id, at, author_kind, author_id, author_name, author_address, action,
        addresses, details)
      select 0, account_id, id, created_at, 'key', id, 'large@x.org', '10.0.0.1', 'drop.created', array[id || '@x.org'],
        jsonb_build_object('dropId', id) from drops;
    insert into evidence_logs (epoch, origin, size, published_size) values (1, 'x.org/log/1', 1000000, 1000000);
    insert into evidence_time_stamps (epoch, size, root, token)
      select 1, 20 * place, sha256(''), sha256('') from generate_series(1, 50000) as place;
    insert into evidence_entries (account_id, kind, drop_id, position, data)
      select account_id, 'link.opened', drop_id, position, '{}' from links limit 500;
    insert into evidence_entries (account_id, at, kind, drop_id, position, data, number, epoch, leaf_index, commitment)
      select account_id, now() - random() * interval '365 days', 'content.consigned', drop_id, position,
        json_build_object('address', email), 0, 1, row_number() over (), sha256('')
      from links where drop_id is not null;
    insert into evidence_entries (account_id, at, kind, drop_id, data, number, epoch, leaf_index, commitment)
      select account_id, created_at, 'drop.expired', id, '{}', 0, 1, 500000 + row_number() over (), sha256('') from drops;
    insert into stopped_mail (account_id, email)
      select account_id, id || '@x.org' from drops;
    insert into blocked_senders (account_id, email)
      select account_id, id || '@x.org' from drops;
    insert into drafts (account_id, name, touched_at)
      select account_id, 'draft ' || id, created_at from drops;
    insert into uploads (account_id, id, draft, state, name, media_type, writer, key_day, due_at)
      select account_id, id, 'draft ' || id, 'abandoned', 'x', 'text/plain', id, 1, created_at from drops;
    insert into events (account_id, epoch, type, data, created_at)
      select account_id, 0, 'drop.created',
        jsonb_build_object('drop_id', id, 'external_id', 'order ' || row_number() over ()), created_at from drops;
    insert into webhooks (account_id, id, url, created_by, salt, replay_from, replay_from_id, replay_until)
      select id, gen_random_uuid(), 'https://x.org', id, '', '2026-01-01', id, now() from accounts, generate_series(1, 5);
    insert into webhook_deliveries (account_id, webhook_id, event_id, type, occurred_at, data, state, due_at, created_at)
      select webhook.account_id, webhook.id, drops.id, 'drop.created', drops.created_at, '{}',
        case when random() < 0.01 then 'waiting' else 'delivered' end::webhook_delivery_state, drops.created_at,
        drops.created_at
      from drops join (select distinct on (account_id) account_id, id from webhooks) as webhook
        on webhook.account_id = drops.account_id;
    insert into webhook_attempts (account_id, webhook_id, id, event_id, type, attempt, at, duration_ms)
      select account_id, webhook_id, event_id, event_id, type, 1, created_at, 1 from webhook_deliveries;
    insert into test_messages (account_id, id, drop_id, kind, channel, receiver, text, created_at)
      select account_id, id, id, 'invitation', 'mail', 'a@test.x.org', 'text', created_at from drops
      -- An account keeps a bounded number of them, which may be sorted.
      where hashtext(id::text) & 3 = 0;
    insert into responses (account_id, key_digest, request_digest, key_id, response, created_at)
      select account_id, decode(replace(id::text, '-', ''), 'hex'), ''::bytea, id, ''::bytea, created_at from drops
      union all
      select account_id, decode(md5(id::text), 'hex'), '', id, null, created_at from drops;
    insert into contacts (account_id, email, position, phone, language, groups, name)
      select account_id, id || '@x.org', position, '', '', '{}', '' from (
        select account_id, id, row_number() over (partition by account_id) as position from drops) as numbered
      where position <= 100;
    insert into inbox_entries (account_id, id, sender_account_id, drop_id, created_at, attempts, lease_id, state)
      select accounts.id, gen_random_uuid(), drops.account_id, drops.id, drops.created_at, 1, drops.id,
        (array['queued', 'last_attempt', 'acknowledged', 'acknowledged'])[1 + (hashtext(drops.id::text) & 3)]::inbox_state
      from drops, accounts where ended_at is null and accounts.id <> drops.account_id on conflict do nothing;
    update files set state = 'ready', drop_id = null, draft = 'draft ' || drop_id,
      wrapped_key = '' where id in (select id from files limit 2000);
    update messages set state = 'waiting' where id in (select id from messages limit 100);
    update messages set state = 'abandoned' where id in (select id from messages where state = 'sent' limit 2000);
    update messages set kind = 'code', receiver = 'someone' || id || '@x.org'
      where id in (select id from messages where state = 'sent' limit 2000);
    insert into visit_deliveries (session, file_id, delivered, completed_at)
      select digest, gen_random_uuid(), '{}', null from link_sessions;
    insert into undeleted_objects (key, due_at) select gen_random_uuid() || '/00000000', now() + number * interval '1 second'
      from generate_series(1, 20000) as number;
    insert into people (id, email, handle)
      select id, id || '@x.org', sha256(id::text::bytea) from drops;
    insert into memberships (account_id, person_id, role)
      select account_id, id, 'member' from (
        select account_id, id, row_number() over (partition by account_id) as position from drops) as numbered
      where position <= 100;
    insert into person_links (id, person_id, purpose, expires_at, created_at)
      select id, id, 'invitation', created_at, created_at from drops;
    insert into sessions (digest, id, person_id, stage, method, issuer, sid, address, user_agent, expires_at)
      select sha256(id::text::bytea), id, id, 'complete', 'provider', 'https://id.x.org', id::text, '', '', created_at
      from drops;
    insert into passkeys (credential_id, person_id, public_key, counter, transports, is_backed_up, name)
      select sha256(id::text::bytea), id, '', 0, '{}', false, 'x' from drops;
    insert into passwords (person_id, hash) select id, '' from drops;
    insert into authenticator_apps (person_id, salt) select id, '' from drops;
    insert into recovery_codes (person_id, digest) select id, sha256(id::text::bytea) from drops;
    insert into identities (issuer, subject, person_id, provider) select 'https://id.x.org', id, id, 'x' from drops;
    insert into used_tokens (digest, expires_at) select sha256(id::text::bytea), created_at from drops;
    analyze`);
}

type SomeCalls = { readonly [Name in Area]?: Partial<Calls[Name]> };

async function recordStatements(calls: SomeCalls, others?: () => Promise<void>): Promise<Map<string, Statement>> {
  const asked = vi.spyOn(pg.Client.prototype, 'query');
  // Opened after the spy is set up, so that the statements of its connections are recorded.
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
  await pool.end();
  await others?.();
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
  const session: LinkSession = { link, digest, passed: null, code: undefined, hasEnteredPassphrase: false };
  const writer = { accountId, id: randomUUID(), writer: randomUUID() };
  const attempt = { id: randomUUID(), attempts: 1 };
  const declared = { sha256: digest, sha512: null };
  const upload = {
    name: 'x',
    mediaType: 'x',
    sizeBytes: 1,
    wrappedKey: digest,
    keyDay: 1,
    chunkCount: 1,
    declared,
  };
  const complete = {
    sizeBytes: 1,
    sha256: digest,
    crc32: 1,
    scan: 'clean',
    unscannedReason: null,
    runs: [],
    chunkCount: 1,
  } as const;
  const after = { createdAt: '2026-01-01T00:00:00Z', id: randomUUID() };
  const position = { epoch: 0, transactionId: '1', sequence: 1 };
  const contact = { email: 'new@x.org', name: '', phone: '', language: '', groups: [] };
  const newLink = { position: 9, receiver: { ...contact, contactName: '' }, tokenDigest: randomBytes(32) };
  const deletion = { accountId, id: randomUUID(), chunkCount: 0, runs: [] };
  const leased = { id: randomUUID(), leaseId: randomUUID() };
  const day = 86_400;
  const input = { url: 'https://x.org', types: null, description: '' };
  const [webhook] = await database.query<{ id: string }>('select id from webhooks where account_id = $1', [accountId]);
  const webhookId = webhook?.id as string;
  const personId = dropId;
  const handle = Buffer.alloc(32);
  const turn = { epoch: 1, fence: 0 };
  const logKey = { keyId: 1, algorithm: 'ed25519', publicKey: handle, wrapped: handle, version: 1 } as const;
  const behindId = ['2026-01-01T00:00:00Z', dropId];
  const behindSequence = ['2026-01-01T00:00:00Z', '1'];
  const person = { email: 'new@x.org', name: '', language: '', handle, isAdministrator: false };
  return {
    accountDeletions: {
      contents: (deletions) => deletions.contents(accountId),
      mark: (deletions) => deletions.mark(accountId),
      marked: (deletions) => deletions.marked(count),
      clear: (deletions) => deletions.clear(accountId, count),
      finish: (deletions) => deletions.finish(accountId),
    },
    accounts: {
      credentials: (accounts) => accounts.credentials('large@x.org'),
      liveKey: (accounts) => accounts.liveKey(digest),
      unusableKeys: (accounts) => accounts.unusableKeys([{ accountId, keyId: randomUUID() }]),
      recordKeyUse: (accounts) => accounts.recordKeyUse(accountId, randomUUID()),
      byEmail: (accounts) => accounts.byEmail('large@x.org'),
      byId: (accounts) => accounts.byId(accountId),
      page: (accounts) => accounts.page('a', count),
      insert: (accounts) =>
        accounts.insert({ id: randomUUID(), email: 'n@x.org', phone: '', type: 'api', language: '' }),
      findTestAccount: (accounts) => accounts.findTestAccount(accountId),
      setDisabled: (accounts) => accounts.setDisabled(accountId, true),
      setChoices: (accounts) => accounts.setChoices(accountId, { receipts: false }),
      lock: (accounts) => accounts.lock(accountId),
      lockBoth: (accounts) => accounts.lockBoth(accountId),
      keys: (accounts) => accounts.keys(accountId),
      insertKey: (accounts) =>
        accounts.insertKey(accountId, {
          createdBy: null,
          id: randomUUID(),
          name: '',
          hint: '',
          digest,
          scopes: null,
          networks: null,
          expiresAt: null,
        }),
      unrevokedKey: (accounts) => accounts.unrevokedKey(accountId, randomUUID()),
      revokeKey: (accounts) => accounts.revokeKey(accountId, randomUUID(), true),
      findReceiving: (accounts) => accounts.findReceiving(accountId, ['large@x.org']),
    },
    testMessages: {
      keep: (messages) =>
        messages.keep(
          accountId,
          {
            id: randomUUID(),
            kind: 'code',
            channel: 'sms',
            to: '46700000001',
            dropId: randomUUID(),
            requestId: null,
            subject: null,
            text: '',
            link: null,
            code: '123456',
          },
          1_000,
        ),
      page: (messages) =>
        messages.page(accountId, { to: 'a@test.x.org', since: randomUUID() }, { sequence: 1_000 }, 100),
      purge: (messages) => messages.purge(300 * day, count),
    },
    responses: {
      reserve: async (responses) => {
        for (const ifReserved of ['wait', 'return'] as const) await responses.reserve(accountId, digest, ifReserved);
      },
      insert: (responses) =>
        responses.insert(accountId, digest, { requestDigest: digest, keyId: randomUUID(), response: digest }),
      exists: (responses) => responses.exists(accountId, digest),
      trim: (responses) => responses.trim(accountId, { count: 100_000, bytes: 2 ** 28 }),
      purge: (responses) => responses.purge(300 * day, count),
    },
    contacts: {
      read: (contacts) => contacts.read(accountId),
      version: (contacts) => contacts.version(accountId),
      known: (contacts) => contacts.known(accountId, ['new@x.org']),
      find: (contacts) => contacts.find(accountId, ['new@x.org']),
      page: async (contacts) => {
        for (const list of [undefined, 'local', 'global'] as const) {
          await contacts.page(accountId, { list }, { by: 'email' }, count);
          await contacts.page(accountId, { list, search: 'a' }, { by: 'email', after: contact }, count);
        }
        await contacts.page(accountId, {}, { by: 'name' }, count);
        await contacts.page(accountId, { search: 'a' }, { by: 'name', isDescending: true, after: contact }, count);
        await contacts.page(accountId, { group: 'a' }, { by: 'email', isDescending: true, after: contact }, count);
      },
      countFound: (contacts) => contacts.countFound(accountId, { search: 'a', group: 'a' }),
      groups: (contacts) => contacts.groups(accountId, count),
      count: (contacts) => contacts.count(accountId),
      put: (contacts) => contacts.put(accountId, [contact]),
      remove: (contacts) => contacts.remove(accountId, ['new@x.org']),
      replace: (contacts) => contacts.replace(accountId, [contact]),
      readGlobal: (contacts) => contacts.readGlobal(),
      replaceGlobal: (contacts) => contacts.replaceGlobal([contact]),
    },
    receivers: {
      find: (receivers) => receivers.find(accountId, 'a', 8),
      findGroups: (receivers) => receivers.findGroups(accountId, 'a', 3),
      inGroup: (receivers) => receivers.inGroup(accountId, 'a', 1000),
      named: (receivers) => receivers.named(accountId, 'a', 2),
      knownDomains: (receivers) => receivers.knownDomains(accountId, ['x.org', 'y.org']),
      usual: (receivers) => receivers.usual(accountId, 1000),
    },
    drafts: {
      lock: (drafts) => drafts.lock(accountId, 'new'),
      lockExisting: (drafts) => drafts.lockExisting(accountId, ['new']),
      setReceivers: (drafts) => drafts.setReceivers(accountId, 'new', []),
      openList: (drafts) => drafts.openList(accountId, 'new'),
      consume: (drafts) => drafts.consume(accountId, 'new', { digest, type: 'downloadfiles', remembered: 2 }),
      dropStale: (drafts) => drafts.dropStale(300 * day, batch),
    },
    files: {
      staged: (files) => files.staged(accountId, 'new'),
      isStored: (files) => files.isStored(accountId, fileId),
      countStaged: (files) => files.countStaged(accountId, 'new'),
      removeStaged: (files) => files.removeStaged(accountId, 'new', 'x'),
      setWanted: (files) => files.setWanted(accountId, dropId, new Map([[fileId, 0]])),
      moveUploadsToDrop: (files) =>
        files.moveUploadsToDrop(accountId, [{ id: writer.id, name: 'a', path: null }], dropId),
      moveToDrop: (files) => files.moveToDrop(accountId, 'new', dropId),
      ofSentDrop: (files) => files.ofSentDrop(accountId, dropId),
      inSentDrops: (files) => files.inSentDrops(accountId, [fileId], { lock: true }),
      copyToDrop: (files) =>
        files.copyToDrop(
          accountId,
          [{ id: randomUUID(), sourceId: fileId, name: 'x', path: null, wrapped: digest, day: 1 }],
          dropId,
          null,
        ),
      inInbox: async (files) => [
        await files.inInbox(accountId, randomUUID(), { name: 'x' }),
        await files.inInbox(accountId, randomUUID(), { id: fileId }),
        await files.inInbox(accountId, randomUUID()),
      ],
      inInboxEntries: (files) => files.inInboxEntries(accountId, [randomUUID(), randomUUID()]),
      takeDeletions: (files) => files.takeDeletions(count, 60),
      settleDeletions: (files) => files.settleDeletions([deletion]),
    },
    drops: {
      insert: (store) =>
        store.insert(
          accountId,
          {
            id: randomUUID(),
            type: 'downloadfiles',
            message: '',
            lifetime: 1,
            lifetimeSeconds: day,
            receiverCount: 1,
            fileCount: 1,
            linkKey: null,
            reminderSeconds: null,
            from: null,
          },
          [newLink],
        ),
      insertLinks: (store) => store.insertLinks(accountId, dropId, [newLink]),
      insertInboxEntries: (store) => store.insertInboxEntries(accountId, dropId, [{ accountId, id: randomUUID() }]),
      page: async (store) => [await store.page(accountId, undefined, count), await store.page(accountId, after, count)],
      byIdEnd: (store) => store.byIdEnd('00ffffffff', 10),
      receivers: (store) => store.receivers(accountId, [dropId]),
      files: (store) => store.files(accountId, [dropId]),
      sentThrough: (store) => store.sentThrough(link, { sendings: count, files: count }),
      countLive: (store) => store.countLive(accountId),
      inboxEntry: (store) => store.inboxEntry(accountId, randomUUID()),
      inboxPage: async (store) => [
        await store.inboxPage(accountId, undefined, count),
        await store.inboxPage(accountId, after, count),
      ],
      endExpired: (store) => store.endExpired(count),
      revoke: (store) => store.revoke(accountId, dropId),
      revokeForNow: (store) => store.revokeForNow(accountId, dropId, 60),
      restore: (store) => store.restore(accountId, { type: 'downloadfiles', dropId }),
      lockDeadline: (store) => store.lockDeadline(accountId, dropId),
      moveDeadline: (store) => store.moveDeadline(accountId, dropId, new Date(), 60),
      empty: async (store) => [await store.empty(batch), await store.empty(batch, { accountId, dropId })],
      purge: async (store) => [await store.purge(300 * day, batch), await store.purge(300 * day, batch, behindId)],
      purgeActivity: async (store) => [
        await store.purgeActivity(300 * day, batch),
        await store.purgeActivity(300 * day, batch, behindId),
      ],
      deliveryStates: (store) => store.deliveryStates(accountId, dropId, -1, count),
    },
    requests: {
      summaries: (requests) => requests.summaries(accountId, [dropId]),
      countOpen: (requests) => requests.countOpen(accountId, count),
      arrivals: (requests) => requests.arrivals(accountId, dropId, count),
      wantedThrough: (requests) => requests.wantedThrough(accountId, dropId, 0),
      wantedOf: (requests) => requests.wantedOf(accountId, dropId),
    },
    sentDrops: {
      hasReceivers: (store) => store.hasReceivers(accountId, dropId),
      page: async (store) => {
        const times = { createdFrom: new Date('2026-01-01'), createdBefore: new Date('2026-02-01') };
        for (const state of [undefined, 'live', 'expired', 'revoked'] as const) {
          for (const anyOf of [
            undefined,
            [{ receiver: email }],
            [{ externalId: 'x' }, { idEnd: '00ffffffff' }],
            [{ text: 'a' }, { text: 'a text' }],
          ]) {
            await store.page(accountId, 'downloadfiles', { state, anyOf }, {}, count);
            await store.page(accountId, 'uploadfiles', { state, anyOf, ...times }, { after: dropId }, count);
          }
        }
        for (const place of [{}, { after: dropId }, { before: dropId }]) {
          for (const sentBy of [undefined, null, personId]) {
            for (const part of [undefined, 'attention', 'underway', 'done'] as const) {
              await store.page(accountId, 'downloadfiles', { part, sentBy }, place, count);
            }
            const byExpiry = { ...place, byExpiry: true };
            await store.page(accountId, 'downloadfiles', { part: 'underway', sentBy }, byExpiry, count);
          }
        }
      },
      summaries: (store) => store.summaries(accountId, [dropId]),
      countAttention: (store) => store.countAttention(accountId, count),
      followedReceivers: (store) => store.followedReceivers(accountId, dropId),
      followedFiles: (store) => store.followedFiles(accountId, dropId),
      holders: (store) => store.holders(accountId, dropId, { fileIds: [fileId], positions: [0] }, 2),
      recordShown: (store) => store.recordShown(accountId, dropId, 'x@x.org', 0),
      find: (store) => store.find(accountId, { type: 'downloadfiles', dropId }),
      receivers: async (store) => [
        await store.receivers(accountId, dropId),
        await store.receivers(accountId, dropId, 0),
      ],
      files: (store) => store.files(accountId, dropId),
      growByOne: (store) => store.growByOne(accountId, dropId),
      revokeLink: (store) => store.revokeLink(accountId, dropId, 0),
    },
    publicPages: {
      byName: (pages) => pages.byName('orders'),
      ofAccount: (pages) => pages.ofAccount(accountId),
      set: (pages) => pages.set(accountId, { name: 'orders', message: '', isOpen: true }),
      requestLink: (pages) => pages.requestLink(accountId, { email: 'a@x.org', name: '', language: '' }),
      isUnwanted: (pages) => pages.isUnwanted(accountId, 'a@x.org'),
      block: (pages) => pages.block(accountId, 'a@x.org'),
      unblock: (pages) => pages.unblock(accountId, 'a@x.org'),
      blocked: (pages) => pages.blocked(accountId, count),
      revokeLinks: async (pages) => {
        await pages.revokeLinks(accountId);
        await pages.revokeLinks(accountId, 'a@x.org');
      },
    },
    inbox: {
      page: async (inbox) => {
        for (const state of [undefined, 'available', 'claimed', 'parked', 'acknowledged'] as const) {
          await inbox.page(accountId, { state }, undefined, count);
          await inbox.page(accountId, { state }, { at: after.createdAt, id: after.id }, count);
        }
        for (const filter of [{ requestId: dropId }, { externalId: 'x' }, { idEnd: '00ffffffff' }]) {
          await inbox.page(accountId, filter, undefined, count);
          await inbox.page(accountId, filter, { at: after.createdAt, id: after.id }, count);
        }
      },
      entry: (inbox) => inbox.entry(accountId, randomUUID()),
      claim: (inbox) =>
        inbox.claim(accountId, { leaseId: randomUUID(), leaseSeconds: 60, maxEntries: count, maxAttempts: 10 }),
      secondsUntilDue: (inbox) => inbox.secondsUntilDue(accountId),
      renew: (inbox) => inbox.renew(accountId, leased, 60),
      acknowledge: (inbox) => inbox.acknowledge(accountId, leased),
      giveBack: (inbox) => inbox.giveBack(accountId, leased, 60),
      release: (inbox) => inbox.release(accountId, leased.id),
      reportParked: (inbox) => inbox.reportParked(count),
      countParked: (inbox) => inbox.countParked(accountId, 1_000),
      list: async (inbox) => {
        const listed = { at: after.createdAt, id: after.id };
        for (const part of ['open', 'done'] as const) {
          for (const texts of [[], ['x'], ['a text', 'another']]) {
            await inbox.list(accountId, { part, texts }, undefined, count);
            await inbox.list(accountId, { part, texts }, { after: listed }, count);
            await inbox.list(accountId, { part, texts }, { before: listed }, count);
          }
        }
      },
      countUnread: (inbox) => inbox.countUnread(accountId, count),
      markSeen: (inbox) => inbox.markSeen(accountId, leased.id, randomUUID()),
      finish: (inbox) => inbox.finish(accountId, leased.id),
      reopen: (inbox) => inbox.reopen(accountId, leased.id),
      recordDownloads: (inbox) =>
        inbox.recordDownloads(accountId, [{ file: { id: randomUUID(), sizeBytes: 1 }, sent: { start: 0, end: 1 } }]),
      downloadedFiles: (inbox) => inbox.downloadedFiles(accountId, randomUUID()),
    },
    links: {
      byToken: (links) => links.byToken(digest),
      bySession: (links) => links.bySession(digest),
      ofReceiver: (links) => links.ofReceiver(accountId, dropId, email),
      ofPosition: (links) => links.ofPosition(accountId, dropId, 0),
      open: (links) => links.open(link, randomBytes(32), { keepSeconds: day, programSeconds: day, maxSessions: 10 }),
      close: (links) => links.close(digest),
      key: (links) => links.key(link),
      lock: (links) => links.lock(link),
      holdLive: (links) => links.holdLive(link),
      awaitOtherContacts: (links) => links.awaitOtherContacts(link),
      fulfil: (links) => links.fulfil(link),
      endings: (links) => links.endings([{ accountId, dropId }, link]),
      ask: (links) => links.ask(link, 'more_time'),
      codesSent: (links) => links.codesSent(link, 3600),
      setCode: (links) => links.setCode(digest, randomUUID(), 600),
      tryCode: (links) => links.tryCode(digest, 5),
      pass: (links) => links.pass(session, randomUUID()),
      readPassphrase: (links) => links.readPassphrase(link),
      passPassphrase: (links) => links.passPassphrase(digest),
      markUndeliverable: (links) => links.markUndeliverable(link, ''),
      markReachable: (links) => links.markReachable(link, ''),
      purgeSessions: async (links) => [
        await links.purgeSessions(count),
        await links.purgeSessions(count, ['2026-01-01T00:00:00Z', '\\x00']),
      ],
      files: async (links) => [await links.files(link), await links.files(link, fileId)],
      deliver: (links) =>
        links.deliver(link, [{ file: { id: fileId, sizeBytes: 1000 }, sent: { start: 0, end: 1000 } }]),
    },
    sharedLinks: {
      list: (links) => links.list(accountId, dropId),
      insert: (links) =>
        links.insert(accountId, dropId, {
          kind: 'anybody',
          position: 1_000_000,
          tokenDigest: randomBytes(32),
          createdBy: '',
          expiresAt: null,
          maxDownloads: 1,
        }),
      reserve: (links) => links.reserve({ ...link, session: digest, maxDownloads: 1 }, randomUUID(), 60),
      renew: (links) => links.renew({ ...link, session: digest }, randomUUID(), 60),
      release: (links) => links.release(link, randomUUID()),
      deliver: (links) =>
        links.deliver(link, digest, [{ file: { id: fileId, sizeBytes: 1000 }, sent: { start: 0, end: 1000 } }]),
      setCodeFor: (links) => links.setCodeFor(digest, 0, randomUUID(), 600),
      countWrongCode: (links) => links.countWrongCode(link, 250),
      uncountWrongCode: (links) => links.uncountWrongCode(link),
      findAsked: (links) => links.findAsked(digest),
      become: (links) => links.become(digest, link, randomUUID(), 50),
    },
    uploads: {
      begin: (uploads) =>
        uploads.begin(
          writer,
          {
            ...upload,
            path: 'folder/a',
            draft: 'new',
            keyId: null,
            personId: null,
            reservedBytes: 1,
            maxStoredBytes: null,
          },
          60,
        ),
      takeOver: (uploads) => uploads.takeOver(writer, 'new', 60),
      storedByWriter: (uploads) => uploads.storedByWriter(accountId, 'new', writer.id),
      leave: (uploads) => uploads.leave(writer),
      renew: (uploads) => uploads.renew([writer], 60),
      claim: (uploads) => uploads.claim(writer, 1, 0),
      beginRun: (uploads) => uploads.beginRun(writer, [], 1, 0),
      declare: (uploads) => uploads.declare(writer, declared),
      commit: (uploads) => uploads.commit(writer, 1),
      requestCheck: (uploads) => uploads.requestCheck(writer),
      lock: (uploads) => uploads.lock(accountId, [writer.id]),
      complete: (uploads) => uploads.complete(writer, complete),
      abandon: (uploads) => uploads.abandon(writer),
      expire: (uploads) => uploads.expire(count),
      listDraftFiles: (uploads) => uploads.listDraftFiles(accountId, 'new'),
      inDrafts: (uploads) => uploads.inDrafts(accountId, [writer.id], ['new'], { lock: true }),
      page: async (uploads) => {
        for (const state of [undefined, 'uploading', 'ready'] as const) {
          await uploads.page(accountId, state, undefined, count);
          await uploads.page(accountId, state, writer.id, count);
        }
      },
      bytesThrough: (uploads) => uploads.bytesThrough(link, 'new'),
      remove: (uploads) => uploads.remove(accountId, 'new', writer.id),
      acquireForCheck: (uploads) => uploads.acquireForCheck(accountId, writer.id, 60),
      holdForCheck: (uploads) => uploads.holdForCheck(accountId, writer.id, 60),
      retryCheck: (uploads) => uploads.retryCheck(accountId, writer.id, { checks: 1, pauseSeconds: 1 }),
      accept: (uploads) => uploads.accept(accountId, writer.id, complete),
      refuse: (uploads) => uploads.refuse(accountId, writer.id, 'infected'),
      wakeOverdue: (uploads) => uploads.wakeOverdue(30, count),
      takeDeletions: (uploads) => uploads.takeDeletions(count, 60),
      settleDeletions: (uploads) => uploads.settleDeletions([deletion]),
    },
    outbox: {
      writeToReceivers: (outbox) =>
        outbox.writeToReceivers(accountId, dropId, 'reminder', [{ id: randomUUID(), position: 0 }]),
      tell: (outbox) => outbox.tell(accountId, { kind: 'received', dropId, position: null }),
      tellReceivers: (outbox) => outbox.tellReceivers(accountId, dropId, [accountId]),
      enqueue: (outbox) =>
        outbox.enqueue(accountId, {
          id: randomUUID(),
          kind: 'code',
          channel: 'mail',
          dropId,
          position: 0,
          receiver: 'r@x.org',
        }),
      remind: (outbox) => outbox.remind(10),
      acquire: (outbox) => outbox.acquire(accountId, attempt.id, 60),
      renewLease: (outbox) => outbox.renewLease(accountId, attempt, 60),
      settle: (outbox) => outbox.settle(accountId, attempt.id, 'sent', ''),
      findAccountId: (outbox) => outbox.findAccountId(attempt.id),
      abandon: (outbox) => outbox.abandon(accountId, attempt.id, ''),
      recordAccepted: (outbox) => outbox.recordAccepted(accountId, attempt.id),
      retry: (outbox) => outbox.retry(accountId, attempt, '', 60),
      postpone: (outbox) => outbox.postpone(accountId, attempt, '', 60),
      countCodes: (outbox) => outbox.countCodes('r@x.org', accountId, 3600),
      wakeOverdue: (outbox) => outbox.wakeOverdue(30, count),
      page: async (outbox) => {
        for (const state of ['waiting', 'abandoned'] as const) {
          await outbox.page(state, undefined, count);
          await outbox.page(state, { at: after.createdAt, id: after.id }, count);
        }
      },
      purge: async (outbox) => [await outbox.purge(300 * day, count), await outbox.purge(300 * day, count, behindId)],
      revive: (outbox) => outbox.revive(accountId, attempt.id),
      reviveAll: async (outbox) => {
        await outbox.reviveAll({ since: undefined, reason: undefined, until: undefined }, count);
        await outbox.reviveAll({ since: new Date(0), reason: 'x', until: after.createdAt }, count);
      },
      hastenAll: async (outbox) => {
        await outbox.hastenAll({ reason: undefined, before: undefined }, count);
        await outbox.hastenAll({ reason: 'x', before: { at: after.createdAt, id: attempt.id } }, count);
      },
      reviveOfDrop: (outbox) => outbox.reviveOfDrop(accountId, dropId, 'x'),
      hasten: (outbox) => outbox.hasten(accountId, attempt.id),
    },
    stops: {
      correspondence: (stops) => stops.correspondence(attempt.id),
      add: (stops) => stops.add(accountId, email),
      remove: (stops) => stops.remove(accountId, email),
      page: (stops) => stops.page(accountId, email, count),
      report: (stops) => stops.report(link),
    },
    audit: {
      append: (audit) =>
        audit.append(accountId, {
          id: randomUUID(),
          author: systemAuthor('sweep'),
          action: 'drop.created',
          details: {},
        }),
      ofDrop: (audit) => audit.ofDrop(accountId, dropId, count),
      search: (audit) => audit.search({ accountId }, { order: 'newest first', after: undefined, count }),
      follow: (audit) => audit.follow(position, count),
      end: (audit) => audit.end(),
      purge: async (audit) => [
        await audit.purge(300 * day, count),
        await audit.purge(300 * day, count, behindSequence),
      ],
    },
    auditTargets: {
      take: (targets) => targets.take('syslog', 30),
      advance: async (targets) => {
        await targets.advance({ name: 'syslog', fence: 1 }, undefined, 30);
        await targets.advance({ name: 'syslog', fence: 1 }, position, 30);
      },
      fail: (targets) => targets.fail({ name: 'syslog', fence: 1 }, { reason: 'refused', remedy: 'look' }, 30),
      skip: (targets) => targets.skip('syslog', randomUUID()),
      release: (targets) => targets.release({ name: 'syslog', fence: 1 }),
      list: (targets) => targets.list(),
    },
    evidence: {
      append: (evidence) => evidence.append([{ accountId, dropId, position: 0, kind: 'link.opened', data: {} }]),
      readStories: async (evidence) => {
        await evidence.readStories(link, undefined, count);
        await evidence.readStories(link, { epoch: 1, leafIndex: 1 }, count);
      },
      readLeaves: (evidence) => evidence.readLeaves({ epoch: 1, leafIndex: 500_000 }, 256),
      checkPublished: (evidence) => evidence.checkPublished(link),
      findReceivers: (evidence) =>
        evidence.findReceivers({ accountId, idEnd: '00ffffffff', email, after: { dropId, position: 0 } }, count),
      findDestroyedKey: (evidence) => evidence.findDestroyedKey('2026-01-01'),
      eraseNaming: (evidence) => evidence.eraseNaming(email, batch),
      countNaming: (evidence) => evidence.countNaming(email),
      eraseOfAccount: (evidence) => evidence.eraseOfAccount(accountId, count),
      purge: async (evidence) => [
        await evidence.purge(300 * day, count),
        await evidence.purge(300 * day, count, behindSequence),
      ],
    },
    evidenceLog: {
      list: (log) => log.list(),
      find: (log) => log.find(1),
      listKeys: async (log) => {
        await log.listKeys();
        await log.listKeys(1);
      },
      readCondition: (log) => log.readCondition(),
      take: (log) => log.take(10),
      renew: (log) => log.renew(turn, 10),
      release: (log) => log.release(turn),
      seize: (log) => log.seize(10),
      waiting: (log) => log.waiting(count),
      assign: (log) => log.assign(turn, 1_000_000, [{ accountId, id: dropId, number: 0, commitment: handle }]),
      placed: (log) => log.placed(1, 500, count),
      sign: (log) => log.sign(turn, 1, 'x'),
      publish: (log) => log.publish(turn, 1, 'x'),
      cosign: (log) => log.cosign(1, 1, 'x'),
      takeStampTurn: (log) => log.takeStampTurn(600),
      addTimeStamp: (log) => log.addTimeStamp(1, { size: 1, root: handle, token: handle }),
      recordStampFailure: (log) => log.recordStampFailure(1, 'x', 60),
      findTimeStamp: (log) => log.findTimeStamp({ epoch: 1, leafIndex: 500_000 }, 1_000_000),
      setRefusal: (log) => log.setRefusal(turn, 'x'),
      start: (log) =>
        log.start(
          { epoch: 2, origin: 'x.org/log/2', after: turn },
          {
            id: dropId,
            at: new Date(),
            number: 0,
            data: { origin: 'x', previous: null, reason: 'x' },
            salt: handle,
            commitment: handle,
          },
          [logKey],
        ),
      nextNumber: (log) => log.nextNumber(),
      unassign: (log) => log.unassign(turn, 1, [{ accountId, id: dropId }]),
      lockKeys: (log) => log.lockKeys(1),
      addKey: (log) => log.addKey(1, logKey),
      retireKey: (log) => log.retireKey(1, 1),
      replaceKey: (log) => log.replaceKey({ ...logKey, epoch: 1 }, logKey),
    },
    events: {
      append: (events) =>
        events.append([
          { accountId, type: 'contact.changed', data: {} },
          { accountId, type: 'drop.expired', data: {}, about: { accountId, dropId } },
        ]),
      page: async (events) => {
        const ids = [{ dropId }, { requestId: dropId }, { externalId: 'x' }, { dropId, externalId: 'x' }];
        for (const filter of [{}, ...ids, { types: ['drop.completed'] }, { dropId, types: ['drop.completed'] }]) {
          await events.page(accountId, undefined, count, filter);
          await events.page(accountId, position, count, filter);
        }
      },
      pageOfAll: (events) => events.pageOfAll(position, count),
      end: (events) => events.end(),
      purge: (events) => events.purge(300 * day, count),
    },
    quotas: {
      of: (quotas) => quotas.of(accountId),
      own: (quotas) => quotas.own(accountId),
      setForAccount: (quotas) => quotas.setForAccount(accountId, { dropsPerDay: null }),
      join: (quotas) => quotas.join(accountId, null),
      createGroup: (quotas) => quotas.createGroup(randomUUID(), 'x'),
      setForGroup: (quotas) => quotas.setForGroup(randomUUID(), { dropsPerDay: null }),
      group: (quotas) => quotas.group('x'),
      groups: (quotas) => quotas.groups('', count),
      removeGroup: (quotas) => quotas.removeGroup(randomUUID()),
      usage: (quotas) => quotas.usage(accountId),
      usagePage: (quotas) => quotas.usagePage('', count),
      recount: (quotas) => quotas.recount(accountId),
      countDispatch: (quotas) => quotas.countDispatch(accountId, { drops: 1, mails: 1 }),
    },
    holds: {
      place: (holds) => holds.place({ id: randomUUID(), accountId, dropId, name: 'x', reason: 'x', placedBy: 'x' }),
      release: (holds) => holds.release(randomUUID(), 'x'),
      purge: async (holds) => [await holds.purge(300 * day, count), await holds.purge(300 * day, count, behindId)],
      page: (holds) => holds.page({ accountId, released: false }, undefined, count),
      emptyReleased: async (holds) => [
        await holds.emptyReleased(count),
        await holds.emptyReleased(count, [dropId, dropId, dropId]),
      ],
    },
    people: {
      byId: (people) => people.byId(personId),
      byEmail: (people) => people.byEmail(`${personId}@x.org`),
      page: (people) => people.page('', count),
      insert: (people) => people.insert({ ...person, id: randomUUID() }),
      setProfile: (people) => people.setProfile(personId, { name: 'x' }),
      role: (people) => people.role(accountId, personId),
      makeAdministrator: (people) => people.makeAdministrator(personId),
      setDisabled: (people) => people.setDisabled(personId, true),
      lock: (people) => people.lock(personId),
      setShortcuts: (people) => people.setShortcuts(personId, true),
      news: (people) => people.news(accountId, personId),
      setNews: (people) => people.setNews(accountId, personId, ['received']),
      memberships: (people) => people.memberships(personId, '', count),
      membership: (people) => people.membership(personId, 'large@x.org'),
      members: (people) => people.members(accountId, '', count),
      countMembers: (people) => people.countMembers(accountId),
      setMembership: (people) => people.setMembership(accountId, personId, 'owner'),
      changeRole: (people) => people.changeRole(accountId, personId, 'reader'),
      removeMembership: (people) => people.removeMembership(accountId, personId),
      detachMessages: (people) => people.detachMessages(personId, count),
      remove: async (people) => {
        await people.remove(randomUUID());
      },
    },
    personLinks: {
      insert: (links) =>
        links.insert(
          { id: randomUUID(), personId, purpose: 'recovery', invitedBy: '', accountId: null, lifetimeSeconds: day },
          true,
        ),
      end: (links) => links.end(personId),
      findOpen: (links) => links.findOpen(personId),
      requestRecovery: (links) => links.requestRecovery('x@x.org'),
      byId: (links) => links.byId(personId),
      use: (links) => links.use(personId),
      countSince: (links) => links.countSince(personId, 'recovery', day),
      purge: (links) => links.purge(count),
    },
    sessions: {
      enqueueNotice: (sessions) => sessions.enqueueNotice({ id: randomUUID(), personId, address: '', userAgent: '' }),
      insert: (sessions) =>
        sessions.insert({
          id: randomUUID(),
          digest: Buffer.alloc(32),
          personId,
          stage: 'complete',
          method: 'passkey',
          address: '',
          userAgent: '',
          lifetimeSeconds: day,
          authenticatedAt: undefined,
        }),
      byDigest: (sessions) => sessions.byDigest(digest, day),
      recordSeen: (sessions) => sessions.recordSeen(digest),
      endedAccess: (sessions) => sessions.endedAccess([{ sessionId: personId, accountId, role: 'member' }], day),
      ofPerson: (sessions) => sessions.ofPerson(personId, day, count),
      end: async (sessions) => {
        await sessions.end(personId, 'all');
        await sessions.end(personId, { id: personId });
        await sessions.end(personId, { except: personId });
      },
      endOfProvider: async (sessions) => {
        await sessions.endOfProvider('https://id.x.org', { sid: personId });
        await sessions.endOfProvider('https://id.x.org', { subject: personId });
      },
      purge: (sessions) => sessions.purge(count),
    },
    signInMethods: {
      hasAny: (methods) => methods.hasAny(personId),
      passkeys: (methods) => methods.passkeys(personId),
      passkey: (methods) => methods.passkey(digest),
      insertPasskey: (methods) =>
        methods.insertPasskey({
          credentialId: digest,
          personId,
          publicKey: digest,
          counter: 0,
          transports: [],
          isBackedUp: false,
          name: 'x',
        }),
      recordPasskeyUse: (methods) => methods.recordPasskeyUse(digest, 1, true),
      renamePasskey: (methods) => methods.renamePasskey(personId, digest, 'x'),
      removePasskey: (methods) => methods.removePasskey(personId, digest),
      password: (methods) => methods.password(personId),
      setPassword: (methods) => methods.setPassword(personId, 'x'),
      removePassword: (methods) => methods.removePassword(personId),
      authenticatorApp: (methods) => methods.authenticatorApp(personId),
      insertAuthenticatorApp: (methods) => methods.insertAuthenticatorApp(personId, digest),
      acceptStep: (methods) => methods.acceptStep(personId, 1),
      removeAuthenticatorApp: (methods) => methods.removeAuthenticatorApp(personId),
      setRecoveryCodes: (methods) => methods.setRecoveryCodes(personId, [digest]),
      useRecoveryCode: (methods) => methods.useRecoveryCode(personId, digest),
      countRecoveryCodes: (methods) => methods.countRecoveryCodes(personId),
      identities: (methods) => methods.identities(personId),
      findPersonId: (methods) => methods.findPersonId('https://id.x.org', personId),
      insertIdentity: (methods) =>
        methods.insertIdentity(personId, { issuer: 'https://id.x.org', subject: 'new', provider: 'x', label: '' }),
      recordIdentityUse: (methods) =>
        methods.recordIdentityUse({ issuer: 'https://id.x.org', subject: personId, label: '' }),
      removeIdentity: (methods) => methods.removeIdentity(personId, 'https://id.x.org', personId),
      removeAll: (methods) => methods.removeAll(personId),
    },
    usedTokens: {
      use: (tokens) => tokens.use(digest, day),
      purge: (tokens) => tokens.purge(count),
    },
    webhooks: {
      list: (webhooks) => webhooks.list(accountId, count),
      byId: (webhooks) => webhooks.byId(accountId, webhookId),
      insert: (webhooks) =>
        webhooks.insert(accountId, { ...input, id: randomUUID(), createdBy: randomUUID(), scopes: null, salt: digest }),
      lock: (webhooks) => webhooks.lock(accountId, webhookId),
      change: (webhooks) => webhooks.change(accountId, webhookId, input),
      replaceSalt: (webhooks) => webhooks.replaceSalt(accountId, webhookId, digest, day),
      enable: (webhooks) => webhooks.enable(accountId, webhookId),
      disableByRequest: (webhooks) => webhooks.disableByRequest(accountId, webhookId),
      disableMadeBy: (webhooks) => webhooks.disableMadeBy(accountId, randomUUID()),
      disable: (webhooks) => webhooks.disable(accountId, webhookId, 'gone', randomUUID()),
      remove: (webhooks) => webhooks.remove(accountId, webhookId),
    },
    webhookDeliveries: {
      take: (deliveries) => deliveries.take(accountId, webhookId, 60),
      release: (deliveries) => deliveries.release(accountId, webhookId, '2026-01-01T00:00:00Z'),
      claim: (deliveries) => deliveries.claim(accountId, webhookId, count, 60),
      record: (deliveries) =>
        deliveries.record(
          accountId,
          webhookId,
          { id: randomUUID(), eventId: randomUUID(), type: '', attempt: 1, status: 200, failure: null, durationMs: 1 },
          'delivered',
        ),
      abandonWaiting: (deliveries) => deliveries.abandonWaiting(accountId, webhookId, count),
      enqueue: (deliveries) => deliveries.enqueue(accountId, webhookId, { eventId: randomUUID(), type: '', data: {} }),
      replay: (deliveries) => deliveries.replay(accountId, webhookId, randomUUID()),
      replaySince: (deliveries) => deliveries.replaySince(accountId, webhookId, new Date(), 1_000),
      replayNext: (deliveries) => deliveries.replayNext(accountId, webhookId, count),
      attempts: async (deliveries) => [
        await deliveries.attempts(accountId, webhookId, undefined, count),
        await deliveries.attempts(accountId, webhookId, { id: randomUUID() }, count),
      ],
      resume: (deliveries) => deliveries.resume(accountId),
      wakeOverdue: (deliveries) => deliveries.wakeOverdue(30, count),
      purgeDeliveries: (deliveries) => deliveries.purgeDeliveries(300 * day, count),
      purgeAttempts: (deliveries) => deliveries.purgeAttempts(300 * day, count),
    },
    wrappedKeys: {
      replace: async (wrappedKeys) => {
        for (const owner of ['files', 'uploads', 'drops'] as const) {
          const replaced = { accountId, id: fileId, before: digest, wrapped: digest, day: 20_000 };
          await wrappedKeys.replace(owner, [replaced]);
        }
      },
      overdue: async (wrappedKeys) => {
        for (const owner of ['files', 'uploads', 'drops'] as const)
          await wrappedKeys.overdue(owner, 20_000, count, [19_999]);
      },
      ofFiles: async (wrappedKeys) => {
        await wrappedKeys.ofFiles(accountId, { draft: 'x' });
        await wrappedKeys.ofFiles(accountId, { dropId });
        await wrappedKeys.ofFiles(accountId, { files: [writer.id] });
      },
    },
    dayKeys: {
      clock: (dayKeys) => dayKeys.clock(),
      find: (dayKeys) => dayKeys.find(20_000),
      list: (dayKeys) => dayKeys.list(),
      remove: (dayKeys) => dayKeys.remove({ day: 1, objectId: randomUUID(), objectBytes: 1, version: 1 }),
      announce: (dayKeys) => dayKeys.announce(randomUUID()),
      choose: (dayKeys) =>
        dayKeys.choose({ day: 20_000, objectId: randomUUID(), objectBytes: 60, version: 1 }, undefined),
      drop: (dayKeys) => dayKeys.drop(0),
      leftovers: (dayKeys) => dayKeys.leftovers(count),
      purge: (dayKeys) => dayKeys.purge([randomUUID()]),
    },
    undeletedObjects: {
      record: (undeleted) => undeleted.record(['x']),
      takeDue: (undeleted) => undeleted.takeDue(count, 60),
      purge: (undeleted) => undeleted.purge(['x']),
      list: (undeleted) => undeleted.list('x', count),
    },
    scrub: {
      pass: (scrub) => scrub.pass(),
      begin: (scrub) => scrub.begin(),
      advance: (scrub) => scrub.advance({ position: { accountId, id: fileId, objects: 1 }, files: 1, bytes: 1 }),
      complete: (scrub) => scrub.complete(),
      filesFrom: (scrub) => scrub.filesFrom({ accountId, id: fileId }, count),
      record: (scrub) => scrub.record({ accountId, id: fileId }, { object: 'x', problem: 'damaged' }),
      clear: (scrub) => scrub.clear({ accountId, id: fileId }),
      damaged: (scrub) => scrub.damaged({ accountId, id: fileId }, count),
      countDamaged: (scrub) => scrub.countDamaged(),
    },
  };
}

test('no statement reads a whole table or sorts a whole account', { timeout: 60_000 }, async () => {
  expect(statements.size).toBeGreaterThan(80);
  const found: string[] = [];
  for (const statement of statements.values()) {
    const text = statement.text.replaceAll(/\s+/g, ' ').trim();
    for (const problem of findProblems(await genericPlan(statement))) found.push(`${problem}: ${text}`);
  }
  expect(found).toEqual([]);
});

/** Calls of the methods that look past held records, in batches as large as those of a sweep. */
function everyPurge(id: string): SomeCalls {
  const age = 300 * 86_400;
  const { rows } = batchSize;
  const at = '2026-01-01T00:00:00Z';
  const [behindId, behindSequence] = [[at, id] as const, [at, '1'] as const];
  const twice = async (purge: (after?: BatchPosition) => Promise<unknown>, after: BatchPosition) => {
    await purge();
    await purge(after);
  };
  return {
    audit: { purge: (audit) => twice((after) => audit.purge(age, rows, after), behindSequence) },
    evidence: { purge: (evidence) => twice((after) => evidence.purge(age, rows, after), behindSequence) },
    outbox: { purge: (outbox) => twice((after) => outbox.purge(age, rows, after), behindId) },
    links: { purgeSessions: (links) => twice((after) => links.purgeSessions(rows, after), [at, '\\x00']) },
    holds: {
      purge: (holds) => twice((after) => holds.purge(age, rows, after), behindId),
      emptyReleased: (holds) => holds.emptyReleased(rows, [id, id, id]),
    },
    drops: {
      purge: (store) => twice((after) => store.purge(age, batchSize, after), behindId),
      purgeActivity: (store) => twice((after) => store.purgeActivity(age, batchSize, after), behindId),
    },
  };
}

/** Sets the sizes of the tables that a hold can fill, of which the account with the hold has a tenth. */
const assumeLargeHold = `
  insert into holds (account_id, id, name, reason, placed_by)
    select id, gen_random_uuid(), 'x', '', 'x' from accounts where email = 'large@x.org';
  analyze holds;
  update pg_class set reltuples = 1e8 where relnamespace = 'public'::regnamespace and relname in (
    'audit_entries', 'deliveries', 'drops', 'evidence_entries', 'files', 'link_sessions', 'links', 'messages')`;

test('no purge grows with what a hold keeps', { timeout: 60_000 }, async () => {
  expect(purges.size).toBe(15);
  const found: string[] = [];
  for (const statement of purges.values()) {
    const plan = await genericPlan(statement, assumeLargeHold);
    const text = statement.text.replaceAll(/\s+/g, ' ').trim();
    for (const problem of [...findProblems(plan), ...findUnbounded(plan)]) found.push(`${problem}: ${text}`);
  }
  expect(found).toEqual([]);
});

/** As many rows as a batch looks at. */
const maxReadRows = 5 * batchSize.rows;
/** They return the rows that they get as they get them, and so end with the limit above them. */
const passingOn = new Set(['Incremental Sort', 'Nested Loop', 'Subquery Scan', 'WindowAgg']);

/** Scans of many rows that no limit ends. */
function findUnbounded(node: PlanNode, isLimited = false): string[] {
  const type = node['Node Type'];
  const relation = node['Relation Name'];
  const rows = node['Plan Rows'];
  const below = type === 'Limit' || (isLimited && passingOn.has(type));
  return [
    ...(relation && type.includes('Scan') && rows > maxReadRows && !isLimited
      ? [`reads ${rows} rows of ${relation}`]
      : []),
    ...(node.Plans ?? []).flatMap((plan) => findUnbounded(plan, below)),
  ];
}

function findProblems(node: PlanNode): string[] {
  const type = node['Node Type'];
  const relation = node['Relation Name'];
  const rows = node['Plan Rows'];
  return [
    ...(type === 'Seq Scan' && relation && !small.has(relation) ? [`reads all of ${relation}`] : []),
    ...(type === 'Sort' && rows > maxSortedRows ? [`sorts ${rows} rows`] : []),
    ...(node.Plans ?? []).flatMap(findProblems),
  ];
}

/** The plan that serves all parameters, which a prepared statement ends up with. */
async function genericPlan({ text, values }: Statement, assume = ''): Promise<PlanNode> {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query('set local plan_cache_mode = force_generic_plan');
    if (assume !== '') await client.query(assume);
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
