import {
  appendLeaves,
  type Checkpoint,
  decodeBundle,
  type Edge,
  edgeRoot,
  emptyEdge,
  encodeBase64,
  formatBundlePath,
  formatTilePath,
  hashLeaf,
  listTiles,
  loadEdge,
  openNote,
  parseCheckpoint,
  type Tile,
  type Verifier,
} from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { commitEvent } from './commit-event.ts';
import type { LoggedEvidence } from './evidence-store.ts';
import type { Log } from './log-store.ts';
import { toNothing } from './published-checkpoint.ts';
import { readLogFile } from './read-log.ts';
import { toVerifier } from './signing-keys.ts';

const entriesAtOnce = 256;
/** An entry that waits for longer is late: batches are a second apart. */
export const lateSeconds = 60;

/** An epoch of the log, as the database and the bucket have it. */
export interface LogToCheck {
  readonly epoch: number;
  readonly origin: string;
  /** Leaves that entries have, and leaves that the published checkpoint covers. */
  readonly size: number;
  readonly publishedSize: number;
  /** Whether another epoch follows: entries that a restored database has never had are lost then, and not deleted. */
  readonly isEnded: boolean;
  readonly verifiers: readonly Verifier[];
  /** Checkpoints that are known besides the one in the bucket, each with the name of its source. */
  readonly known: readonly { readonly source: string; readonly note: string }[];
  /** The entries with leaves from `from` to before `to`, in order; at most a few thousand. */
  readonly readEntries: (from: number, to: number) => Promise<readonly LoggedEvidence[]>;
  /** Reads the sizes again, which grow meanwhile. */
  readonly readSizes: () => Promise<Pick<LogToCheck, 'size' | 'publishedSize'>>;
  /** Entries that are older than this are published. */
  readonly publishedUntil: Date;
  /** Reads a public file, such as `checkpoint` or `tile/0/000`. */
  readonly readFile: (path: string) => Promise<Uint8Array | undefined>;
}

export type LogProblem =
  | 'edited'
  | 'deleted'
  | 'swapped'
  | 'invented'
  | 'unpublished'
  | 'clock set back'
  | 'file missing'
  | 'file changed'
  | 'checkpoint invalid'
  | 'truncated'
  | 'forked';

/** Opens an epoch of the log, with checkpoints that were kept elsewhere. */
export async function openLog(
  { store, logObjects }: Pick<Engines, 'store' | 'logObjects'>,
  { epoch, origin, size, publishedSize, ...log }: Log,
  kept: LogToCheck['known'],
  signal: AbortSignal,
): Promise<LogToCheck> {
  const keys = await store.evidenceLog.listKeys(epoch);
  const stored = [
    { source: 'the database', note: log.checkpoint },
    { source: 'the cosigned checkpoint', note: log.cosignedCheckpoint },
  ];
  return {
    epoch,
    origin,
    size,
    publishedSize,
    isEnded: log.endedAt !== null,
    verifiers: keys.map((key) => toVerifier(origin, key)),
    known: [...stored.flatMap(({ source, note }) => (note === null ? [] : [{ source, note }])), ...kept],
    readEntries: async (from, to) => {
      const rows = await store.evidence.readLeaves({ epoch, leafIndex: from }, Math.min(to - from, entriesAtOnce));
      return rows.filter(({ leafIndex }) => leafIndex < to);
    },
    readSizes: async () => (await store.evidenceLog.find(epoch)) ?? { size, publishedSize },
    publishedUntil: new Date(((await store.dayKeys.clock()) - lateSeconds) * 1000),
    readFile: (path) => readLogFile(logObjects, epoch, path, signal).catch(toNothing),
  };
}

/** A contradiction between the database, the bucket and the checkpoints. */
export interface LogFinding {
  readonly epoch: number;
  readonly problem: LogProblem;
  /** Says what differs. */
  readonly message: string;
  readonly index?: number;
  readonly entry?: string;
  readonly kind?: string;
}

export interface LogCheck {
  readonly leaves: number;
  readonly erased: number;
  /** Leaves of an epoch that has ended whose entries were lost when the database was restored. */
  readonly lost: number;
  readonly findings: number;
}

/** A clock may be corrected by this much without a finding. */
const clockToleranceMs = 5 * 60_000;
const bundleWidth = 256;
/** Further contradictions are counted as edits: there is no need to know which rows were swapped in a log that is all wrong. */
const maxPaired = 10_000;

interface Contradiction {
  readonly row: LoggedEvidence;
  readonly published: string;
  readonly computed: string;
}

/**
 * Computes an epoch of the log anew from the entries in the database, and compares it with the public files and with every
 * checkpoint that is known. Reads a bundle of leaves at a time.
 */
