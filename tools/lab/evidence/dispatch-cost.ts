/**
 * Measures the cost of evidence to a dispatch: drops to some receivers are created in turn with and without the statement
 * that writes their evidence, by the program's own operations, from setting the receivers to the commit.
 */
import { hash, randomBytes, randomUUIDv7 } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAccount } from '../../../server/src/domain/accounts/create-account.ts';
import { commandAuthor, keyAuthor } from '../../../server/src/domain/audit/author.ts';
import { replaceContacts } from '../../../server/src/domain/contacts/replace-contacts.ts';
import { openFileList } from '../../../server/src/domain/drafts/open-file-list.ts';
import { setReceivers } from '../../../server/src/domain/drafts/set-receivers.ts';
import { createDrop } from '../../../server/src/domain/drops/create-drop.ts';
import { DayKeys } from '../../../server/src/domain/keys/day-keys.ts';
import type { Store } from '../../../server/src/domain/store.ts';
import { keyfileProvider } from '../../../server/src/engines/keyfile/key-provider.ts';
import { openDatabase, openPool, requestDeadlines } from '../../../server/src/engines/postgres/database.ts';
import { migrate } from '../../../server/src/engines/postgres/migrate.ts';
import { postgresStore } from '../../../server/src/engines/postgres/store.ts';
import { memoryObjectStore } from '../../../server/src/testing/memory/memory-object-store.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string' },
    rounds: { type: 'string', default: '1000' },
    receivers: { type: 'string', default: '2' },
    files: { type: 'string', default: '1' },
  },
});
const [rounds, receiverCount, fileCount] = [options.rounds, options.receivers, options.files].map(Number) as [
  number,
  number,
  number,
];
if (!options.database || ![rounds, receiverCount, fileCount].every((count) => count > 0)) {
  process.stderr.write('evidence-cost: needs --database; see npm run lab -- evidence-cost --help\n');
  process.exit(64);
}
const warmUpRounds = 50;

const random = { bytes: randomBytes, uuid: randomUUIDv7 };
const pool = openPool({ url: options.database, connections: 4, deadlines: requestDeadlines, onError: () => undefined });
await migrate(pool);
const store = postgresStore(openDatabase(pool));
const folder = mkdtempSync(join(tmpdir(), 'waybill-evidence-cost-'));
const keyFile = join(folder, 'master-keys');
writeFileSync(keyFile, `1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
const dayKeys = new DayKeys({
  store,
  objects: memoryObjectStore(),
  masterKeys: keyfileProvider(keyFile, random),
  random,
});
const engines = {
  store,
  random,
  dayKeys,
  sms: undefined,
  pepper: randomBytes(32),
  administrator: commandAuthor({ user: 'lab' }),
  checkpoint: () => undefined,
  messageLimit: { acquire: async () => undefined },
  policy: { lifetime: { unitSeconds: 86_400, min: 1, max: 30, only: null, default: 7 }, secondFactor: 'off' },
} as unknown as Parameters<typeof createDrop>[0] & Parameters<typeof createAccount>[0];
const noEvidence = (tx: Store) => ({ ...tx, evidence: { ...tx.evidence, appendSubmission: async () => undefined } });
const contenders: Record<'evidence' | 'none', Store> = {
  evidence: store,
  none: { ...store, transaction: (work) => store.transaction((tx) => work(noEvidence(tx))) },
};
type Contender = keyof typeof contenders;

const email = `${random.uuid()}@example.org`;
const { account } = await createAccount(engines, { email, phone: '46701234567', type: 'api' });
const actor = { accountId: account.id, email, author: keyAuthor(random.uuid(), email) };
const receivers = Array.from({ length: receiverCount }, (_, place) => ({ email: `receiver${place}@example.net` }));
await replaceContacts(engines, actor, { contacts: receivers, lenient: false });

/** Returns the milliseconds from setting the receivers to the commit, of which the last part is the dispatch itself. */
async function dispatch(given: Store): Promise<{ all: number; last: number }> {
  await stageFiles();
  const used = { ...engines, store: given };
  const start = performance.now();
  await setReceivers(used, actor, '', receivers);
  await openFileList(used, actor, '');
  const middle = performance.now();
  await createDrop(used, actor, { draft: '', parameters: { ddmessage: random.uuid() } });
  const end = performance.now();
  return { all: end - start, last: end - middle };
}

/** Files as an upload leaves them in a draft. */
async function stageFiles(): Promise<void> {
  for (let place = 0; place < fileCount; place += 1) {
    const id = random.uuid();
    const { wrapped, day } = await dayKeys.wrap(random.bytes(32), id, null);
    await pool.query(
      `insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, crc32, scan, chunk_count,
         wrapped_key, key_day)
       values ($1, $2, 'ready', '', $3, 'text/plain', 1000, $4, 0, 'clean', 1, $5, $6)`,
      [account.id, id, `file ${place}.txt`, hash('sha256', id, 'buffer'), wrapped, day],
    );
  }
}

/** The value below which this part of them is. */
const quantile = (values: readonly number[], part: number) =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * part)] ?? 0;
const names = Object.keys(contenders) as Contender[];
const times = Object.fromEntries(names.map((name) => [name, { all: [], last: [] }])) as unknown as Record<
  Contender,
  Record<'all' | 'last', number[]>
>;
const before = loadavg()[0] ?? 0;
for (let round = -warmUpRounds; round < rounds; round += 1) {
  // Which of them comes first changes with every round.
  for (const place of names.keys()) {
    const name = names[(place + round + warmUpRounds) % names.length] as Contender;
    const { all, last } = await dispatch(contenders[name]);
    if (round < 0) continue;
    times[name].all.push(all);
    times[name].last.push(last);
  }
}
await pool.end();
rmSync(folder, { recursive: true });

/** The fastest tenth shows what other programs on the machine disturb least. */
const describe = (what: string, part: 'all' | 'last') =>
  [0.1, 0.5].map((share) => {
    const [own, none] = names.map((name) => quantile(times[name][part], share)) as [number, number];
    return `${what}, ${share === 0.5 ? 'median' : 'fastest tenth'}: ${own.toFixed(2)} ms; ${(own / none).toFixed(3)} of that without evidence`;
  });
const load = `load ${before.toFixed(1)} to ${(loadavg()[0] ?? 0).toFixed(1)}`;
process.stdout.write(
  `${[
    `${rounds} rounds, ${receiverCount} receivers and ${fileCount} files each; ${load}`,
    ...describe('receivers, file list and dispatch', 'all'),
    ...describe('the dispatch alone', 'last'),
  ].join('\n')}\n`,
);
