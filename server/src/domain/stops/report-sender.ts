import { requireWithinLimits } from '../accounts/require-allowed-receivers.ts';
import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Correspondence } from './stop-store.ts';

/**
 * Sends the operator one mail for each link through which a sender is reported, within the limits that apply to an
 * account's own messages.
 */
export async function reportSender(
  engines: Pick<Engines, 'store' | 'random' | 'policy' | 'messageLimit'>,
  { link }: Correspondence,
  from?: string,
): Promise<void> {
  const { supportAddress } = engines.policy;
  const { accountId, dropId, position } = link;
  if (supportAddress === undefined) throw new ExchangeError('not_found');
  await engines.store.transaction(async (tx) => {
    if (!(await tx.stops.report(link))) return;
    // Counted apart from the account's own messages, which others must not be able to use up.
    await requireWithinLimits(engines, `reports of ${accountId}`, [supportAddress]);
    await tx.outbox.enqueue(accountId, {
      id: engines.random.uuid(),
      kind: 'report',
      channel: 'mail',
      dropId,
      position,
      receiver: supportAddress,
    });
    await record(engines, tx, {
      accountId,
      author: linkAuthor(link, from),
      action: 'sender.reported',
      details: { dropId, position },
    });
  });
}
