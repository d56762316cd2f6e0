import { formatPolicy } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { toVerifierKey } from './signing-keys.ts';

/**
 * Returns the keys of all epochs as a policy by which receipts are verified; retired keys have signed what was published
 * before. Without a log yet, it is empty. `rules` are the lines of witnesses and the quorum.
 */
export async function makeLogPolicy(
  { store, policy }: Pick<Engines, 'store' | 'policy'>,
  rules?: string,
): Promise<string> {
  const logs = await store.evidenceLog.list();
  if (logs.length === 0) return '';
  const keys = await store.evidenceLog.listKeys();
  const lines = logs.flatMap(({ epoch, origin }) =>
    keys
      .filter((key) => key.epoch === epoch)
      .map((key) => ({ key: toVerifierKey(origin, key), url: `${policy.publicUrl}/log/${epoch}` })),
  );
  return formatPolicy(lines, rules);
}
