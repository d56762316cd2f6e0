import { decodeBase64, decodeHash, decodeText, encodeText, equalBytes } from './bytes.ts';
import { type JsonValue, toCanonicalJson } from './canonical-json.ts';
import { isEvent, isEventComplete, isTime, isUuid } from './event.ts';
import { type Check, type Checked, exact, isNatural, list, oneOf, optional } from './shape.ts';
import { maxTokenBytes } from './time-stamp.ts';

/** The events of one drop and one receiver, with everything that proves that a log contains them. */

export const maxReceiptBytes = 64 * 1024 * 1024;
const maxDepth = 16;

const isHashText: Check<string> = (value): value is string =>
  typeof value === 'string' && decodeHash(value) !== undefined;

const maxNoteBytes = 64 * 1024;
const isNoteText: Check<string> = (value): value is string =>
  typeof value === 'string' && value.isWellFormed() && encodeText(value).length <= maxNoteBytes;

const isEntry = exact({
  /** The place of its checkpoint in the receipt's list. */
  checkpoint: isNatural,
  event: isEvent,
  /** The place of its leaf in the log. */
  index: isNatural,
  proof: list(isHashText, 0, 63),
  salt: isHashText,
});

const isTokenText: Check<string> = (value): value is string =>
  typeof value === 'string' && value.length <= (maxTokenBytes * 4) / 3 + 4 && decodeBase64(value) !== undefined;

/** An earlier state of a log, and the time at which an authority saw it (RFC 3161). */
const isTimeStamp = exact({
  /** The place of the log's checkpoint in the receipt's list. */
  checkpoint: isNatural,
  /** The size and root of the tree at that time, and the proof that the checkpoint's tree begins with it. */
  size: isNatural,
  root: isHashText,
  proof: list(isHashText, 0, 63),
  token: isTokenText,
});

const isReceipt = exact({
  type: oneOf('waybill-receipt@v1'),
  drop: isUuid,
  receiver: isNatural,
  /** Not proven. */
  issued_at: isTime,
  /** Whole notes, one for each log. */
  checkpoints: list(isNoteText, 1, 100),
  entries: list(isEntry, 1, 100_000),
  time_stamps: optional(list(isTimeStamp, 1, 100)),
});

export type ReceiptEntry = Checked<typeof isEntry>;
export type ReceiptTimeStamp = Checked<typeof isTimeStamp>;
export type Receipt = Checked<typeof isReceipt>;

/** Bytes that are not a receipt. The message says why. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';
  /** Whether it is a receipt that was changed or damaged, or a file of another kind. */
  readonly code: 'unreadable' | 'no_receipt';

  constructor(message: string, code: ReceiptError['code'] = 'unreadable') {
    super(message);
    this.code = code;
  }
}

export function formatReceipt(receipt: Receipt): Uint8Array {
  const bytes = encodeText(toCanonicalJson(receipt));
  parseReceipt(bytes);
  return bytes;
}

/** Reads a receipt in its one canonical form. Its proofs are not verified. */
export function parseReceipt(bytes: Uint8Array): Receipt {
  if (bytes.length > maxReceiptBytes) throw new ReceiptError('The receipt is larger than 64 MiB.');
  const value = parseJson(bytes);
  if (!isOfReceipt(value)) throw new ReceiptError('The file is JSON of another kind.', 'no_receipt');
  if (!isWithinDepth(value, maxDepth)) throw new ReceiptError('The receipt is nested too deeply.');
  if (!isReceipt(value) || !value.entries.every(({ event }) => isEventComplete(event)))
    throw new ReceiptError('The file does not have the form of a receipt.');
  if (!isCanonical(value, bytes))
    throw new ReceiptError('The receipt is not in canonical form: it was edited or saved by another program.');
  return value;
}

function parseJson(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(decodeText(bytes)) as JsonValue;
  } catch {
    // One that is cut off still begins like a receipt.
    const begins = new TextDecoder('latin1').decode(bytes.subarray(0, 16)).startsWith('{"checkpoints":');
    throw begins
      ? new ReceiptError('The receipt is damaged: it is not JSON.')
      : new ReceiptError('The file is neither a PDF nor JSON.', 'no_receipt');
  }
}

/** Tells whether a document claims to be a receipt, of this version or another. */
function isOfReceipt(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'type')) return false;
  const { type } = value as { readonly type: JsonValue };
  return typeof type === 'string' && type.startsWith('waybill-receipt@');
}

/** Numbers that are not exact integers, and texts with half a surrogate pair, have no canonical form. */
function isCanonical(value: JsonValue, bytes: Uint8Array): boolean {
  try {
    return equalBytes(encodeText(toCanonicalJson(value)), bytes);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function isWithinDepth(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member: JsonValue) => isWithinDepth(member, depth - 1));
}
