import type { Actor } from '../actor.ts';
import { type AddedReceiver, prepareReceiver } from './add-receiver.ts';
import type { ReceiverInput } from './receiver-input.ts';
import { revokeLink } from './revoke-sent-drop.ts';
import type { SentId } from './sent-drop-store.ts';
import { lockLive } from './write-to-receivers.ts';

/** Sends to another address in the place of a wrong one, whose link stops working. */
export async function correctReceiver(
  engines: Parameters<typeof prepareReceiver>[0],
  actor: Actor,
  sent: SentId,
  position: number,
  input: ReceiverInput,
): Promise<AddedReceiver> {
  const add = await prepareReceiver(engines, actor, sent, input);
  return engines.store.transaction(async (tx) => {
    await lockLive(tx, actor, sent, undefined);
    const email = await revokeLink(tx, actor, sent, position);
    return add({ store: tx }, undefined, { position, email });
  });
}
