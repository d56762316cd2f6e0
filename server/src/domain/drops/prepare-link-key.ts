import type { Engines } from '../engines.ts';
import type { DropToWrite } from './write-drop.ts';

/**
 * A new drop's id and the key of its links. Before the transaction: a key provider may be slow, and nothing slow may
 * happen inside a transaction.
 */
export async function prepareLinkKey(
  { dayKeys, random }: Pick<Engines, 'dayKeys' | 'random'>,
  lifetimeSeconds: number,
): Promise<Pick<DropToWrite, 'id' | 'linkKey' | 'wrappedLinkKey'>> {
  const id = random.uuid();
  const linkKey = random.bytes(32);
  return { id, linkKey, wrappedLinkKey: await dayKeys.wrap(linkKey, id, lifetimeSeconds) };
}
