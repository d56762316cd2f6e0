import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Correspondence } from './stop-store.ts';

/** Who wrote the mail that a stop link was in, and to whom. Finding it changes nothing. */
export async function findCorrespondence(
  { store, stopLinks }: Pick<Engines, 'store' | 'stopLinks'>,
  token: string,
): Promise<Correspondence> {
  const messageId = stopLinks.findMessageId(token);
  const found = messageId === undefined ? undefined : await store.stops.correspondence(messageId);
  if (!found) throw new ExchangeError('not_found');
  return found;
}
