import { setTimeout as pause } from 'node:timers/promises';
import { type Checkpoint, type EventData, encodeBase64, hashLeaf, readRoot } from '@waybill/evidence';
import type { Author } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError, MissingObject } from '../exchange-error.ts';
import { SetupError } from '../setup-error.ts';
import { commitEvent } from './commit-event.ts';
import type { Log, LogTurn, PlacedEntry } from './log-store.ts';
import { LogRefusal, type PublishedCheckpoint, readCheckpoint, readPublished } from './published-checkpoint.ts';
import { maxCheckpointBytes, readTilesOf, tileWidth, toCheckpointName } from './read-log.ts';
import { createKeys } from './signing-keys.ts';

/** Of the one who starts an epoch, who renews it at each step; longer than one takes. */
const leaseSeconds = 60;
/** An epoch that never published anything leaves a gap. */
const maxGap = 3;
const always = new AbortController().signal;

type Needs = Pick<Engines, 'store' | 'logObjects' | 'masterKeys' | 'random' | 'policy'>;

/**
 * Ends the log and starts another, under a new name and new keys, whose first entry names the last checkpoint of the old
 * one. Entries that the old log has not published go to the new one. Returns the new epoch.
 */
export async function startEpoch(
  engines: Needs,
  {
    reason,
    author,
    isAlone = false,
  }: {
    readonly reason: string;
    readonly author: Author;
    /** No other process runs. */
    readonly isAlone?: boolean;
  },
): Promise<{ readonly epoch: number; readonly origin: string; readonly moved: number }> {
  const { store, random, policy } = engines;
  const seized = await store.evidenceLog.seize(leaseSeconds);
  // The last holder of the lease may still be storing a checkpoint.
  if (seized && seized.heldSeconds > 0 && !isAlone) await pause(seized.heldSeconds * 1000);
  const published = seized && (await completePublished(engines, seized.turn, seized.log));
  const last = await findLast(engines, seized?.log, published);
  let moved = seized ? await unassignUnpublished(engines, seized.turn, seized.log, published?.size ?? 0) : 0;
  if (seized) moved += await settleEnded(engines, seized.turn);
  const epoch = last.epoch + 1;
  const origin = toOrigin(policy.publicUrl, epoch);
  const keys = await createKeys(engines, origin);
  const data: EventData<'log.started'> = { origin, previous: last.checkpoint, reason };
  await store.transaction(async (tx) => {
    const first = {
      id: random.uuid(),
      at: new Date(Math.floor((await tx.dayKeys.clock()) * 1000)),
      number: await tx.evidenceLog.nextNumber(),
      data,
      salt: random.bytes(32),
    };
    const commitment = commitEvent({ ...first, kind: 'log.started', dropId: null, position: null });
    if (!(await tx.evidenceLog.start({ epoch, origin, after: seized?.turn }, { ...first, commitment }, keys)))
      throw takenOver();
    const details = { epoch, origin, reason, moved };
    await record(engines, tx, { accountId: serverAccountId, author, action: 'log.started', details });
  });
  return { epoch, origin, moved };
}

/** Entries that were moved until then wait, and get their places from the worker that has the turn. */
function takenOver(): ExchangeError {
  return new ExchangeError(
    'precondition_failed',
    'Another process has taken over the evidence log meanwhile, and no epoch was started. No entry is lost. See whether it is still needed: waybilld admin log status',
  );
}

/** Extends the lease before a step that must not happen once another process has the turn. Returns when it ends, at the earliest. */
async function keepTurn({ store }: Needs, turn: LogTurn): Promise<number> {
  const since = performance.now();
  if (!(await store.evidenceLog.renew(turn, leaseSeconds))) throw takenOver();
  return since + leaseSeconds * 1000;
}

/** Ends with the lease, so that nothing is written after it. */
function whileLeased(until: number): AbortSignal {
  const leftMs = Math.floor(until - performance.now());
  if (leftMs <= 0) throw takenOver();
  return AbortSignal.timeout(leftMs);
}

/** The log's name: the public address without its scheme. */
export function toOrigin(publicUrl: string, epoch: number): string {
  const { host, pathname } = new URL(publicUrl);
  return `${host}${pathname.replace(/\/$/, '')}/log/${epoch}`;
}

/** The last epoch that the database or the bucket has, and its last checkpoint. A restored database may not know it. */
async function findLast(
  { logObjects }: Needs,
  known: Log | undefined,
  published: PublishedCheckpoint | undefined,
): Promise<{ readonly epoch: number; readonly checkpoint: EventData<'log.started'>['previous'] }> {
  const later = await findLastPublished({ logObjects }, known?.epoch);
  const epoch = later?.epoch ?? known?.epoch ?? 0;
  const checkpoint = later?.checkpoint ?? published ?? readCheckpoint(known?.checkpoint ?? null);
  const previous = checkpoint && {
    origin: checkpoint.origin,
    size: checkpoint.size,
    root: encodeBase64(checkpoint.root),
  };
  return { epoch, checkpoint: previous ?? null };
}

/** Finds the last epoch after this one whose checkpoint the bucket has; undefined if there is none. */
export async function findLastPublished(
  { logObjects }: Pick<Needs, 'logObjects'>,
  after = 0,
): Promise<{ readonly epoch: number; readonly checkpoint: Checkpoint } | undefined> {
  let last: { readonly epoch: number; readonly checkpoint: Checkpoint } | undefined;
  for (let epoch = after + 1; epoch <= (last?.epoch ?? after) + maxGap; epoch += 1) {
    const bytes = await logObjects.read(toCheckpointName(epoch), maxCheckpointBytes, always);
    const checkpoint = readCheckpoint(bytes?.toString() ?? null);
    if (checkpoint) last = { epoch, checkpoint };
  }
  return last;
}

