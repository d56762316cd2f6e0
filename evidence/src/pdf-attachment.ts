import { concatBytes } from './bytes.ts';
import { ReceiptError } from './receipt.ts';

/** An object of a PDF: its dictionary, and its stream if it has one. */
interface PdfObject {
  readonly dictionary: string;
  readonly stream?: Uint8Array;
}

const attachmentName = 'receipt.json';

export function isPdf(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-';
}

/**
 * Returns the attachment `receipt.json` of a PDF. It reads the file from its start, object by object, and ignores the tables at
 * its end, so that every verifier finds the same attachment. A receipt is never encrypted, nor in an object stream.
 */
export async function readAttachedReceipt(pdf: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const objects = listObjects(pdf);
  const places = new Set<string>();
  for (const { dictionary } of objects.values().flatMap((versions) => versions)) {
    if (!/\/U?F\s*\(receipt\.json\)/.test(dictionary)) continue;
    const [, place] = /\/EF\s*<<\s*\/F\s+([0-9]+\s[0-9]+)\s+R/.exec(dictionary) ?? [];
    if (place) places.add(place.replace(/\s/, ' '));
  }
  const [place = '', ...others] = places;
  const versions = objects.get(place) ?? [];
  if (others.length > 0 || versions.length > 1) throw new ReceiptError(`The PDF has more than one ${attachmentName}.`);
  const { dictionary, stream } = versions[0] ?? {};
  if (!dictionary || !stream) throw new ReceiptError(`The PDF has no attachment ${attachmentName}.`);
  const [, filter] = /\/Filter\s*\[?\s*\/(\w+)/.exec(dictionary) ?? [];
  if (filter === undefined) return stream;
  if (filter !== 'FlateDecode' || dictionary.includes('/DecodeParms'))
    throw new ReceiptError(`The attachment ${attachmentName} is compressed in another way than receipts are.`);
  return inflate(stream, maxBytes);
}

/** Returns all objects by number and generation. Within a stream, nothing is taken for an object. */
function listObjects(pdf: Uint8Array): Map<string, PdfObject[]> {
  // One character for each byte, so that places in the text are places in the file.
  const text = new TextDecoder('latin1').decode(pdf);
  const objects = new Map<string, PdfObject[]>();
  const start = /\b([0-9]{1,10} [0-9]{1,5}) obj\b/g;
  const end = /\bendobj\b|\bstream\r?\n/g;
  const streamEnd = /\s*endstream\b/y;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    end.lastIndex = start.lastIndex;
    const ending = end.exec(text);
    if (!ending) break;
    const dictionary = text.slice(start.lastIndex, ending.index);
    let stream: Uint8Array | undefined;
    start.lastIndex = end.lastIndex;
    if (ending[0] !== 'endobj') {
      const [, length] = /\/Length\s+([0-9]{1,10})\b(?!\s+[0-9]+\s+R)/.exec(dictionary) ?? [];
      streamEnd.lastIndex = end.lastIndex + Number(length);
      if (length === undefined || !streamEnd.test(text))
        throw new ReceiptError('The PDF is damaged: a stream has no end.');
      stream = pdf.subarray(end.lastIndex, end.lastIndex + Number(length));
      start.lastIndex = streamEnd.lastIndex;
    }
    const versions = objects.get(match[1] ?? '') ?? [];
    versions.push({ dictionary, ...(stream && { stream }) });
    objects.set(match[1] ?? '', versions);
  }
  return objects;
}

/** Inflates with a limit, so that a small file cannot fill the memory. */
async function inflate(compressed: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const source = new Blob([compressed.slice()]).stream().pipeThrough(new DecompressionStream('deflate'));
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw new ReceiptError(`The attachment ${attachmentName} is damaged.`);
  }
  if (size > maxBytes) throw new ReceiptError(`The attachment ${attachmentName} is too large.`);
  return concatBytes(...chunks);
}
