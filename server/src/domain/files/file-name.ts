import { limits, localNameKey } from '@waybill/protocol';
import { ExchangeError } from '../exchange-error.ts';

/**
 * Control characters, line and paragraph separators, and characters that reorder text: a name with these is displayed
 * as something else. A slash or backslash, even if percent-encoded any number of times, or a drive letter would make
 * the name a path for some other program.
 */
const forbidden = [
  /[\u0000-\u001f\u007f-\u009f/\\\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/,
  /%(?:25)*(?:00|2e|2f|5c)/i,
  /^[a-z]:/i,
];

/** A reader sees these as nothing, or as a folder. */
const nothingToSee = new Set(['', '.', '..']);

/** The canonical form of a file's name: NFC, a basename, 1 to 255 bytes, visible. Names are data, never paths. */
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