/**
 * Finds the largest checkpoint of an epoch whose tiles are in the bucket. One that was signed may still be on its way there,
 * so it is put there first: nothing that it covers is logged again.
 */
async function completePublished(engines: Needs, turn: LogTurn, log: Log): Promise<PublishedCheckpoint | undefined> {
  const { logObjects, store } = engines;
  const inBucket = await readPublished(engines, log, always).catch((error: unknown) => {
    if (!(error instanceof LogRefusal)) throw error;
    return 'forged';
  });
  const candidates = [log.signedCheckpoint, log.checkpoint, typeof inBucket === 'object' ? inBucket.note : null]
    .flatMap((note) => {
      const checkpoint = readCheckpoint(note);
      return checkpoint && note !== null ? [{ ...checkpoint, note }] : [];
    })
    .toSorted((one, other) => other.size - one.size);
  for (const candidate of candidates) {
    if (!(await hasTiles(engines, log.epoch, candidate))) continue;
    // A checkpoint that somebody else has put there stays, for those who look into it.
    const isNewer = inBucket === undefined || (typeof inBucket === 'object' && inBucket.size < candidate.size);
    const until = await keepTurn(engines, turn);
    if (isNewer) await logObjects.put(toCheckpointName(log.epoch), Buffer.from(candidate.note), whileLeased(until));
    // Receipts need the checkpoint that covers their entries, also one of which a restored database has only a part.
    const covered = Math.min(candidate.size, log.size);
    const isRecorded =
      covered <= log.publishedSize || (await store.evidenceLog.publish(turn, covered, candidate.note, log.epoch));
    if (!isRecorded) throw takenOver();
    return candidate;
  }
  return undefined;
}

/** Settles entries of earlier epochs that no checkpoint covers: none is left there, unless something else went wrong. */
async function settleEnded(engines: Needs, turn: LogTurn): Promise<number> {
  const { store } = engines;
  let moved = 0;
  for (const log of await store.evidenceLog.list()) {
    if (log.endedAt === null) continue;
    const from = Math.max(log.publishedSize, 1);
    if ((await store.evidenceLog.placed(log.epoch, from, 1)).length === 0) continue;
    const published = await completePublished(engines, turn, log);
    moved += await unassignUnpublished(engines, turn, log, published?.size ?? 0);
  }
  return moved;
}

async function hasTiles({ logObjects }: Needs, epoch: number, { size, root }: Checkpoint): Promise<boolean> {
  const found = await readRoot(readTilesOf(logObjects, epoch), size).catch(unlessMissing);
  return found !== undefined && Buffer.compare(found, root) === 0;
}

/** Goes back from the last entry to where the bucket has what the database has: what comes after is logged again. */
async function unassignUnpublished(
  engines: Needs,
  turn: LogTurn,
  { epoch, size }: Log,
  published: number,
): Promise<number> {
  const { store, logObjects } = engines;
  const readTile = readTilesOf(logObjects, epoch);
  const readHashes = (index: number) => {
    const width = Math.min(tileWidth, published - index * tileWidth);
    return width <= 0 ? undefined : readTile({ level: 0, index, width }).catch(unlessMissing);
  };
  let moved = 0;
  for (let index = Math.ceil(size / tileWidth) - 1; index >= 0; index -= 1) {
    const placed = await store.evidenceLog.placed(epoch, index * tileWidth, tileWidth);
    // If rows are missing, those of the next tile follow.
    const entries = placed.filter(({ leafIndex }) => leafIndex < (index + 1) * tileWidth);
    const hashes = await readHashes(index);
    const isPublished = ({ leafIndex, commitment }: PlacedEntry) => {
      const at = (leafIndex - index * tileWidth) * 32;
      return hashes !== undefined && Buffer.compare(hashes.subarray(at, at + 32), hashLeaf(commitment)) === 0;
    };
    const unpublished = entries.filter((entry) => !isPublished(entry));
    // The log's own beginning belongs to this epoch.
    await keepTurn(engines, turn);
    const unassigned = await store.evidenceLog.unassign(
      turn,
      epoch,
      unpublished.filter(({ leafIndex }) => leafIndex > 0),
    );
    if (unassigned === undefined) throw takenOver();
    moved += unassigned;
    // A process that died here may have moved all entries of this tile, and not those before it.
    if (entries.length > 0 && unpublished.length === 0) break;
  }
  return moved;
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof MissingObject)) throw error;
}

/**
 * Throws a SetupError if an evidence log is in the bucket, which every installation has from its first minute. Nobody may
 * then begin with an empty database: it is not the one that the bucket belongs to.
 */
export async function requireUnusedBucket(engines: Pick<Engines, 'logObjects'>, bucket: string): Promise<void> {
  const last = await findLastPublished(engines);
  if (!last) return;
  const epochs = last.epoch === 1 ? '1 epoch' : `${last.epoch} epochs`;
  throw new SetupError(
    `The database is empty, but the bucket "${bucket}" is in use: it has an evidence log of ${epochs}. Correct WAYBILL_DATABASE_URL, or restore a backup with \`waybilld admin restore\`. To use the bucket for a new installation, empty it first.`,
  );
}
