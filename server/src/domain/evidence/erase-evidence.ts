import type { ByCommand } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { BatchSize } from '../batch.ts';
import type { Engines } from '../engines.ts';
import { query } from '../query.ts';

const batchSize: BatchSize = { owners: 100, rows: 1000 };

/** How many entries were erased, and how many still name the address. */
export interface Erasure {
  readonly erased: number;
  readonly remaining: number;
}

/**
 * Erases the evidence that names this address or phone number, and everything in the stories of receivers who have it.
 * The leaves of the log stay. What a legal hold covers, and what is not in the log yet, remains. The audit entry does not
 * say whose evidence it was.
 */
export async function eraseEvidence(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  address: string,
): Promise<Erasure> {
  const { store } = engines;
  let erased = 0;
  for (let isFirst = true; ; isFirst = false) {
    const { rows, more } = await store.transaction(async (tx) => {
      const batch = await tx.evidence.eraseNaming(address, batchSize);
      if (isFirst && batch.rows > 0) {
        await record(engines, tx, {
          accountId: serverAccountId,
          author: engines.administrator,
          action: 'evidence.erased',
        });
      }
      return batch;
    });
    erased += rows;
    if (!more) break;
  }
  return { erased, remaining: await store.evidence.countNaming(address) };
}

export const countNaming = query((store) => store.evidence.countNaming);
