import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { markUndeliverable, stoppedReason } from '../outbox/mark-undeliverable.ts';

import type { Correspondence } from './stop-store.ts';

type Needs = Pick<Engines, 'store' | 'random'>;

/** From now on, the account's mails to this address are abandoned instead of sent. Links keep working. */
export async function stopMail(engines: Needs, { accountId, address, link }: Correspondence): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.stops.add(accountId, address))) return;
    await record(engines, tx, { accountId, author: linkAuthor(link), action: 'mail.stopped', details: { address } });
    await markUndeliverable(engines, tx, link, { author: linkAuthor(link), reason: stoppedReason });
  });
}

/** The person has changed their mind. What was abandoned in the meantime is not sent. */
export async function resumeMail(engines: Needs, { accountId, address, link }: Correspondence): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.stops.remove(accountId, address))) return;
    await tx.links.markReachable(link, stoppedReason);
    await record(engines, tx, { accountId, author: linkAuthor(link), action: 'mail.resumed', details: { address } });
  });
}
