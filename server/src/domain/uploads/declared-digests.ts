import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireCurrentWriter } from './store-bytes.ts';
import type { DeclaredDigests, Upload, UploadWriter } from './upload-store.ts';

export const noDigests: DeclaredDigests = { sha256: null, sha512: null };
const algorithms = ['sha256', 'sha512'] as const;

/**
 * Records digests that are declared after the upload was begun. Those that were declared before cannot be replaced.
 * Returns all that are declared now.
 */
export async function declareDigests(
  { store }: Pick<Engines, 'store'>,
  writer: UploadWriter,
  upload: Pick<Upload, 'declared' | 'received'>,
  added: DeclaredDigests,
): Promise<DeclaredDigests> {
  let isKnown = true;
  for (const algorithm of algorithms) {
    const [before, now] = [upload.declared[algorithm], added[algorithm]];
    if (before && now && !before.equals(now)) throw new ExchangeError('digest_mismatch');
    if (now && !before) isKnown = false;
  }
  if (isKnown) return upload.declared;
  if (upload.received) {
    throw new ExchangeError('invalid_input', 'All bytes have arrived. Declare a digest before the last of them.');
  }
  const { declared } = upload;
  const all = { sha256: declared.sha256 ?? added.sha256, sha512: declared.sha512 ?? added.sha512 };
  requireCurrentWriter(await store.uploads.declare(writer, all));
  return all;
}
