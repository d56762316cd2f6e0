import { isWaybillError } from '../../errors.ts';
import { findFileErrorCode } from '../file-errors.ts';

/** A disk with a fault, and a machine without memory, processes or open files. */
const codesOfMachine: ReadonlySet<string> = new Set(['EAGAIN', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EROFS']);

/** Returns whether an error is a condition of the whole machine or of the server, which every other file would meet. */
export function isFaultOfMachine(error: unknown): boolean {
  if (isWaybillError(error)) return error.isRetryable;
  return codesOfMachine.has(findFileErrorCode(error) ?? '');
}

/** Errors of a disk that cannot hold one file. */
const codesOfFile: ReadonlySet<string> = new Set(['EFBIG', 'EILSEQ', 'EINVAL', 'ENAMETOOLONG']);

/** Returns whether an error is about the name or the size of one file, so that others may succeed. */
export function isFaultOfFile(error: unknown): boolean {
  return codesOfFile.has(findFileErrorCode(error) ?? '');
}

export function isFaultOfDisk(error: unknown): error is NodeJS.ErrnoException {
  return findFileErrorCode(error) !== undefined;
}
