import { ExchangeError } from '../exchange-error.ts';
import type { Policy } from '../policy.ts';
import type { SealedFile } from './file-store.ts';

/** The policy may have become stricter since the upload: a file that was never scanned must not be sent now. */
export function requireScanned(
  { scan, acceptsEncrypted }: Pick<Policy, 'scan' | 'acceptsEncrypted'>,
  file: Pick<SealedFile, 'scan' | 'unscannedReason'>,
): void {
  const isAccepted = file.unscannedReason === 'encrypted' && acceptsEncrypted;
  if (scan === 'required' && file.scan !== 'clean' && !isAccepted) {
    throw new ExchangeError('not_found', 'The file was never scanned for viruses, and this server requires it now.');
  }
}
