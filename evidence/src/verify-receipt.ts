import { decodeBase64, decodeHash, encodeBase64 } from './bytes.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
import { findKeyDay, findStory, isOfTest, readEventData, toCommitment } from './event.ts';
import { type Facts, type LogFact, type TimeStampFact, toFacts } from './facts.ts';
import { hashLeaf, verifyConsistency, verifyInclusion } from './merkle.ts';
import { NoteError, openNote, type VerifiedSignature, type Verifier } from './note.ts';
import { isPdf, readAttachedReceipt } from './pdf-attachment.ts';
import type { Policy } from './policy.ts';
import { maxReceiptBytes, parseReceipt, type Receipt, type ReceiptEntry, ReceiptError } from './receipt.ts';
import { readTimeStamp, requireText, TimeStampError } from './time-stamp.ts';
import { decodeProof } from './tlog-proof.ts';
import { type Authorities, verifyTimeStamp } from './verify-time-stamp.ts';

export type ProblemCode =
  /** It is a file of another kind: a PDF without a receipt, or another document. */
  | 'no_receipt'
  /** It is a receipt that was damaged, or written by another program: not in canonical form. */
  | 'unreadable'
  /** The policy has no key of the log that signed the checkpoint. */
  | 'unknown_log'
  /** The checkpoint was not signed by the log, or was changed. */
  | 'bad_signature'
  /** Too few of the policy's witnesses cosigned the checkpoint. */
  | 'no_quorum'
  /** The log does not contain the event as the receipt shows it. */
  | 'bad_proof'
  /** Entries are repeated or not in the order of the log. */
  | 'bad_order'
  /** An event belongs to another drop or receiver. */
  | 'foreign_event'
  /** An event of a story was left out. */
  | 'omitted'
  /** Its events say that they are those of a test. If this is the only problem, all else is in order. */
  | 'test'
  /** A time stamp is damaged, for something else, or not of an authority that is trusted. */
  | 'bad_time_stamp';

export interface Problem {
  readonly code: ProblemCode;
  /** One English sentence. */
  readonly message: string;
}

export interface Verdict {
  readonly isValid: boolean;
  /** The first problems, at most `maxProblems`. */
  readonly problems: readonly Problem[];
  /** Taken from proven events alone; present if and only if the receipt is valid. */
  readonly facts?: Facts;
}

const maxProblems = 20;

/**
 * Verifies a receipt, as JSON or PDF, against a policy. Without authorities, the signatures of its time stamps are not verified,
 * and the verdict says so. Never throws: whatever cannot be verified is not proven.
 */
export async function verifyReceipt(
  bytes: Uint8Array,
  trust: Policy,
  { authorities }: { readonly authorities?: Authorities | undefined } = {},
): Promise<Verdict> {
  try {
    const receipt = parseReceipt(isPdf(bytes) ? await readAttachedReceipt(bytes, maxReceiptBytes) : bytes);
    const problems: Problem[] = [];
    const report = (code: ProblemCode, message: string) => {
      if (problems.length < maxProblems) problems.push({ code, message });
    };
    const logs = receipt.checkpoints.map((note) => verifyCheckpoint(note, trust, report));
    verifyOrder(receipt, logs, report);
    for (const entry of receipt.entries) verifyEntry(entry, logs.length, logs[entry.checkpoint], report);
    verifyStories(receipt, report);
    if (receipt.entries.some(({ event }) => isOfTest(event)))
      report('test', 'Its events are those of a test: it is no evidence of a delivery.');
    const timeStamps = await verifyTimeStamps(receipt, logs, authorities, report);
    if (problems.length > 0) return { isValid: false, problems };
    const trusted = logs.filter((log) => log !== undefined);
    return { isValid: true, problems, facts: toFacts(receipt, trusted, timeStamps) };
  } catch (error) {
    const { code, message } =
      error instanceof ReceiptError
        ? error
        : ({ code: 'unreadable', message: `The receipt cannot be verified: ${String(error)}` } as const);
    return { isValid: false, problems: [{ code, message }] };
  }
}

