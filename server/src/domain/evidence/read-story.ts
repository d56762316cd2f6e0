import { formatTilePath, type ReadTile } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { LoggedEvidence, ReceiverStory } from './evidence-store.ts';
import { readCheckpoint } from './published-checkpoint.ts';
import { readTilesOf } from './read-log.ts';

/** The verifiers' limit: docs/evidence.md. */
const maxEntries = 100_000;
const pageSize = 1_000;
/** Neighbouring leaves share their tiles. */
const keptTiles = 64;

type Needs = Pick<Engines, 'store' | 'logObjects'>;

/** An entry that was not erased. */
export type WholeEntry = LoggedEvidence & { readonly data: Readonly<Record<string, unknown>>; readonly salt: Buffer };

interface CheckedLog {
  readonly published: PublishedNote | undefined;
  readonly cosigned: PublishedNote | undefined;
  readonly readTile: (tile: Parameters<ReadTile>[0], signal: AbortSignal) => ReturnType<ReadTile>;
}

interface PublishedNote {
  readonly origin: string;
  readonly checkpoint: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** The checkpoint of an epoch to which the entries are proven. */
export type ChosenCheckpoint = PublishedNote & Pick<CheckedLog, 'readTile'>;

/** Both stories that a receiver's receipt contains, in the order of the log. */
interface PublishedStory {
  readonly rows: readonly WholeEntry[];
  /** By epoch, in their order. */
  readonly checkpoints: ReadonlyMap<number, ChosenCheckpoint>;
}

/** Reads the published entries of a receiver and of the drop, and that the key of its files was destroyed. */
export async function readStory(engines: Needs, story: ReceiverStory): Promise<PublishedStory> {
  const logs = new Map<number, CheckedLog>();
  const found = await readEntries(engines, story, logs);
  const destroyed = await findDestroyedKey(engines, found, logs);
  const rows = destroyed ? insertInOrder(found, destroyed) : found;
  // The rows have the order of the log: the last leaf of each epoch remains.
  const lastLeaves = new Map(rows.map(({ epoch, leafIndex }) => [epoch, leafIndex]));
  const checkpoints = new Map(
    [...lastLeaves].map(([epoch, leaf]) => [epoch, chooseCheckpoint(logs.get(epoch) as CheckedLog, leaf)]),
  );
  return { rows, checkpoints };
}

/** Reads both stories up to the newest checkpoint, page by page. */
async function readEntries(engines: Needs, story: ReceiverStory, logs: Map<number, CheckedLog>): Promise<WholeEntry[]> {
  const rows: WholeEntry[] = [];
  for (let after: LoggedEvidence | undefined; ; ) {
    const page = await engines.store.evidence.readStories(story, after, pageSize);
    for (const row of page) {
      const { published } = await findLog(engines, row.epoch, logs);
      if (isCovered(row.leafIndex, published)) rows.push(requireWhole(row));
    }
    if (rows.length > maxEntries) throw storyTooLong();
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
  const { published } = await findLog(engines, row.epoch, logs);
  return isCovered(row.leafIndex, published) ? requireWhole(row) : undefined;
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
  const checked = {
    published: readNote(log?.checkpoint),
    cosigned: readNote(log?.cosignedCheckpoint),
    readTile: keepTiles(logObjects, epoch),
  };
  logs.set(epoch, checked);
  return checked;
}

function readNote(note: string | null | undefined): PublishedNote | undefined {
  const read = readCheckpoint(note ?? null);
  return read && note ? { origin: read.origin, checkpoint: note, size: read.size, root: read.root } : undefined;
}

function isCovered(leaf: number, note: PublishedNote | undefined): note is PublishedNote {
  return note !== undefined && leaf < note.size;
}

/** Chooses the checkpoint that witnesses have cosigned if it covers everything until this leaf, although a newer one may be published. */
function chooseCheckpoint({ published, cosigned, readTile }: CheckedLog, lastLeaf: number): ChosenCheckpoint {
  const note = isCovered(lastLeaf, cosigned) ? cosigned : published;
  if (!note) throw new TypeError('an entry of a receipt is not published');
  return { ...note, readTile };
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

export function storyTooLong(): ExchangeError {
  return new ExchangeError(
    'receipt_unavailable',
    'The story of this receiver is too long for a receipt. Read the activity of the receivers instead.',
  );
}
