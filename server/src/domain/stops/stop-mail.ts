import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { markUndeliverable, stoppedReason } from '../outbox/abandon-message.ts';
import type { Store } from '../store.ts';
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

type Needs = Pick<Engines, 'store' | 'random'>;

/** From now on, the account's mails to this address are abandoned instead of sent. Links keep working. */
export async function stopMail(engines: Needs, correspondence: Correspondence, from?: string): Promise<void> {
  const { accountId, address, link } = correspondence;
  await engines.store.transaction(async (tx) => {
    if (!(await tx.stops.add(accountId, address))) return;
    await recordChoice(engines, tx, correspondence, from, 'mail.stopped');
    await markUndeliverable(engines, tx, link, { author: undefined, reason: stoppedReason });
  });
}

/** The person has changed their mind. What was abandoned in the meantime is not sent. */
export async function resumeMail(engines: Needs, correspondence: Correspondence, from?: string): Promise<void> {
  const { accountId, address, link } = correspondence;
  await engines.store.transaction(async (tx) => {
    if (!(await tx.stops.remove(accountId, address))) return;
    await tx.links.markReachable(link, stoppedReason);
    await recordChoice(engines, tx, correspondence, from, 'mail.resumed');
  });
}

async function recordChoice(
  engines: Pick<Needs, 'random'>,
  tx: Store,
  { accountId, address, link }: Correspondence,
  from: string | undefined,
  action: 'mail.stopped' | 'mail.resumed',
): Promise<void> {
  const author = linkAuthor(link, from);
  const details = { dropId: link.dropId, address };
  await record(engines, tx, { accountId, author, action, addresses: [address], details });
}
