// After any backup, the process that restored it into an emptied bucket can upload, send, read old files and make
// receipts with the engines that it restored with.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parseReceipt } from '@waybill/evidence';
import { afterEach, expect, test } from 'vitest';
import { requireKind } from '../../../../tools/test/require-kind.ts';
import { openTestPool } from '../../../test/database.ts';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { openRequestLink } from '../../../test/file-requests.ts';
import { collectFindings } from '../../../test/findings.ts';
import { deriveToken } from '../../../test/links.ts';
import { memoryLogObjects } from '../../../test/memory/memory-log-objects.ts';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { watchAudit } from '../../../test/watch-audit.ts';
import { folderBackupPlace } from '../../engines/folder/backup-place.ts';
import { databaseCopies } from '../../engines/postgres/backup/copies.ts';
import { migrationDeadlines, openDatabase } from '../../engines/postgres/database.ts';
import { migrate } from '../../engines/postgres/migrate.ts';
import { postgresStore } from '../../engines/postgres/store.ts';
import type { Actor } from '../actor.ts';
import { dispatchDraft } from '../drops/dispatch-draft.ts';
import { makeReceipt } from '../evidence/make-receipt.ts';
import { Sequencer } from '../evidence/sequencer.ts';
import { readSealed } from '../files/read-sealed.ts';
import { scrubAlone } from '../files/scrub.ts';
import { placeHold } from '../holds/change-holds.ts';
import { DayKeys, toDay } from '../keys/day-keys.ts';
import { examineDayKeys } from '../keys/examine-day-keys.ts';
import { findLink } from '../links/find-link.ts';
import { exportDayKeys, readMirror } from './day-key-mirror.ts';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore-backup.ts';

// For the client programs of PostgreSQL.
requireKind('engines');

const { signal } = new AbortController();
const receiver = 'r@example.org';
const key = Buffer.alloc(32, 1);
const opened: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.disposeAsync();
});

interface Kind {
  /** How long ago the backup was made, and everything in it. */
  readonly daysAgo?: number;
  readonly has?: readonly ('draft' | 'drop' | 'request' | 'hold' | 'key of tomorrow')[];
  /** Without a mirror, the day keys are still in the bucket. An older one does not have the key of tomorrow. */
  readonly mirror?: 'as of today' | 'older' | 'none';
  /** Files whose keys are destroyed by now. */
  readonly ended?: number;
}

