import { setTimeout } from 'node:timers/promises';
import {
  encodeBase64,
  formatTilePath,
  type JsonValue,
  type LogProof,
  parseCheckpoint,
  proveInclusion,
  type ReadTile,
  toCanonicalJson,
} from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { toEvent } from './commit-event.ts';
import type { LoggedEvidence, ReceiverStory } from './evidence-store.ts';
import type { Log } from './log-store.ts';
import { readTilesOf } from './read-log.ts';

/** The verifiers' limits: docs/evidence.md. */
const maxEntries = 100_000;
/** Less than the limit by what is not in the entries. */
const maxReceiptBytes = 60 * 1024 * 1024;
const pageSize = 1_000;
/** The sequencer publishes a checkpoint at least once a second. */
const patienceMs = 3_000;
const pauseMs = 100;
/** Neighbouring leaves share their tiles. */
const keptTiles = 64;
/** Proofs that are attached to a PDF one by one. */
const attachedProofs = 50;

type Needs = Pick<Engines, 'store' | 'logObjects'>;

/** An event as receipts contain it. */
export type ReceiptEvent = ReturnType<typeof toEvent>;

/** A receipt, whose form docs/evidence.md describes, and what its pages and attachments need of it. */
export interface Receipt {
  /** The canonical document. */
  readonly json: Buffer;
  /** Of a drop or of a request for files, as its first event says. */
  readonly type: unknown;
  readonly issuedAt: Date;
  readonly events: readonly ReceiptEvent[];
  /** The newest checkpoint. */
  readonly log: { readonly origin: string; readonly size: number };
  /** The first entries, each with its own proof. */
  readonly proofs: readonly (LogProof & { readonly kind: string })[];
}

/**
 * Makes the receipt of a receiver of a drop: every event that was acknowledged before, with its proof. An event reaches the
 * log within about a second, so this waits for it rather than leave it out.
 */
export async function buildReceipt(engines: Needs, story: ReceiverStory, signal: AbortSignal): Promise<Receipt> {
  const issuedAt = await waitForLog(engines, story, signal);
  const logs = new Map<number, CheckedLog>();
  const found = await readEntries(engines, story, logs);
  const destroyed = await findDestroyedKey(engines, found, logs);
  const rows = destroyed ? insertInOrder(found, destroyed) : found;
  const checkpoints = [...new Set(rows.map(({ epoch }) => epoch))].map((epoch) => logs.get(epoch) as CheckedLog);
  const entries: string[] = [];
  const proofs: Receipt['proofs'][number][] = [];
  let bytes = 0;
  for (const row of rows) {
    const log = logs.get(row.epoch) as CheckedLog;
    const proof = await proveInclusion((tile) => log.readTile(tile, signal), row.leafIndex, log.size);
    const entry = toCanonicalJson({
      checkpoint: checkpoints.indexOf(log),
      event: toEvent(row) as unknown as JsonValue,
      index: row.leafIndex,
      proof: proof.map(encodeBase64),
      salt: row.salt.toString('base64'),
    });
    bytes += Buffer.byteLength(entry);
    if (bytes > maxReceiptBytes) throw tooLong();
    entries.push(entry);
    if (proofs.length < attachedProofs)
      proofs.push({ index: row.leafIndex, proof, checkpoint: log.checkpoint, kind: row.kind });
  }
  const { origin, size } = checkpoints.at(-1) as CheckedLog;
  return {
    json: writeReceipt(story, issuedAt, checkpoints, entries),
    type: rows.find(({ kind }) => kind === 'submission.accepted')?.data['type'],
    issuedAt,
    events: rows.map(toEvent),
    log: { origin, size },
    proofs,
  };
}

/** Joins the entries, of which there may be many, to a canonical document: its members are in their order. */
function writeReceipt(
  { dropId, position }: ReceiverStory,
  issuedAt: Date,
  checkpoints: readonly CheckedLog[],
  entries: readonly string[],
): Buffer {
  const members = [
    ['checkpoints', toCanonicalJson(checkpoints.map(({ checkpoint }) => checkpoint))],
    ['drop', toCanonicalJson(dropId)],
    ['entries', `[${entries.join(',')}]`],
    ['issued_at', toCanonicalJson(issuedAt.toISOString())],
    ['receiver', toCanonicalJson(position)],
    ['type', toCanonicalJson('waybill-receipt@v1')],
  ];
  return Buffer.from(`{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`);
}