type Report = (code: ProblemCode, message: string) => void;

/** Returns the checkpoint if a log and enough witnesses of the policy signed it. */
function verifyCheckpoint(note: string, trust: Policy, report: Report): LogFact | undefined {
  const checkpoint = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1));
  if (!checkpoint) {
    report('bad_signature', 'A checkpoint is malformed.');
    return undefined;
  }
  const { origin, size, root } = checkpoint;
  const logKeys = trust.logs.filter(({ name }) => name === origin);
  if (logKeys.length === 0) {
    report('unknown_log', `The policy has no key of the log ${origin}.`);
    return undefined;
  }
  const names = new Map([...trust.witnesses].map(([name, verifier]) => [verifier, name]));
  const verified = openSignatures(note, [...logKeys, ...names.keys()]);
  if (typeof verified === 'string') {
    report('bad_signature', `The checkpoint of ${origin} is not valid: ${verified}.`);
    return undefined;
  }
  const signatures = verified.filter(({ verifier }) => logKeys.includes(verifier));
  const cosignatures = verified.filter(({ verifier }) => names.has(verifier));
  if (signatures.length === 0) report('bad_signature', `No key of the log ${origin} signed its checkpoint.`);
  if (!trust.isQuorum(cosignatures.map(({ verifier }) => verifier)))
    report('no_quorum', `Too few witnesses of the policy cosigned the checkpoint of ${origin}.`);
  return {
    origin,
    size,
    root: encodeBase64(root),
    signatures: signatures.map(({ verifier, timestamp }) => ({
      algorithm: verifier.type === 6 ? 'ml-dsa-44' : 'ed25519',
      ...toTime(timestamp),
    })),
    witnesses: cosignatures.map(({ verifier, timestamp }) => ({
      name: names.get(verifier) ?? '',
      ...toTime(timestamp),
    })),
  };
}

function openSignatures(note: string, verifiers: readonly Verifier[]): readonly VerifiedSignature[] | string {
  try {
    return openNote(note, verifiers).verified;
  } catch (error) {
    if (error instanceof NoteError) return error.message;
    throw error;
  }
}

function toTime(timestamp: number | undefined): { at?: string } {
  return timestamp === undefined ? {} : { at: new Date(timestamp * 1_000).toISOString() };
}

function verifyOrder({ checkpoints, entries }: Receipt, logs: readonly (LogFact | undefined)[], report: Report): void {
  if (new Set(logs.map((log) => log?.origin)).size < checkpoints.length && !logs.includes(undefined))
    report('bad_order', 'Two checkpoints are of the same log.');
  for (const [position, entry] of entries.entries()) {
    const before = entries[position - 1];
    if (!before || entry.checkpoint > before.checkpoint) continue;
    if (entry.checkpoint < before.checkpoint || entry.index <= before.index)
      report('bad_order', `${describeEntry(entry)} is repeated or out of order.`);
  }
}

function verifyEntry(entry: ReceiptEntry, checkpointCount: number, log: LogFact | undefined, report: Report): void {
  if (entry.checkpoint >= checkpointCount) report('bad_proof', `${describeEntry(entry)} has no checkpoint.`);
  // The reason why a checkpoint is not trusted is reported already.
  if (!log) return;
  const [salt, root, proof] = [decodeHash(entry.salt), decodeHash(log.root), decodeProof(entry.proof)];
  const isIncluded =
    salt &&
    root &&
    proof &&
    verifyInclusion({
      leafHash: hashLeaf(toCommitment(entry.event, salt)),
      index: entry.index,
      size: log.size,
      root,
      proof,
    });
  if (!isIncluded)
    report('bad_proof', `${describeEntry(entry)} is not in the log ${log.origin} as the receipt shows it.`);
}

