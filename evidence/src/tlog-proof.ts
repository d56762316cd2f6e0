import { decodeBase64, decodeHash, encodeBase64, parseDecimal } from './bytes.ts';

/** One entry's inclusion proof with its checkpoint, as a file for any tool (C2SP tlog-proof). */
export interface LogProof {
  readonly index: number;
  readonly proof: readonly Uint8Array[];
  /** The whole note. */
  readonly checkpoint: string;
  /** Data for the application, which nothing authenticates. */
  readonly extra?: Uint8Array;
}

const firstLine = 'c2sp.org/tlog-proof@v1';

export function formatProof({ index, proof, checkpoint, extra }: LogProof): string {
  const extraLines = extra ? [`extra ${encodeBase64(extra)}`] : [];
  const lines = [firstLine, ...extraLines, `index ${index}`, ...proof.map(encodeBase64), ''];
  return `${lines.join('\n')}\n${checkpoint}`;
}

/** Returns undefined if the text is not such a proof. The checkpoint is not verified. */
export function parseProof(text: string): LogProof | undefined {
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, end).split('\n');
  if (end < 0 || first !== firstLine) return undefined;
  const extra = lines[0]?.startsWith('extra ') ? decodeBase64(lines.shift()?.slice('extra '.length) ?? '') : null;
  const indexLine = lines.shift() ?? '';
  const index = indexLine.startsWith('index ') ? parseDecimal(indexLine.slice('index '.length)) : undefined;
  const proof = decodeProof(lines);
  if (extra === undefined || index === undefined || !proof) return undefined;
  return { index, proof, checkpoint: text.slice(end + 2), ...(extra && { extra }) };
}

/** Decodes the hashes of a proof. Returns undefined if one is not a hash or if there are more than any tree needs. */
export function decodeProof(lines: readonly string[]): Uint8Array[] | undefined {
  if (lines.length > 63) return undefined;
  const hashes = lines.map(decodeHash).filter((hash) => hash !== undefined);
  return hashes.length === lines.length ? hashes : undefined;
}