/** A Waybill with the content of one kind, whose engines survive a restore. */
async function openWorld({ daysAgo = 0, has = [] }: Kind) {
  const own = new AsyncDisposableStack();
  opened.push(own);
  const keyObjects = memoryObjectStore();
  const objects = memoryObjectStore();
  const logObjects = memoryLogObjects();
  const exchange = await openTestExchange(objects, keyObjects);
  const { url } = exchange.database;
  const ownSessions = new Set<number>();
  const pool = openTestPool(url, undefined, ownSessions);
  own.defer(() => pool.end());
  const folder = mkdtempSync(join(tmpdir(), 'waybill-restore-'));
  own.defer(() => rmSync(folder, { recursive: true }));
  const store = watchAudit(postgresStore(openDatabase(pool)));
  const { masterKeys, random } = exchange.engines;
  const openKeys = (shiftSeconds = 0) => {
    const clock = async () => (await store.dayKeys.clock()) - shiftSeconds;
    const shifted = { ...store, dayKeys: { ...store.dayKeys, clock } };
    return new DayKeys({ store: shifted, objects: keyObjects, masterKeys, random });
  };
  const database = databaseCopies({
    url,
    openPool: () => openTestPool(url, migrationDeadlines, ownSessions),
    ownSessions,
  });
  const engines = Object.assign(exchange.engines, {
    store,
    logObjects,
    database,
    dayKeys: openKeys(daysAgo * 86_400),
    migrate: () => migrate(pool),
    bucket: {
      isEmpty: async () => objects.objects.size === 0,
      has: async (object: { key: string }) => objects.objects.has(object.key),
      keys: async function* () {
        yield* [...objects.objects.keys()].toSorted();
      },
    },
  });
  const sender = await exchange.account(receiver, 'c@example.org');
  const dropId = has.includes('drop') ? await exchange.drop(sender, [receiver], ['old.txt']) : undefined;
  if (has.includes('request')) await openRequestLink(exchange, ['c@example.org'], sender);
  if (has.includes('draft')) await exchange.upload(sender, 'draft.txt');
  if (has.includes('hold')) {
    const account = { id: sender.accountId, email: sender.email };
    await placeHold(engines, account, { dropId: dropId ?? null, name: 'a case', reason: 'a court', by: 'tester' });
  }
  if (has.includes('key of tomorrow')) await engines.dayKeys.wrap(key, 'a file', 86_400);
  await new Sequencer(engines).step(signal);
  // No other process runs while it is restored.
  await exchange.database.pool.end();
  const query = async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[];
  return {
    ...exchange,
    database: { ...exchange.database, query: query as TestExchange['database']['query'] },
    engines,
    sender,
    dropId,
    openKeys,
    keyObjects: keyObjects.objects,
    place: folderBackupPlace(folder, objects),
    empty: () => {
      objects.objects.clear();
      logObjects.objects.clear();
    },
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

async function backUpAndRestore(world: World, mirror: Kind['mirror']) {
  const { engines, place, keyObjects, empty, openKeys } = world;
  await makeBackup(engines, place, { signal });
  await exportDayKeys(engines, place);
  const today = toDay(Date.now() / 1000);
  const isMirrored = (day: number) => day >= today && (mirror !== 'older' || day !== today + 1);
  const dayKeys = new Map([...(await readMirror(place))].filter(([day]) => isMirrored(day)));
  // A process that is stopped before the restore makes keys that the backup does not have.
  const stopped = openKeys();
  for (const days of [0, 1, 7]) await stopped.wrap(key, 'a later file', days * 86_400);
  Object.assign(engines, { dayKeys: openKeys() });
  empty();
  if (mirror !== 'none') keyObjects.clear();
  const options = { signal, dayKeys: mirror === 'none' ? new Map() : dayKeys, overwrite: true, sendWaiting: false };
  return restoreBackup(engines, place, options);
}

async function readFiles({ engines, ...world }: World, sender: Actor, dropId: string): Promise<string[]> {
  const token = await deriveToken({ ...world, engines }, sender, dropId, 0);
  const files = await engines.store.links.files(await findLink(engines, token, 'downloadfiles'));
  return Promise.all(
    files.map(async (file) =>
      (await buffer(readSealed(engines, file, { start: 0, end: file.sizeBytes }, signal))).toString(),
    ),
  );
}

const kinds: Record<string, Kind> = {
  'of an empty Waybill': {},
  'with drafts': { has: ['draft'] },
  'with a drop, a request and a hold': { has: ['drop', 'request', 'hold'] },
  'with a drop, a draft and the key of tomorrow': { has: ['drop', 'draft', 'key of tomorrow'] },
  'with a drop, and the key of tomorrow that the mirror does not have': {
    has: ['drop', 'key of tomorrow'],
    mirror: 'older',
  },
  'with a drop, and day keys in the bucket only': { has: ['drop', 'draft'], mirror: 'none' },
  'of yesterday with a drop, a request and drafts': { daysAgo: 1, has: ['drop', 'request', 'draft'] },
  'of three days ago with drafts, whose keys are destroyed': {
    daysAgo: 3,
    has: ['drop', 'draft', 'key of tomorrow'],
    ended: 1,
  },
};

test.each(Object.entries(kinds))('after a restore of a backup %s', { timeout: 90_000 }, async (_name, kind) => {
  const world = await openWorld(kind);
  const { engines, sender, dropId } = world;
  const restored = await backUpAndRestore(world, kind.mirror);
  expect(restored).toMatchObject({ missing: 0, lostDays: [], damagedEpochs: [], ended: kind.ended ?? 0 });

  await world.upload(sender, 'staged.txt');
  await world.prepare(sender, [receiver], ['new.txt'], 'other');
  await dispatchDraft(engines, sender, { draft: 'other', parameters: { ddmessage: 'new' } }, 'downloadfiles');
  const [made] = await world.database.query<{ id: string }>(`select id from drops where message = 'new'`);
  const newDrop = made?.id ?? '';
  expect(await readFiles(world, sender, newDrop)).toEqual(['content of new.txt']);
  if (dropId !== undefined) expect(await readFiles(world, sender, dropId)).toEqual(['content of old.txt']);

  await new Sequencer(engines).step(signal);
  for (const id of [newDrop, ...(dropId === undefined ? [] : [dropId])]) {
    const wanted = { accountId: sender.accountId, dropId: id, position: 0, type: 'drop', languages: [] } as const;
    const { content } = await makeReceipt(engines, { ...wanted, format: 'json' }, signal);
    expect(parseReceipt(content).entries).not.toEqual([]);
  }

  // Another process, which has opened no key, reads every file, and what was sealed for any day.
  const other = { ...engines, dayKeys: world.openKeys() };
  for (const days of [null, ...Array.from({ length: 31 }, (_, index) => index)]) {
    const { wrapped, day } = await engines.dayKeys.wrap(key, 'a file', days === null ? null : days * 86_400);
    expect(await other.dayKeys.unwrap(wrapped, day, 'a file')).toEqual(key);
  }
  expect(await collectFindings(examineDayKeys(other))).toMatchObject([{ status: 'ok' }]);
  await scrubAlone(other);
  expect(await engines.store.scrub.damaged(undefined, 10)).toEqual([]);
});
