const encoder = new TextEncoder();
/** Refuses bytes that are not UTF-8, and keeps a byte order mark, so that equal texts have equal bytes. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function encodeText(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new TypeError('a text contains half a surrogate pair');
  return encoder.encode(text);
}

/** Throws a TypeError if the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function encodeBase64(bytes: Uint8Array): string {
  let characters = '';
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters);
}

/** Decodes standard base64 with padding. Returns undefined for any other text, also if only its unused bits differ. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return encodeBase64(bytes) === text ? bytes : undefined;
}

/** Decodes one hash. Returns undefined if the text is not the base64 of 32 bytes. */
export function decodeHash(text: string): Uint8Array | undefined {
  const bytes = text.length === 44 ? decodeBase64(text) : undefined;
  return bytes?.length === 32 ? bytes : undefined;
}

/** Reads a decimal number without sign or leading zeros. Returns undefined if it is another text or too large. */
export function parseDecimal(text: string): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

export function encodeUint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, position) => byte === right[position]);
}

export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
