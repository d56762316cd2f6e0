import { concatBytes } from './bytes.ts';
import { type PdfObject, type PdfToken, readObjects } from './pdf-objects.ts';
import { maxReceiptBytes, ReceiptError } from './receipt.ts';

const attachmentName = 'receipt.json';
/** Objects that contain the name: the specification, and lists of attachments. */
const maxNamed = 10;

export function isPdf(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-';
}

/**
 * Returns the attachment `receipt.json` of a PDF. It reads the file from its start, object by object, and ignores the tables at
 * its end. The attachment has one form, and whatever else has this name is refused, so that every verifier finds the same one.
 */
export async function readAttachedReceipt(pdf: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (pdf.length > maxReceiptBytes) throw new ReceiptError('The PDF is larger than 64 MiB.');
  const { dictionary, stream } = findAttachment(pdf);
  const isCompressed = dictionary.has('Filter');
  if (dictionary.has('DecodeParms') || (isCompressed && write(dictionary.get('Filter')) !== '/FlateDecode'))
    throw new ReceiptError(`The attachment ${attachmentName} is compressed in another way than receipts are.`);
  return isCompressed ? inflate(stream, maxBytes) : stream;
}

function findAttachment(pdf: Uint8Array): { dictionary: PdfObject['members']; stream: Uint8Array } {
  const { named, isOpaque } = listNamed(pdf);
  if (named.length === 0) throw new ReceiptError(`The PDF has no attachment ${attachmentName}.`, 'no_receipt');
  const [specification, ...others] = named.filter(({ members }) => members.has('EF'));
  if (others.length > 0) throw new ReceiptError(`The PDF has more than one ${attachmentName}.`);
  const [, place] = /^<< \/F ([0-9]+ [0-9]+) R >>$/.exec(write(specification?.members.get('EF'))) ?? [];
  // An object that is both could occur twice, as if it were two.
  const isOrdinary = place !== specification?.id && !isOpaque;
  if (!specification || place === undefined || !isOrdinary || !isNamedOnce(specification, named))
    throw new ReceiptError(`The PDF names an attachment ${attachmentName} in another way than receipts do.`);
  const versions: PdfObject[] = [];
  for (const object of readObjects(pdf))
    if (object.id === place || object.id === specification.id) versions.push(object);
  if (versions.length > 2) throw new ReceiptError(`The PDF has more than one ${attachmentName}.`);
  const { members, stream } = versions.find(({ id }) => id === place) ?? {};
  if (!members || !stream) throw new ReceiptError(`The PDF has no attachment ${attachmentName}.`);
  return { dictionary: members, stream };
}

const isNamed = ({ kind, value }: PdfToken) => kind === 'string' && value === attachmentName;
const isOfHidden = ({ kind, value }: PdfToken) => kind === 'name' && (value === 'ObjStm' || value === 'Encrypt');

/** Lists the objects that contain the name, and tells whether others may be hidden in streams. */
function listNamed(pdf: Uint8Array): { named: readonly PdfObject[]; isOpaque: boolean } {
  const named: PdfObject[] = [];
  let isOpaque = false;
  try {
    for (const object of readObjects(pdf)) {
      if (object.tokens.some(isNamed) && named.push(object) > maxNamed)
        throw new ReceiptError(`The PDF has more than one ${attachmentName}.`);
      isOpaque ||= object.tokens.some(isOfHidden);
    }
  } catch (error) {
    // PDFs of other programs are often written in a way that receipts are not.
    if (new TextDecoder('latin1').decode(pdf).includes(attachmentName)) throw error;
    return { named: [], isOpaque };
  }
  return { named, isOpaque };
}

/** Tells whether the name is that of the specification alone. Lists of attachments may have it, before the reference to it. */
function isNamedOnce(specification: PdfObject, named: readonly PdfObject[]): boolean {
  const { members, tokens, id } = specification;
  const names = [members.get('F'), ...(members.has('UF') ? [members.get('UF')] : [])];
  const isListed = (at: number, all: readonly PdfToken[]) =>
    write(all.slice(at, at + 4)) === `(${attachmentName}) ${id} R`;
  return (
    names.every((name) => write(name) === `(${attachmentName})`) &&
    tokens.filter(isNamed).length === names.length &&
    named.every(
      (object) =>
        object === specification || object.tokens.every((token, at, all) => !isNamed(token) || isListed(at, all)),
    )
  );
}

const write = (tokens: readonly PdfToken[] = []) => tokens.map(({ raw }) => raw).join(' ');

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
