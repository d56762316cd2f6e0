import { limits, localNameKey, numberedName } from '@waybill/protocol';
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

/**
 * The path of a file in the folder that was sent: `reports/2026/q1.pdf`. Folder names follow the same rules as file
 * names, and the last part is the file's name. Anything else is rejected, so that a path can only lead downwards. Null
 * if it is only a name.
 */
export function filePath(text: string, name: string): string | null {
  const tooLong = Buffer.byteLength(text) > limits.filePathBytes;
  const names = tooLong ? [] : text.split('/');
  if (tooLong || names.length > limits.filePathDepth) throw new ExchangeError('invalid_name');
  const path = names.map(fileName);
  if (path.at(-1) !== name) throw new ExchangeError('invalid_name', 'A path must end with the name of its file.');
  return path.length === 1 ? null : path.join('/');
}

/** The name, with a number added if it is taken: files of the same name can be sent from several folders. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(numberedName(name, number))) number += 1;
  return numberedName(name, number);
}
