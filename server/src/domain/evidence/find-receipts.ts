import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { isUuid } from '../is-uuid.ts';
import { readIdEnd, toReference } from '../reference.ts';
import type { ProvenReceiver, ReceiverQuery } from './evidence-store.ts';

/**
 * Finds whose receipts can be made of what an account has sent, by its reference or its id. The evidence outlives the rows of a
 * drop, and people know a drop by its reference.
 */
export async function findReceipts(
  { store }: Pick<Engines, 'store'>,
  { name, ...query }: Omit<ReceiverQuery, 'idEnd' | 'dropId'> & { readonly name: string },
  count: number,
): Promise<ProvenReceiver[]> {
  const dropId = isUuid(name) ? name : undefined;
  const idEnd = readIdEnd(dropId === undefined ? name : toReference(dropId));
  if (idEnd === undefined)
    throw new ExchangeError('invalid_input', 'Send a reference such as WB-7F3K-29QD, or the id of a drop or request.');
  return store.evidence.findReceivers({ ...query, idEnd, dropId }, count);
}
