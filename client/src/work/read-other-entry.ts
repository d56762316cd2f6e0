import { isWaybillError } from '../errors.ts';
import { requestFirstByte, toRemoteFile } from '../transfer/download.ts';
import type { WorkNeeds } from './work-context.ts';

/** An inbox can be long. */
const maxListedEntries = 100;

/**
 * Returns whether the server can read an entry that is waiting, besides the given one: then a failure of the given one is
 * no condition of the whole server. The entry is chosen at random, because others may be unreadable, too.
 */
export async function canReadOtherEntry(
  { api, inbox }: Pick<WorkNeeds, 'api' | 'inbox'>,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const others: string[] = [];
    for await (const entry of inbox.list({ state: 'available', signal })) {
      if (entry.id !== id) others.push(entry.id);
      if (others.length === maxListedEntries) break;
    }
    const entry = others[Math.floor(api.runtime.random() * others.length)];
    if (entry === undefined) return false;
    const { files } = await inbox.get(entry, { signal });
    // One byte of more than one: no file is sent in full that this machine does not store.
    const file = files.find(({ size }) => size > 1);
    if (file === undefined) return false;
    await requestFirstByte(api, toRemoteFile({ ...file, entry }), { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!isWaybillError(error)) throw error;
    return false;
  }
}
