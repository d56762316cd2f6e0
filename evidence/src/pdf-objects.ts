import { ReceiptError } from './receipt.ts';

/** The objects of a PDF, as far as finding an attachment needs them. docs/evidence.md describes how they are read. */

/** A piece of a PDF outside its streams. Names and strings are decoded. */
export interface PdfToken {
  readonly kind: 'name' | 'string' | 'other';
  readonly value: string;
  /** As it is written. */
  readonly raw: string;
}

export interface PdfObject {
  /** Its number and generation, as references name it: without leading zeros. */
  readonly id: string;
  readonly tokens: readonly PdfToken[];
  /** The tokens of its dictionary by the keys of the dictionary, from the key's value to the next key. */
  readonly members: ReadonlyMap<string, readonly PdfToken[]>;
  readonly stream?: Uint8Array;
}

/** Objects other than streams are read in pieces of at most this length, so that a file cannot fill the memory. */
const maxPieceLength = 4 * 1024 * 1024;

/** Reads a PDF from its start, object by object. What is between objects is an object without an id. */
export function* readObjects(pdf: Uint8Array): Generator<PdfObject> {
  // One character for each byte, so that places in the text are places in the file.
  const text = new TextDecoder('latin1').decode(pdf);
  const start = /(?<![0-9A-Za-z])([0-9]{1,10}) ([0-9]{1,5}) obj(?![0-9A-Za-z])/g;
  const end = /(?<![0-9A-Za-z])(?:endobj(?![0-9A-Za-z])|stream\r?\n)/g;
  const streamEnd = /[\0\t\n\f\r ]*endstream[\0\t\n\f\r ]+endobj(?![0-9A-Za-z])/y;
  let at = 0;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    yield toObject('', text.slice(at, match.index));
    end.lastIndex = start.lastIndex;
    const ending = end.exec(text);
    if (!ending) throw new ReceiptError('The PDF is damaged: an object has no end.');
    const object = toObject(`${Number(match[1])} ${Number(match[2])}`, text.slice(start.lastIndex, ending.index));
    at = end.lastIndex;
    if (ending[0] === 'endobj') yield object;
    else {
      const [length, ...others] = object.members.get('Length') ?? [];
      streamEnd.lastIndex = at + Number(length?.raw);
      if (!/^[0-9]{1,10}$/.test(length?.raw ?? '') || others.length > 0 || !streamEnd.test(text))
        throw new ReceiptError('The PDF is damaged: a stream has no end.');
      yield { ...object, stream: pdf.subarray(at, at + Number(length?.raw)) };
      at = streamEnd.lastIndex;
    }
    start.lastIndex = at;
  }
  yield toObject('', text.slice(at));
}

function toObject(id: string, text: string): PdfObject {
  if (text.length > maxPieceLength) throw new ReceiptError('The PDF is not of the form that receipts have.');
  const tokens = [...readTokens(text)];
  return { id, tokens, members: readMembers(tokens) };
}

/** Reads the members of the outermost dictionary. One that occurs twice has all tokens, and so no form that is accepted. */
function readMembers(tokens: readonly PdfToken[]): ReadonlyMap<string, readonly PdfToken[]> {
  const members = new Map<string, PdfToken[]>();
  let depth = 0;
  let member: PdfToken[] | undefined;
  for (const token of tokens) {
    const isEnd = token.kind === 'other' && (token.raw === '>>' || token.raw === ']');
    if (isEnd) depth -= 1;
    // A name after a key without a value is that value.
    const isKey = depth === 1 && token.kind === 'name' && member?.length !== 0;
    if (isKey) {
      member = members.get(token.value) ?? [];
      members.set(token.value, member);
      // A second value never has the form of one.
      if (member.length > 0) member.push(token);
    } else if (depth >= 1) member?.push(token);
    if (token.kind === 'other' && (token.raw === '<<' || token.raw === '[')) depth += 1;
  }
  return members;
}

function* readTokens(text: string): Generator<PdfToken> {
  const token =
    /%[^\r\n]*|\/([^\0\t\n\f\r ()<>[\]{}/%]*)|<<|>>|<([0-9A-Fa-f\0\t\n\f\r ]*)>|[[\]{}<>)]|(\()|[^\0\t\n\f\r ()<>[\]{}/%]+/g;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [raw, name, hex, isString] = match;
    if (raw.startsWith('%')) continue;
    if (name !== undefined) yield { kind: 'name', value: decodeName(name), raw };
    else if (hex !== undefined) yield { kind: 'string', value: decodeText(decodeHex(hex)), raw };
    else if (isString) {
      const end = findStringEnd(text, match.index);
      const inner = text.slice(match.index + 1, end - 1);
      token.lastIndex = end;
      yield { kind: 'string', value: decodeText(decodeLiteral(inner)), raw: `(${inner})` };
    } else yield { kind: 'other', value: raw, raw };
  }
}

/** Finds the parenthesis that closes a string, which may contain pairs of them. */
function findStringEnd(text: string, start: number): number {
  const mark = /\\[\s\S]|[()]/g;
  mark.lastIndex = start;
  let depth = 0;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    if (match[0] === '(') depth += 1;
    if (match[0] === ')') depth -= 1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

const fromHex = (digits: string) => String.fromCharCode(Number.parseInt(digits, 16));
const decodeName = (name: string) => name.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, digits: string) => fromHex(digits));

function decodeHex(hex: string): string {
  const digits = hex.replaceAll(/[^0-9A-Fa-f]/g, '');
  return digits.padEnd(digits.length + (digits.length % 2), '0').replaceAll(/../g, fromHex);
}

function decodeLiteral(inner: string): string {
  const known: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  return inner.replaceAll(/\\(?:([0-7]{1,3})|(\r\n|[\s\S]))/g, (_, octal?: string, one = '') => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    return /[\r\n]/.test(one as string) ? '' : (known[one as string] ?? (one as string));
  });
}

/** Removes the marks and zero bytes of UTF-16 and UTF-8, which is enough to recognise a name in ASCII. */
function decodeText(bytes: string): string {
  if (bytes.startsWith('\u00fe\u00ff')) return bytes.slice(2).replaceAll(/\0([\s\S])/g, '$1');
  if (bytes.startsWith('\u00ff\u00fe')) return bytes.slice(2).replaceAll(/([\s\S])\0/g, '$1');
  return bytes.startsWith('\u00ef\u00bb\u00bf') ? bytes.slice(3) : bytes;
}
