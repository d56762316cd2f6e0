import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { isUuid } from '../is-uuid.ts';
import { query } from '../query.ts';
import { requireScanned } from '../require-scanned.ts';
import type { DroppedFile, Link } from './link-store.ts';

export async function findDroppedFile(
  engines: Pick<Engines, 'store' | 'policy'>,
  link: Link,
  fileId: string,
): Promise<DroppedFile> {
  const [file] = isUuid(fileId) ? await engines.store.links.files(link, fileId) : [];
  if (!file) throw new ExchangeError('not_found');
  await requireScanned(engines, link.accountId, [file]);
  return file;
}

/** All files of a link, as its receiver has them. */
export const listDroppedFiles = query((store) => store.links.files);
