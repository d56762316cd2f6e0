import { equalBytes } from './bytes.ts';

/** A reader of ASN.1, as far as time stamps and certificates need it. It also accepts lengths that end with a mark (BER). */

/** Bytes that are not what a structure requires. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With its tag and length. */
  readonly raw: Uint8Array;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of a constructed element that only its place in a structure explains. */
export const context = (number: number): number => 0xa0 | number;

const constructed = 0x20;
const maxDepth = 32;

/** Reads bytes that are one element, with nothing after it. */
export function readDer(bytes: Uint8Array, tag: number = tags.sequence): DerElement {
  const element = readAt(bytes, 0, 0);
  if (element.raw.length !== bytes.length) throw new DerError('there are bytes after the end');
  return requireTag(element, tag);
}

export function readElements({ content }: DerElement): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < content.length; ) {
    const element = readAt(content, at, 0);
    elements.push(element);
    at += element.raw.length;
  }
  return elements;
}

function readAt(bytes: Uint8Array, at: number, depth: number): DerElement {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw new DerError('an element is cut off');
  if ((tag & 0x1f) === 0x1f || tag === 0 || depth > maxDepth) throw new DerError('an element is not understood');
  if (first === 0x80) return readUntilMark(bytes, at, tag, depth);
  let length = first;
  let start = at + 2;
  if (first > 0x80) {
    const digits = bytes.subarray(start, start + (first & 0x7f));
    if (digits.length > 4 || digits.length < (first & 0x7f)) throw new DerError('a length is not understood');
    length = digits.reduce((value, digit) => value * 256 + digit, 0);
    start += digits.length;
  }
  if (start + length > bytes.length) throw new DerError('an element is cut off');
  return { tag, content: bytes.subarray(start, start + length), raw: bytes.subarray(at, start + length) };
}

function readUntilMark(bytes: Uint8Array, at: number, tag: number, depth: number): DerElement {
  if (!(tag & constructed)) throw new DerError('a length is not understood');
  let end = at + 2;
  while (bytes[end] !== 0 || bytes[end + 1] !== 0) end += readAt(bytes, end, depth + 1).raw.length;
  return { tag, content: bytes.subarray(at + 2, end), raw: bytes.subarray(at, end + 2) };
}

export function requireTag(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag !== tag) throw new DerError('an element is missing');
  return element;
}

/** The elements of a structure in their order. */
export class DerCursor {
  readonly #elements: DerElement[];

  constructor(element: DerElement | undefined, tag: number = tags.sequence) {
    this.#elements = readElements(requireTag(element, tag));
  }

  take(tag: number): DerElement {
    return requireTag(this.#elements.shift(), tag);
  }

  takeAny(): DerElement {
    const element = this.#elements.shift();
    if (!element) throw new DerError('an element is missing');
    return element;
  }

  takeIf(tag: number): DerElement | undefined {
    return this.#elements[0]?.tag === tag ? this.#elements.shift() : undefined;
  }

  takeAll(): DerElement[] {
    return this.#elements.splice(0);
  }
}

/** Reads the object identifier of an algorithm, an attribute or an extension in the usual notation, such as 1.2.840. */
export function readObjectId(element: DerElement | undefined): string {
  const { content } = requireTag(element, tags.objectId);
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(arc)) throw new DerError('an identifier is too long');
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...others] = arcs;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...others].join('.');
}

/** Joins the pieces of an octet string that was written in several. */
export function readOctets(element: DerElement | undefined): Uint8Array {
  if (element?.tag !== (tags.octetString | constructed)) return requireTag(element, tags.octetString).content;
  return Uint8Array.from(readElements(element).flatMap((piece) => [...requireTag(piece, tags.octetString).content]));
}

export function readBits(element: DerElement | undefined): Uint8Array {
  const { content } = requireTag(element, tags.bitString);
  if (content.length === 0) throw new DerError('an element is missing');
  return content.subarray(1);
}

/** Reads a small number that is not negative. */
export function readCount(element: DerElement | undefined): number {
  const { content } = requireTag(element, tags.integer);
  const [first = 0x80] = content;
  if (first & 0x80 || content.length > 4) throw new DerError('a number is not understood');
  return content.reduce((value, digit) => value * 256 + digit, 0);
}

export function readBoolean(element: DerElement | undefined): boolean {
  return element !== undefined && !equalBytes(requireTag(element, tags.boolean).content, Uint8Array.of(0));
}

/** Reads a time of either form as `2026-11-18T09:00:00.000Z`. What is below a millisecond is discarded. */
export function readTime({ tag, content }: DerElement): string {
  const text = String.fromCharCode(...content.subarray(0, 40));
  const pattern =
    tag === tags.utcTime
      ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)()Z$/
      : /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?Z$/;
  if (tag !== tags.utcTime) requireTag({ tag, content, raw: content }, tags.generalizedTime);
  const [, years = '', month, day, hour, minute, second, fraction = ''] = pattern.exec(text) ?? [];
  const year = tag === tags.utcTime ? `${Number(years) < 50 ? 20 : 19}${years}` : years;
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(1, 4).padEnd(3, '0')}Z`;
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== time)
    throw new DerError('a time is not understood');
  return time;
}

/** Writes an element. The content is the joined bytes of all parts. */
export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length > 127) throw new RangeError('only short elements are written');
  return Uint8Array.from([tag, length, ...parts.flatMap((part) => [...part])]);
}
