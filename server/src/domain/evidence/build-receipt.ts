import { setTimeout } from 'node:timers/promises';
import {
  encodeBase64,
  formatCheckpoint,
  hashLeaf,
  type JsonValue,
  type LogProof,
  proveConsistency,
  proveInclusion,
  readTimeStamp,
  toCanonicalJson,
  verifyInclusion,
} from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { PrintableReceipt } from '../ports/receipt-printer.ts';
import { commitEvent, toEvent } from './commit-event.ts';
import type { ReceiverStory } from './evidence-store.ts';
import type { LogTimeStamp } from './log-store.ts';
import { listSignatures } from './published-checkpoint.ts';
import { type ChosenCheckpoint, readStory, storyTooLong, type WholeEntry } from './read-story.ts';

/** Less than the verifiers' limit, in docs/evidence.md, by what is not in the entries. */
const maxReceiptBytes = 60 * 1024 * 1024;
/** The sequencer publishes a checkpoint at least once a second, and witnesses that are not down cosign it right after. */
const patienceMs = 3_000;
const pauseMs = 100;
/** Each has some kilobytes. An event that is later than all of them has none. */
const maxTimeStamps = 20;
/** Proofs that are attached to a PDF one by one. */
const attachedProofs = 50;

type Needs = Pick<Engines, 'store' | 'logObjects' | 'witnesses'>;

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
  readonly log: PrintableReceipt['log'];
  /** The texts that an authority has stamped, each with its token. */
  readonly timeStamps: readonly { readonly text: string; readonly token: Buffer }[];
  /** The first entries, each with its own proof. */
  readonly proofs: readonly (LogProof & { readonly kind: string })[];
}

/**
 * Makes the receipt of a receiver of a drop: every event that was acknowledged before, with its proof. An event reaches the
 * log within about a second, so this waits for it rather than leave it out. It also waits for the witnesses, but does without
 * them rather than without a receipt.
 */
export async function buildReceipt(engines: Needs, story: ReceiverStory, signal: AbortSignal): Promise<Receipt> {
  const issuedAt = await waitForLog(engines, story, signal);
  const { rows, checkpoints: chosen } = await readStory(engines, story);
  const checkpoints = [...chosen.values()];
  const entries: string[] = [];
  const proofs: Receipt['proofs'][number][] = [];
  let bytes = 0;
  for (const row of rows) {
    const log = chosen.get(row.epoch) as ChosenCheckpoint;
    const proof = await proveInclusion((tile) => log.readTile(tile, signal), row.leafIndex, log.size);
    requireInLog(row, proof, log);
    const entry = toCanonicalJson({
      checkpoint: checkpoints.indexOf(log),
      event: toEvent(row) as unknown as JsonValue,
      index: row.leafIndex,
      proof: proof.map(encodeBase64),
      salt: row.salt.toString('base64'),
    });
    bytes += Buffer.byteLength(entry);
    if (bytes > maxReceiptBytes) throw storyTooLong();
    entries.push(entry);
    if (proofs.length < attachedProofs)
      proofs.push({ index: row.leafIndex, proof, checkpoint: log.checkpoint, kind: row.kind });
  }
  const timeStamps = await findTimeStamps(engines, rows, chosen, signal);
  const newest = checkpoints.at(-1) as ChosenCheckpoint;
  return {
    json: writeReceipt(story, issuedAt, checkpoints, entries, timeStamps),
    type: rows.find(({ kind }) => kind === 'submission.accepted')?.data['type'],
    issuedAt,
    events: rows.map(toEvent),
    log: {
      origin: newest.origin,
      size: newest.size,
      witnesses: listWitnesses(engines, newest.checkpoint),
      stamp: describeLastStamp(timeStamps, rows, chosen),
    },
    timeStamps: timeStamps.map(({ log, size, root, token }) => ({
      text: formatCheckpoint({ origin: log.origin, size, root }),
      token,
    })),
    proofs,
  };
}

/** Refuses an entry that was edited, so that nobody is given a receipt that proves nothing. */
function requireInLog(row: WholeEntry, proof: readonly Uint8Array[], { size, root }: ChosenCheckpoint): void {
  const leafHash = hashLeaf(commitEvent(row));
  if (verifyInclusion({ leafHash, index: row.leafIndex, size, root, proof })) return;
  throw new ExchangeError(
    'receipt_unavailable',
    'What is recorded about this delivery differs from the evidence log. Tell the administrator, who finds the difference with `waybilld admin log check`.',
  );
}