export async function checkLog(
  log: LogToCheck,
  options: {
    readonly from?: number;
    readonly onFinding: (finding: LogFinding) => void;
    readonly onProgress?: (leaves: number) => void;
  },
): Promise<LogCheck> {
  let findings = 0;
  const report = (finding: Omit<LogFinding, 'epoch'>) => {
    findings += 1;
    options.onFinding({ epoch: log.epoch, ...finding });
  };
  const checkpoints = await readCheckpoints(log, report);
  const published = checkpoints[0]?.source === 'bucket' ? checkpoints[0].size : log.publishedSize;
  const start = Math.floor((options.from ?? 0) / bundleWidth) * bundleWidth;
  let edge = start === 0 ? emptyEdge : await loadEdge(readTilesFor(log, published), start);
  let erased = 0;
  let lost = 0;
  let latest: LoggedEvidence | undefined;
  const contradictions: Contradiction[] = [];

  for (let from = start; from < published; from += bundleWidth) {
    const to = Math.min(from + bundleWidth, published);
    const bundle = await readBundle(log, from, to - from, report);
    const rows = new Map((await log.readEntries(from, to)).map((row) => [row.leafIndex, row]));
    for (let index = from; index < to; index++) {
      const row = rows.get(index);
      const commitment = bundle?.[index - from];
      if (!row && log.isEnded && index >= log.size) {
        lost += 1;
        continue;
      }
      if (!row) {
        report({ problem: 'deleted', index, message: `the entry of leaf ${index} is missing in the database` });
        continue;
      }
      if (row.salt === null) erased += 1;
      if (commitment) compareEntry(row, commitment, contradictions, report);
      if (latest && row.at.getTime() < latest.at.getTime() - clockToleranceMs)
        report({
          ...name(row),
          problem: 'clock set back',
          message: `its time ${row.at.toISOString()} is before that of leaf ${latest.leafIndex}, ${latest.at.toISOString()}`,
        });
      if (!latest || row.at > latest.at) latest = row;
    }
    edge = await appendBundle(log, edge, { from, to, bundle, rows }, checkpoints, report);
    options.onProgress?.(to - start);
  }
  for (const tile of listTiles(edge.size))
    if (tile.width < bundleWidth) await compareTile(log, tile, Buffer.concat(edge.levels[tile.level] ?? []), report);
  pairSwapped(contradictions, report);
  await findInvented(log, report);
  await findUnpublished(log, report);
  for (const { source, size } of checkpoints.filter((one) => one.size > published))
    report({ problem: 'truncated', message: `the bucket has ${published} leaves, but ${source} covers ${size}` });
  return { leaves: Math.max(published - start, 0), erased, lost, findings };
}

type Report = (finding: Omit<LogFinding, 'epoch'>) => void;

interface KnownCheckpoint extends Checkpoint {
  readonly source: string;
}

/** Returns the checkpoints with a valid signature of the log; the one in the bucket is the first, if it is there. */
async function readCheckpoints(log: LogToCheck, report: Report): Promise<KnownCheckpoint[]> {
  const bytes = await log.readFile('checkpoint');
  if (!bytes && log.publishedSize > 0)
    report({ problem: 'file missing', message: 'the checkpoint is missing in the bucket' });
  const notes = [
    ...(bytes ? [{ source: 'bucket', note: Buffer.from(bytes).toString('utf8') }] : []),
    ...log.known.filter(({ note }) => note.startsWith(`${log.origin}\n`)),
  ];
  return notes.flatMap(({ source, note }) => {
    try {
      const checkpoint = parseCheckpoint(openNote(note, log.verifiers).text);
      if (checkpoint?.origin === log.origin) return [{ ...checkpoint, source }];
    } catch (error) {
      report({ problem: 'checkpoint invalid', message: `${source}: ${(error as Error).message}` });
      return [];
    }
    report({ problem: 'checkpoint invalid', message: `${source}: it is not a checkpoint of ${log.origin}` });
    return [];
  });
}

async function readBundle(
  log: LogToCheck,
  from: number,
  width: number,
  report: Report,
): Promise<Uint8Array[] | undefined> {
  const path = formatBundlePath({ index: from / bundleWidth, width });
  const bytes = await log.readFile(path);
  if (!bytes) {
    report({ problem: 'file missing', message: `${path} is missing in the bucket` });
    return undefined;
  }
  try {
    const entries = decodeBundle(bytes);
    if (entries.length === width && entries.every(({ length }) => length === 32)) return entries;
  } catch {
    // Reported below.
  }
  report({ problem: 'file changed', message: `${path} is not a bundle of ${width} commitments` });
  return undefined;
}

/** An erased entry has no event any more; its commitment must still be the published one. */
function compareEntry(row: LoggedEvidence, published: Uint8Array, found: Contradiction[], report: Report): void {
  const computed = computeCommitment(row);
  if (computed instanceof Error) {
    report({ ...name(row), problem: 'edited', message: `its event has no commitment: ${computed.message}` });
    return;
  }
  if (Buffer.compare(computed, published) !== 0) {
    const contradiction = { row, published: toHex(published), computed: toHex(computed) };
    if (found.length < maxPaired) found.push(contradiction);
    else reportEdited(contradiction, report);
  } else if (Buffer.compare(row.commitment, published) !== 0) {
    report({ ...name(row), problem: 'edited', message: 'its commitment in the database is not the published one' });
  }
}

/** An error if a change has made something of the event that no event is. */
function computeCommitment({ data, salt, ...row }: LoggedEvidence): Buffer | Error {
  if (salt === null || data === null) return row.commitment;
  try {
    return commitEvent({ ...row, data, salt });
  } catch (error) {
    return error as Error;
  }
}

