import { ExchangeError } from '../exchange-error.ts';
import type { DroppedFile, Engines, Link } from '../ports.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export async function findDroppedFile(
  engines: Pick<Engines, 'store' | 'policy'>,
  link: Link,
  fileId: string,
): Promise<DroppedFile> {
  const [file] = uuid.test(fileId) ? await engines.store.links.files(link, fileId) : [];
  // The policy may have become stricter since the upload: what was never scanned must not leave now.
  if (!file || (engines.policy.scan === 'required' && file.scan !== 'clean')) throw new ExchangeError('not_found');
  return file;
}