/** Waits until a published checkpoint covers every event before this moment, which it returns. */
async function waitForLog({ store }: Needs, story: ReceiverStory, signal: AbortSignal): Promise<Date> {
  const deadline = performance.now() + patienceMs;
  const { now } = await store.evidence.checkPublished(story);
  for (;;) {
    const { isPublished } = await store.evidence.checkPublished(story, now);
    if (isPublished) return now;
    if (performance.now() + pauseMs > deadline) throw new ExchangeError('receipt_not_ready');
    await setTimeout(pauseMs, undefined, { signal });
  }
}

/** An entry that was not erased. */
type WholeEntry = LoggedEvidence & { readonly data: Readonly<Record<string, unknown>>; readonly salt: Buffer };

interface CheckedLog {
  readonly origin: string;
  readonly checkpoint: string;
  readonly size: number;
  readonly readTile: (tile: Parameters<ReadTile>[0], signal: AbortSignal) => ReturnType<ReadTile>;
}

/** Reads both stories up to the newest checkpoint, page by page. */
async function readEntries(engines: Needs, story: ReceiverStory, logs: Map<number, CheckedLog>): Promise<WholeEntry[]> {
  const rows: WholeEntry[] = [];
  for (let after: LoggedEvidence | undefined; ; ) {
    const page = await engines.store.evidence.readStories(story, after, pageSize);
    for (const row of page) {
      const { size } = await findLog(engines, row.epoch, logs);
      if (row.leafIndex < size) rows.push(requireWhole(row));
    }
    if (rows.length > maxEntries) throw tooLong();
    after = page.at(-1);
    if (page.length < pageSize) break;
  }
  const hasBoth = [null, story.position].every((position) => rows.some((row) => row.position === position));
  if (!hasBoth) throw new ExchangeError('not_found');
  return rows;
}

function requireWhole(row: LoggedEvidence): WholeEntry {
  const { data, salt } = row;
  if (data === null || salt === null) throw new ExchangeError('receipt_unavailable');
  return { ...row, data, salt };
}

/** Finds the destruction of the key of the files, if the drop has ended and it has happened. */
async function findDestroyedKey(
  engines: Needs,
  rows: readonly WholeEntry[],
  logs: Map<number, CheckedLog>,
): Promise<WholeEntry | undefined> {
  const day = rows.findLast(({ kind }) => kind === 'drop.expired' || kind === 'drop.revoked')?.data['key_day'];
  const row = typeof day === 'string' ? await engines.store.evidence.findDestroyedKey(day) : undefined;
  if (!row) return undefined;
  const { size } = await findLog(engines, row.epoch, logs);
  return row.leafIndex < size ? requireWhole(row) : undefined;
}

function insertInOrder(rows: readonly WholeEntry[], added: WholeEntry): WholeEntry[] {
  const isLater = (row: WholeEntry) =>
    row.epoch > added.epoch || (row.epoch === added.epoch && row.leafIndex > added.leafIndex);
  const at = rows.findIndex(isLater);
  return at < 0 ? [...rows, added] : rows.toSpliced(at, 0, added);
}

async function findLog(
  { store, logObjects }: Needs,
  epoch: number,
  logs: Map<number, CheckedLog>,
): Promise<CheckedLog> {
  const known = logs.get(epoch);
  if (known) return known;
  const log = await store.evidenceLog.find(epoch);
  const checkpoint = log && chooseCheckpoint(log);
  const unpublished = { origin: '', checkpoint: '', size: 0 };
  const checked = { ...(checkpoint ?? unpublished), readTile: keepTiles(logObjects, epoch) };
  logs.set(epoch, checked);
  return checked;
}

/** Prefers the checkpoint that witnesses have signed, unless it lacks what was published since. */
function chooseCheckpoint({ checkpoint, cosignedCheckpoint }: Log): Omit<CheckedLog, 'readTile'> | undefined {
  const [published, cosigned] = [checkpoint, cosignedCheckpoint].map((note) => {
    const read = note === null ? undefined : parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1));
    return note === null || !read ? undefined : { origin: read.origin, checkpoint: note, size: read.size };
  });
  return cosigned && cosigned.size >= (published?.size ?? 0) ? cosigned : published;
}

/** Reads each tile of an epoch once, as long as it is among the last that were read. */
function keepTiles(logObjects: Needs['logObjects'], epoch: number): CheckedLog['readTile'] {
  const kept = new Map<string, ReturnType<ReadTile>>();
  return (tile, signal) => {
    const path = formatTilePath(tile);
    const bytes = kept.get(path) ?? readTilesOf(logObjects, epoch, signal)(tile);
    kept.delete(path);
    kept.set(path, bytes);
    const [oldest] = kept.keys();
    if (kept.size > keptTiles && oldest !== undefined) kept.delete(oldest);
    return bytes;
  };
}

function tooLong(): ExchangeError {
  return new ExchangeError('receipt_unavailable', 'The story of this receiver is too long for a receipt.');
}