/** Two rows whose events are at each other's leaf were swapped; one whose event is published elsewhere was moved. */
function pairSwapped(contradictions: readonly Contradiction[], report: Report): void {
  const publishedAt = new Map(contradictions.map(({ row, published }) => [published, row.leafIndex]));
  for (const contradiction of contradictions) {
    const { row, computed } = contradiction;
    const place = publishedAt.get(computed);
    if (place === undefined) reportEdited(contradiction, report);
    else report({ ...name(row), problem: 'swapped', message: `its event was published at leaf ${place}` });
  }
}

function reportEdited({ row, published, computed }: Contradiction, report: Report): void {
  const message = `its event commits to ${computed}, but ${published} was published`;
  report({ ...name(row), problem: 'edited', message });
}

/** The leaves of one bundle, from the bucket and from the database. */
interface ReadLeaves {
  readonly from: number;
  readonly to: number;
  readonly bundle: readonly Uint8Array[] | undefined;
  readonly rows: ReadonlyMap<number, LoggedEvidence>;
}

/** Appends the leaves as published, and compares tiles, and roots where a checkpoint ends in this bundle. */
async function appendBundle(
  log: LogToCheck,
  edge: Edge,
  { from, to, bundle, rows }: ReadLeaves,
  checkpoints: readonly KnownCheckpoint[],
  report: Report,
): Promise<Edge> {
  const leaves: Uint8Array[] = [];
  for (let index = from; index < to; index++) {
    const commitment = bundle?.[index - from] ?? rows.get(index)?.commitment ?? new Uint8Array(32);
    leaves.push(hashLeaf(commitment));
  }
  for (const { source, size, root } of checkpoints.filter((one) => one.size > from && one.size <= to)) {
    const computed = edgeRoot(appendLeaves(edge, leaves.slice(0, size - from)).edge);
    if (Buffer.compare(computed, root) === 0) continue;
    const roots = `${encodeBase64(root)}, but the leaves have ${encodeBase64(computed)}`;
    report({ problem: 'forked', message: `${source}: the root of ${size} leaves is ${roots}` });
  }
  const appended = appendLeaves(edge, leaves);
  // Tiles that are not full exist for the size that is published, and need not for smaller ones.
  for (const { tile, bytes } of appended.tiles)
    if (tile.width === bundleWidth) await compareTile(log, tile, bytes, report);
  return appended.edge;
}

async function compareTile(log: LogToCheck, tile: Tile, expected: Uint8Array, report: Report): Promise<void> {
  const path = formatTilePath(tile);
  const bytes = await log.readFile(path);
  if (!bytes) report({ problem: 'file missing', message: `${path} is missing in the bucket` });
  else if (Buffer.compare(bytes, expected) !== 0)
    report({ problem: 'file changed', message: `${path} does not follow from the commitments` });
}

/** Entries beyond the leaves that were assigned have not come from the sequencer, which changes both at once. */
async function findInvented(log: LogToCheck, report: Report): Promise<void> {
  const rows = await log.readEntries(log.size, Number.MAX_SAFE_INTEGER);
  const { size } = rows.length === 0 ? log : await log.readSizes();
  for (const row of rows.filter(({ leafIndex }) => leafIndex >= size))
    report({ ...name(row), problem: 'invented', message: `the log has ${size} leaves only` });
}

/** Entries that have a place, and are not proven by the checkpoint that receipts use. */
async function findUnpublished(log: LogToCheck, report: Report): Promise<void> {
  let from = log.publishedSize;
  while (from < log.size) {
    const rows = await log.readEntries(from, log.size);
    const { publishedSize } = rows.length === 0 ? log : await log.readSizes();
    for (const row of rows) {
      // The first entry of an epoch belongs to it, and nothing is left to prove of one that was erased.
      const isProvable = row.leafIndex > 0 && row.salt !== null;
      if (row.leafIndex < publishedSize || row.at > log.publishedUntil || (log.isEnded && !isProvable)) continue;
      report({
        ...name(row),
        problem: 'unpublished',
        message: 'it has a place, and no published checkpoint covers it',
      });
    }
    const last = rows.at(-1);
    if (!last) break;
    from = last.leafIndex + 1;
  }
}

/** Reads tiles of a smaller tree: each is the beginning of the one that is published. */
function readTilesFor(log: LogToCheck, published: number): (tile: Tile) => Promise<Uint8Array> {
  return async ({ level, index, width }) => {
    const publishedWidth = Math.min(bundleWidth, Math.floor(published / bundleWidth ** level) - index * bundleWidth);
    const path = formatTilePath({ level, index, width: publishedWidth });
    const bytes = await log.readFile(path);
    if (!bytes || bytes.length < width * 32) throw new Error(`${path} is missing in the bucket`);
    return bytes.subarray(0, width * 32);
  };
}

function name(row: LoggedEvidence): Pick<LogFinding, 'index' | 'entry' | 'kind'> {
  return { index: row.leafIndex, entry: row.id, kind: row.kind };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
