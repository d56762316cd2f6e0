import { WaybillError } from './errors.ts';

/** Far above the largest entry a server writes: 1,000 receivers and 1,000 files. */
const longestElementBytes = 16 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The elements of one list of a JSON object, such as `inbox` of `{"history":[…],"inbox":[…]}`, while its bytes arrive.
 *
 * Only separators on the first two levels are examined; an element is passed to JSON.parse once it is complete, and
 * nothing else is kept. Bytes can be compared directly, because no byte of a multi-byte UTF-8 sequence looks like a
 * separator. An object that breaks off is an error.
 */
export async function* listElements<T>(bytes: AsyncIterable<Uint8Array>, list: string): AsyncGenerator<T, void, void> {
  const splitter = new Splitter(list);
  for await (const piece of bytes) {
    for (const text of splitter.push(piece)) yield parse(text) as T;
  }
  splitter.end();
}

class Splitter {
  readonly #list: string;
  #place: 'before' | 'object' | 'list' | 'after' = 'before';
  /** How deep we are in objects and lists of the current element. */
  #nested = 0;
  #inString = false;
  #escaped = false;
  /** The key whose value follows, once its colon has been seen. */
  #key: string | undefined;
  /** A list has just ended: only a separator may follow. */
  #listEnded = false;
  #afterComma = false;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #ready: string[] = [];

  constructor(list: string) {
    this.#list = list;
  }

  push(piece: Uint8Array): string[] {
    this.#ready = [];
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
      } else if (byte === quote) {
        this.#inString = true;
      } else if (this.#nested > 0) {
        if (byte === openBrace || byte === openBracket) this.#nested += 1;
        else if (byte === closeBrace || byte === closeBracket) this.#nested -= 1;
      } else if (isSeparator(byte)) {
        start = this.#separate(byte, piece, start, at);
      }
    }
    this.#keep(piece.subarray(start));
    return this.#ready;
  }

  end(): void {
    if (this.#place !== 'after') throw broken('it breaks off');
    if (this.#take().trim() !== '') throw broken('something follows its end');
  }

  /** At a byte that separates on this level. Returns where the next text starts. */
  #separate(byte: number | undefined, piece: Uint8Array, start: number, at: number): number {
    if (this.#place === 'list') {
      if (byte === comma || byte === closeBracket) return this.#endElement(byte, piece.subarray(start, at), at);
      if (byte === openBrace || byte === openBracket) this.#nested = 1;
      return start;
    }
    if (this.#place === 'object') return this.#separateMember(byte, piece, start, at);
    if (this.#place === 'before' && byte === openBrace) {
      this.#keep(piece.subarray(start, at));
      if (this.#take().trim() !== '') throw broken('it is not an object');
      this.#place = 'object';
      return at + 1;
    }
    throw broken('it is not an object');
  }

  #separateMember(byte: number | undefined, piece: Uint8Array, start: number, at: number): number {
    if (byte === colon && this.#key === undefined) {
      this.#keep(piece.subarray(start, at));
      this.#key = String(parse(this.#take()));
      return at + 1;
    }
    if (byte === openBracket && this.#key !== undefined) {
      this.#place = 'list';
      this.#forget();
      return at + 1;
    }
    if (byte === openBrace && this.#key !== undefined) {
      this.#nested = 1;
      return start;
    }
    if (byte !== comma && byte !== closeBrace) throw broken('a separator is out of place');
    this.#keep(piece.subarray(start, at));
    const value = this.#take().trim();
    const isEmptyObject = byte === closeBrace && this.#key === undefined && value === '' && !this.#listEnded;
    if (this.#listEnded ? value !== '' : !isEmptyObject && (this.#key === undefined || value === '')) {
      throw broken('a member is out of place');
    }
    this.#key = undefined;
    this.#listEnded = false;
    if (byte === closeBrace) this.#place = 'after';
    return at + 1;
  }

  #endElement(byte: number, rest: Uint8Array, at: number): number {
    if (this.#key === this.#list) {
      this.#keep(rest);
      const text = this.#take();
      if (text.trim() !== '') this.#ready.push(text);
      else if (byte === comma || this.#afterComma) throw broken('an element is missing');
    }
    this.#afterComma = byte === comma;
    if (byte === closeBracket) {
      this.#place = 'object';
      this.#listEnded = true;
      this.#key = undefined;
    }
    return at + 1;
  }

  #keep(bytes: Uint8Array): void {
    // Other lists are skipped.
    if (bytes.length === 0 || (this.#place === 'list' && this.#key !== this.#list)) return;
    this.#keptBytes += bytes.length;
    if (this.#keptBytes > longestElementBytes) throw broken(`an element is longer than ${longestElementBytes} bytes`);
    this.#kept.push(bytes);
  }

  #take(): string {
    const text = Buffer.concat(this.#kept).toString('utf8');
    this.#forget();
    return text;
  }

  #forget(): void {
    this.#kept = [];
    this.#keptBytes = 0;
  }
}

function isSeparator(byte: number | undefined): boolean {
  return (
    byte === comma ||
    byte === colon ||
    byte === openBracket ||
    byte === closeBracket ||
    byte === openBrace ||
    byte === closeBrace
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw broken('a part of it is not JSON', cause);
  }
}

function broken(why: string, cause?: unknown): WaybillError {
  return new WaybillError('unexpected_answer', `The server’s list cannot be read: ${why}.`, { cause });
}
