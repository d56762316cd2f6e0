import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

/**
 * The limit that a file reaches first:
 * - `file`: the size that the account or the server allows for one file.
 * - `storage`: the bytes that the account may store.
 * - `link`: the bytes that a contact may send through a link.
 * - `scan`: the size up to which the virus scanner inspects a file, if the policy requires a scan.
 */
export type FileSizeReason = 'file' | 'storage' | 'link' | 'scan';

export interface FileSizeLimit<Reason extends FileSizeReason = FileSizeReason> {
  readonly bytes: number;
  readonly reason: Reason;
}

/** Returns the size of the largest file that an account can send, given the account's policy. */
export function findFileSizeLimit({
  policy: { maxFileBytes, maxStoredBytes, scan },
  scanner,
}: Pick<Engines, 'policy' | 'scanner'>): FileSizeLimit<'file' | 'storage' | 'scan'> {
  return smallest(
    { bytes: maxFileBytes, reason: 'file' },
    { bytes: maxStoredBytes ?? Number.POSITIVE_INFINITY, reason: 'storage' },
    { bytes: scan === 'required' ? scanner.maxBytes : Number.POSITIVE_INFINITY, reason: 'scan' },
  );
}

/**
 * Returns the size of the largest file that an account can send now, with what it stores already. One that stores as much as
 * it may is not told that a file may have no bytes: the upload says that the storage is full.
 */
export async function findFileSizeLeft(
  engines: Pick<Engines, 'policy' | 'scanner' | 'store'>,
  accountId: string,
): Promise<FileSizeLimit<'file' | 'storage' | 'scan'>> {
  const limit = findFileSizeLimit(engines);
  const { maxStoredBytes } = engines.policy;
  if (maxStoredBytes === null) return limit;
  const { storedBytes } = await engines.store.quotas.usage(accountId);
  const left = maxStoredBytes - (storedBytes ?? 0);
  return left > 0 ? smallest(limit, { bytes: left, reason: 'storage' }) : limit;
}

/**
 * Refuses a file that is too large, before its first byte. The limit of the storage is left to the reservation of the
 * bytes, which knows how many are free.
 */
export function requireFileSize(engines: Pick<Engines, 'policy' | 'scanner'>, sizeBytes: number): void {
  const { bytes, reason } = findFileSizeLimit(engines);
  if (sizeBytes <= bytes || reason === 'storage') return;
  throw reason === 'scan' ? tooLargeToScan(bytes) : tooLarge(bytes);
}

export function tooLarge(maxBytes: number): ExchangeError {
  const message = `The account may send files of up to ${maxBytes} bytes. Send it in smaller parts, or ask the administrator for more.`;
  return new ExchangeError('too_large', message, { maxBytes });
}

function tooLargeToScan(maxBytes: number): ExchangeError {
  const message = `The virus scanner inspects files of up to ${maxBytes} bytes, and this server requires a scan. Send it in smaller parts, or ask the administrator.`;
  return new ExchangeError('too_large_to_scan', message, { maxBytes });
}

/** Returns the smallest of several limits; of equal ones, the first. */
export function smallest<Reason extends FileSizeReason>(
  ...limits: readonly [FileSizeLimit<Reason>, ...FileSizeLimit<Reason>[]]
): FileSizeLimit<Reason> {
  return limits.reduce((least, limit) => (limit.bytes < least.bytes ? limit : least));
}
