import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

/** The next sweep deletes everything that is due and that no other hold keeps. */
export async function releaseHold(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  id: string,
  by: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const released = await tx.holds.release(id, by);
    if (!released) {
      throw new ExchangeError(
        'not_found',
        `No hold ${id} is in force. To see those that are: waybilld admin holds list`,
      );
    }
    const { accountId, dropId, name } = released;
    await record(engines, tx, {
      accountId,
      author: { ...engines.administrator, name: by },
      action: 'hold.released',
      details: { holdId: id, ...(dropId && { dropId }), name },
    });
  });
}
