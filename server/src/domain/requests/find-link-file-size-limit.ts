import { readPolicy } from '../accounts/read-policy.ts';
import type { Engines } from '../engines.ts';
import type { Link } from '../links/link-store.ts';
import { type FileSizeLimit, findFileSizeLimit, smallest } from '../uploads/find-file-size-limit.ts';
import { bytesLeftFor } from './announce-file.ts';

/** Returns the size of the largest file that a contact can send through a link now. */
export async function findLinkFileSizeLimit(
  engines: Pick<Engines, 'store' | 'policy' | 'scanner'>,
  link: Link,
): Promise<FileSizeLimit> {
  const { accountId } = link;
  const policy = await readPolicy(engines, accountId);
  const [bytesLeft, { storedBytes }] = await Promise.all([
    bytesLeftFor({ ...engines, policy }, link),
    engines.store.quotas.usage(accountId),
  ]);
  return smallest<FileSizeLimit['reason']>(
    findFileSizeLimit({ ...engines, policy }),
    { bytes: bytesLeft, reason: 'link' },
    { bytes: bytesToStore(policy.maxStoredBytes, storedBytes), reason: 'storage' },
  );
}

function bytesToStore(maxStoredBytes: number | null, storedBytes: number): number {
  return maxStoredBytes === null ? Number.POSITIVE_INFINITY : Math.max(0, maxStoredBytes - storedBytes);
}
