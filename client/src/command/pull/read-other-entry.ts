import { isWaybillError } from '../../errors.ts';
import type { Waybill } from '../../waybill.ts';
import { takeFirst } from '../commands/lists.ts';

/** An inbox can be long. */
const maxListedEntries = 100;

/**
 * Returns whether the server can read an entry that is waiting, besides the given one: then a failure of the given one is
 * no condition of the whole server. The entry is chosen at random, because others may be unreadable, too.
 */
export async function canReadOtherEntry(client: Waybill, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    const others: string[] = [];
    for await (const entry of takeFirst(client.inbox.list({ state: 'available', signal }), maxListedEntries))
      if (entry.id !== id) others.push(entry.id);
    const entry = others[Math.floor(Math.random() * others.length)];
    if (entry === undefined) return false;
    const { files } = await client.inbox.get(entry, { signal });
    // One byte of more than one: no file is sent in full that this machine does not store.
    const file = files.find(({ size }) => size > 1);
    if (file === undefined) return false;
    await client.readFirstByte({ ...file, entry }, { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!isWaybillError(error)) throw error;
    return false;
  }
}