/** Checks that the events are those of the drop and of the receiver, from the first one of each story and without gaps. */
function verifyStories({ drop, receiver, entries }: Receipt, report: Report): void {
  const firstKinds = { drop: 'submission.accepted', receiver: 'content.consigned' } as const;
  const next = { drop: 0, receiver: 0 };
  const keyDays = new Set(entries.map(({ event }) => findKeyDay(event)));
  for (const entry of entries) {
    const { event } = entry;
    const story = findStory(event);
    if (story === 'log') {
      const day = readEventData(event, 'key.destroyed')?.day;
      if (day === undefined || !keyDays.has(day))
        report('foreign_event', `${describeEntry(entry)} is not about this drop.`);
      continue;
    }
    if (event.drop !== drop || (story === 'receiver' && event.receiver !== receiver)) {
      report('foreign_event', `${describeEntry(entry)} is about another drop or receiver.`);
      continue;
    }
    const expected = next[story];
    if (event.number > expected) report('omitted', `Event ${expected} of the ${story}'s story is missing.`);
    if (event.number < expected) report('bad_order', `${describeEntry(entry)} is repeated or out of order.`);
    if (event.number === 0 && event.kind !== firstKinds[story])
      report('omitted', `The ${story}'s story does not begin with ${firstKinds[story]}.`);
    next[story] = Math.max(expected, event.number + 1);
  }
  for (const story of ['drop', 'receiver'] as const)
    if (next[story] === 0) report('omitted', `The ${story}'s story is missing.`);
}

/** Checks that each time stamp is for an earlier state of its log which contained some of the events. */
async function verifyTimeStamps(
  { entries, time_stamps: timeStamps = [] }: Receipt,
  logs: readonly (LogFact | undefined)[],
  authorities: Authorities | undefined,
  report: Report,
): Promise<TimeStampFact[]> {
  const facts: TimeStampFact[] = [];
  for (const [
    position,
    { checkpoint, size, root: rootText, proof: proofTexts, token: tokenText },
  ] of timeStamps.entries()) {
    const before = timeStamps[position - 1];
    const reject = (reason: string) => report('bad_time_stamp', `Time stamp ${position + 1} is not valid: ${reason}.`);
    if (before && (checkpoint < before.checkpoint || (checkpoint === before.checkpoint && size <= before.size)))
      reject('it is repeated or out of order');
    if (checkpoint >= logs.length) reject('it has no checkpoint');
    const log = logs[checkpoint];
    const [root, token, proof] = [decodeHash(rootText), decodeBase64(tokenText), decodeProof(proofTexts)];
    const newRoot = log && decodeHash(log.root);
    // The reason why a checkpoint is not trusted is reported already.
    if (!log || !newRoot || !root || !token) continue;
    if (!proof || !verifyConsistency({ oldSize: size, newSize: log.size, oldRoot: root, newRoot, proof }))
      reject(`the log ${log.origin} does not begin with what was stamped`);
    const eventCount = entries.filter((entry) => entry.checkpoint === checkpoint && entry.index < size).length;
    if (eventCount === 0) reject('it covers no event of the receipt');
    try {
      const stated = await readStatement(token, formatCheckpoint({ origin: log.origin, size, root }), authorities);
      facts.push({ origin: log.origin, size, eventCount, ...stated });
    } catch (error) {
      if (!(error instanceof TimeStampError)) throw error;
      reject(error.message);
    }
  }
  return facts;
}

/** Returns the time that a token states for a text, and who states it if somebody knows their certificate. */
async function readStatement(
  token: Uint8Array,
  text: string,
  authorities: Authorities | undefined,
): Promise<{ at: string; authority?: string }> {
  if (authorities) return verifyTimeStamp(token, text, authorities);
  const stamp = readTimeStamp(token);
  requireText(stamp, text);
  return { at: stamp.at };
}

function describeEntry({ event, index }: ReceiptEntry): string {
  return `The event ${event.kind} (entry ${index} of the log)`;
}
