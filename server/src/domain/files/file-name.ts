import { limits, localNameKey } from '@waybill/protocol';
import { ExchangeError } from '../exchange-error.ts';

/**
 * Control characters, line and paragraph separators, and the characters that reorder text: a name with these shows
 * something else than it is. A slash or backslash, also percent-encoded any number of times, or a drive letter would
 * make it a path for some program further on.
 */
const forbidden = [
  /[\u0000-\u001f\u007f-\u009f/\\\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/,
  /%(?:25)*(?:00|2e|2f|5c)/i,
  /^[a-z]:/i,
];

/** What a reader sees of these is nothing, or a folder. */
const nothingToSee = new Set(['', '.', '..']);

/** The one form of a file's name: NFC, a basename, 1 to 255 bytes, something to see. Names are data, never paths. */
export function fileName(text: string): string {
  const name = text.isWellFormed() ? text.normalize('NFC') : '';
  if (
    nothingToSee.has(localNameKey(name).trim()) ||
    forbidden.some((pattern) => pattern.test(name)) ||
    Buffer.byteLength(name) > limits.fileNameBytes
  ) {
    throw new ExchangeError('invalid_name');
  }
  return name;
}