/** Joins the entries, of which there may be many, to a canonical document: its members are in their order. */
function writeReceipt(
  { dropId, position }: ReceiverStory,
  issuedAt: Date,
  checkpoints: readonly ChosenCheckpoint[],
  entries: readonly string[],
  timeStamps: readonly ProvenTimeStamp[],
): Buffer {
  const toMember = ({ log, proof, root, size, token }: ProvenTimeStamp) => ({
    checkpoint: checkpoints.indexOf(log),
    proof: proof.map(encodeBase64),
    root: root.toString('base64'),
    size,
    token: token.toString('base64'),
  });
  const members = [
    ['checkpoints', toCanonicalJson(checkpoints.map(({ checkpoint }) => checkpoint))],
    ['drop', toCanonicalJson(dropId)],
    ['entries', `[${entries.join(',')}]`],
    ['issued_at', toCanonicalJson(issuedAt.toISOString())],
    ['receiver', toCanonicalJson(position)],
    ...(timeStamps.length > 0 ? [['time_stamps', toCanonicalJson(timeStamps.map(toMember))] as const] : []),
    ['type', toCanonicalJson('waybill-receipt@v1')],
  ];
  return Buffer.from(`{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`);
}

/** A time stamp, and the proof that what was stamped is the beginning of the log. */
interface ProvenTimeStamp extends LogTimeStamp {
  readonly log: ChosenCheckpoint;
  readonly proof: readonly Uint8Array[];
}

/** Finds the first time stamp that covers each entry. Neighbouring entries usually share theirs. */
async function findTimeStamps(
  { store }: Needs,
  rows: readonly WholeEntry[],
  logs: ReadonlyMap<number, ChosenCheckpoint>,
  signal: AbortSignal,
): Promise<ProvenTimeStamp[]> {
  const found: ProvenTimeStamp[] = [];
  /** The log whose last time stamp was passed. */
  let ended: ChosenCheckpoint | undefined;
  for (const row of rows) {
    const log = logs.get(row.epoch) as ChosenCheckpoint;
    const last = found.at(-1);
    if (log === ended || (last?.log === log && row.leafIndex < last.size)) continue;
    if (found.length === maxTimeStamps) break;
    const stamp = await store.evidenceLog.findTimeStamp(row, log.size);
    if (!stamp) {
      ended = log;
      continue;
    }
    const proof = await proveConsistency((tile) => log.readTile(tile, signal), stamp.size, log.size);
    found.push({ ...stamp, log, proof });
  }
  return found;
}

function describeLastStamp(
  timeStamps: readonly ProvenTimeStamp[],
  rows: readonly WholeEntry[],
  logs: ReadonlyMap<number, ChosenCheckpoint>,
): Receipt['log']['stamp'] {
  const last = timeStamps.at(-1);
  const covered = last && rows.findLast((row) => logs.get(row.epoch) === last.log && row.leafIndex < last.size);
  return covered && { at: new Date(readTimeStamp(last.token).at), until: covered.at.toISOString() };
}

/** Waits until a published checkpoint, and if possible a cosigned one, covers every event before this moment, which it returns. */
async function waitForLog({ store, witnesses }: Needs, story: ReceiverStory, signal: AbortSignal): Promise<Date> {
  const deadline = performance.now() + patienceMs;
  const { now } = await store.evidence.checkPublished(story);
  for (;;) {
    const { isPublished, isCosigned } = await store.evidence.checkPublished(story, now);
    const isLate = performance.now() + pauseMs > deadline;
    if (isPublished && (isCosigned || isLate || witnesses.list.length === 0)) return now;
    if (isLate) throw new ExchangeError('receipt_not_ready');
    await setTimeout(pauseMs, undefined, { signal });
  }
}

/** Lists the witnesses of this server that have cosigned a checkpoint; undefined if it has none. */
function listWitnesses({ witnesses: { list } }: Needs, checkpoint: string): Receipt['log']['witnesses'] {
  if (list.length === 0) return undefined;
  return list.flatMap(({ name, verifier }) => {
    const timestamp = listSignatures(checkpoint, [verifier])[0]?.timestamp;
    return timestamp === undefined ? [] : [{ name, at: new Date(timestamp * 1_000) }];
  });
}
