import { limits } from '@waybill/protocol';
import { ExchangeError } from '../exchange-error.ts';
import { fileName } from './file-name.ts';

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
  if (path.at(-1) !== name) throw new ExchangeError('invalid_name', 'A path ends with the name of its file.');
  return path.length === 1 ? null : path.join('/');
}
