import { ExchangeError } from '../exchange-error.ts';
import { unlessUnreadable } from '../files/unreadable-object.ts';
import { discardBuffer } from '../flow/discard-buffer.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { NeededObject } from './backup-place.ts';

/**
 * Copies an object out of the source. A copy that fails does not tell which side is at fault: if the source can read the
 * object, it is the other side, and one more failure ends the work. Throws UnreadableObject if the source cannot.
 */
export async function copyObject(
  source: Pick<ObjectStore, 'read'>,
  { key, bytes }: NeededObject,
  signal: AbortSignal,
  copy: () => Promise<void>,
): Promise<void> {
  try {
    return await copy();
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.code !== 'unavailable') throw error;
  }
  const all = { offset: 0, length: bytes };
  discardBuffer(await unlessUnreadable(source, signal, () => source.read(key, all, signal)));
  await copy();
}
