import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import {
  appendLeaves,
  createSigner,
  createVerifier,
  edgeRoot,
  emptyEdge,
  encodeBundle,
  formatBundlePath,
  formatCheckpoint,
  formatTilePath,
  hashLeaf,
  signNote,
} from '@waybill/evidence';
import { beforeEach, expect, test } from 'vitest';
import { checkLog, type LogFinding, type LogToCheck } from './check-log.ts';
import { commitEvent } from './commit-event.ts';
import type { LoggedEvidence } from './evidence-store.ts';

type Row = { -readonly [K in keyof LoggedEvidence]: LoggedEvidence[K] };

const origin = 'files.example.org/log/1';
const keys = generateKeyPairSync('ed25519');
const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
const signer = createSigner({
  name: origin,
  type: 1,
  publicKey,
  sign: (message) => sign(null, message, keys.privateKey),
  readTime: () => 0,
});
const start = Date.parse('2026-11-18T09:00:00.000Z');
const size = 600;

function makeRow(leafIndex: number): Row {
  const row = {
    epoch: 1,
    leafIndex,
    id: randomUUID(),
    at: new Date(start + leafIndex * 1_000),
    kind: 'link.opened',
    dropId: randomUUID(),
    position: 0,
    number: 0,
    data: { leafIndex },
    salt: Buffer.alloc(32, leafIndex % 251),
  };
  return { ...row, commitment: commitEvent(row) };
}

/** Publishes entries as the sequencer does, signed with the real key. */
async function publish(commitments: readonly Uint8Array[]): Promise<Map<string, Uint8Array>> {
  const { edge, tiles } = appendLeaves(
    emptyEdge,
    commitments.map((commitment) => hashLeaf(commitment)),
  );
  const files = new Map(tiles.map(({ tile, bytes }) => [formatTilePath(tile), bytes]));
  for (let from = 0; from < commitments.length; from += 256) {
    const some = commitments.slice(from, from + 256);
    files.set(formatBundlePath({ index: from / 256, width: some.length }), encodeBundle(some));
  }
  const text = formatCheckpoint({ origin, size: commitments.length, root: edgeRoot(edge) });
  return files.set('checkpoint', Buffer.from(await signNote(text, [signer])));
}

const toNote = (files: ReadonlyMap<string, Uint8Array>) => Buffer.from(files.get('checkpoint') ?? []).toString();

let rows: Row[];
let files: Map<string, Uint8Array>;
beforeEach(async () => {
  rows = Array.from({ length: size }, (_, index) => makeRow(index));
  files = await publish(rows.map(({ commitment }) => commitment));
});

async function check(changes: Partial<LogToCheck> = {}, from?: number) {
  const findings: LogFinding[] = [];
  const log: LogToCheck = {
    epoch: 1,
    origin,
    size,
    publishedSize: size,
    isEnded: false,
    readSizes: async () => ({ size: changes.size ?? size, publishedSize: changes.publishedSize ?? size }),
    publishedUntil: new Date(start + (size - 1) * 1_000),
    verifiers: [createVerifier(origin, 1, publicKey)],
    known: [],
    readEntries: async (first, end) => rows.filter(({ leafIndex }) => leafIndex >= first && leafIndex < end),
    readFile: async (path) => files.get(path),
    ...changes,
  };
  const result = await checkLog(log, {
    ...(from !== undefined && { from }),
    onFinding: (finding) => findings.push(finding),
  });
  expect(result.findings).toBe(findings.length);
  return { ...result, findings };
}

const row = (index: number): Row => {
  const found = rows[index];
  if (!found) throw new RangeError(`no row ${index}`);
  return found;
};

test('an honest log has no findings; erased entries are counted', async () => {
  for (const index of [3, 500]) Object.assign(row(index), { data: null, salt: null });
  expect(await check()).toEqual({ leaves: 600, erased: 2, lost: 0, findings: [] });
  expect(await check({}, 300)).toEqual({ leaves: 344, erased: 1, lost: 0, findings: [] });
  // Not published yet.
  rows.push(makeRow(600));
  expect(await check({ size: 601 })).toMatchObject({ findings: [] });
  rows = rows.slice(0, 590);
  expect(await check({ size: 590, isEnded: true })).toMatchObject({ lost: 10, findings: [] });
});

test('an edited, a deleted and an invented row are named', async () => {
  row(7).data = { leafIndex: 8 };
  row(300).at = new Date(row(300).at.getTime() + 1);
  Object.assign(row(301), { data: null, salt: null, commitment: Buffer.alloc(32) });
  const [deleted] = rows.splice(400, 1);
  rows.push(makeRow(601));
  const { findings } = await check();
  expect(findings).toMatchObject([
    { epoch: 1, problem: 'deleted', index: deleted?.leafIndex },
    { problem: 'edited', index: 7, entry: row(7).id, kind: 'link.opened' },
    { problem: 'edited', index: 300 },
    { problem: 'edited', index: 301 },
    { problem: 'invented', index: 601 },
  ]);
});

test('swapped rows are named, also if their commitments were swapped too', async () => {
  const [one, other] = [row(20), row(520)];
  [one.leafIndex, other.leafIndex] = [other.leafIndex, one.leafIndex];
  const { findings } = await check();
  expect(findings.filter(({ problem }) => problem !== 'clock set back')).toMatchObject([
    { problem: 'swapped', index: 20, entry: other.id, message: 'its event was published at leaf 520' },
    { problem: 'swapped', index: 520, entry: one.id, message: 'its event was published at leaf 20' },
  ]);
});

test('changed, missing and truncated files are named', async () => {
  files.set('tile/0/001', Buffer.alloc(8192));
  files.delete('tile/1/000.p/2');
  files.set('tile/entries/000', Buffer.alloc(3));
  expect((await check()).findings.map(({ problem, message }) => [problem, message.split(' ')[0]])).toEqual([
    ['file changed', 'tile/entries/000'],
    ['file changed', 'tile/0/001'],
    ['file missing', 'tile/1/000.p/2'],
  ]);
});

test('a log that was truncated, or rewritten and signed again, contradicts a checkpoint that was kept', async () => {
  const known = [{ source: 'kept.txt', note: toNote(files) }];
  const whole = rows;
  rows = rows.slice(0, 300);
  files = await publish(rows.map(({ commitment }) => commitment));
  const truncated = { known, size: 300, publishedSize: 300 };
  expect((await check(truncated)).findings).toMatchObject([
    { problem: 'truncated', message: expect.stringContaining('kept.txt covers 600') },
  ]);
  rows = [...whole.slice(0, 10), makeRow(10), ...whole.slice(11)];
  files = await publish(rows.map(({ commitment }) => commitment));
  expect((await check()).findings).toEqual([]);
  expect((await check({ known })).findings).toMatchObject([
    { problem: 'forked', message: expect.stringMatching(/^kept.txt: the root of 600/) },
  ]);
});

test('a checkpoint of another key, and a clock that was set back, are named', async () => {
  const late = row(200);
  late.at = new Date(start - 3_600_000);
  late.commitment = commitEvent({ ...late, data: late.data ?? {}, salt: late.salt ?? Buffer.alloc(32) });
  files = await publish(rows.map(({ commitment }) => commitment));
  expect((await check()).findings).toMatchObject([{ problem: 'clock set back', index: 200 }]);
  files.set('checkpoint', Buffer.from(toNote(files).replace('\n600\n', '\n599\n')));
  expect((await check()).findings).toMatchObject([{ problem: 'checkpoint invalid' }, { problem: 'clock set back' }]);
});
