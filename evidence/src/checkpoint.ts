import { decodeHash, encodeBase64, isCount, parseDecimal } from './bytes.ts';

/** The text of a note by which a log commits to its first entries (C2SP tlog-checkpoint). */
export interface Checkpoint {
  /** The name of the log. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly extensions?: readonly string[];
}

export function formatCheckpoint({ origin, size, root, extensions = [] }: Checkpoint): string {
  if (!isCount(size) || root.length !== 32) throw new RangeError('a checkpoint has a size and a root of 32 bytes');
  const lines = [origin, String(size), encodeBase64(root), ...extensions];
  if (lines.some((line) => line === '' || line.includes('\n')))
    throw new RangeError('a line is empty or has a newline');
  return `${lines.join('\n')}\n`;
}

/** Parses the text of a note without its signatures. Returns undefined if it is not a checkpoint. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length < 3 || lines.includes('')) return undefined;
  const [origin = '', sizeLine = '', rootLine = '', ...extensions] = lines;
  const size = parseDecimal(sizeLine);
  const root = decodeHash(rootLine);
  if (size === undefined || !root) return undefined;
  return { origin, size, root, ...(extensions.length > 0 && { extensions }) };
}
