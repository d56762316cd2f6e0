import { ExchangeError } from '../exchange-error.ts';
import { requireScanned } from '../files/require-scanned.ts';
import type { DroppedFile, Engines, Link } from '../ports.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export async function findDroppedFile(
  engines: Pick<Engines, 'store' | 'policy'>,
  link: Link,
  fileId: string,
): Promise<DroppedFile> {
  const [file] = uuid.test(fileId) ? await engines.store.links.files(link, fileId) : [];
  if (!file) throw new ExchangeError('not_found');
  requireScanned(engines.policy, file);
  return file;
}
