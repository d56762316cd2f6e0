import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';

/** Ends up to `count` drops that are past their deadline. Returns how many. */
export async function endExpired({ store }: Pick<Engines, 'store'>, count: number): Promise<number> {
  return store.transaction(async (tx) => {
    const ended = await tx.drops.endExpired(count);
    await tx.evidence.append(
      ended.map(({ accountId, dropId, keyDay }) => {
        return { accountId, dropId, kind: 'drop.expired', data: { key_day: keyDay } };
      }),
    );
    await tx.events.append(ended.flatMap((drop) => dropEvents(drop, 'expired')));
    return ended.length;
  });
}
