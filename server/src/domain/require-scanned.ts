import { readPolicy } from './accounts/read-policy.ts';
import type { Engines } from './engines.ts';
import { ExchangeError } from './exchange-error.ts';
import type { SealedFile } from './files/file-store.ts';

/**
 * The policy may have become stricter since the upload: a file of this account that was never scanned must not be sent
 * now.
 */
export async function requireScanned(
  engines: Pick<Engines, 'store' | 'policy'>,
  accountId: string,
  files: readonly Pick<SealedFile, 'scan' | 'unscannedReason'>[],
): Promise<void> {
  if (engines.policy.scan !== 'required' || files.every(({ scan }) => scan === 'clean')) return;
  const { acceptsEncrypted } = await readPolicy(engines, accountId);
  const isAccepted = ({ scan, unscannedReason }: (typeof files)[number]) =>
    scan === 'clean' || (unscannedReason === 'encrypted' && acceptsEncrypted);
  if (files.every(isAccepted)) return;
  throw new ExchangeError(
    'not_found',
    'The file was never scanned for viruses, and this server requires it now. Ask the sender to send it again.',
  );
}
