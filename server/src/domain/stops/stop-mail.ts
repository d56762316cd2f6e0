import type { Account } from '../accounts/account-store.ts';
import { requireWithinLimits } from '../accounts/require-allowed-receivers.ts';
import type { ByCommand } from '../audit/audit-store.ts';
import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { markUndeliverable, stoppedReason } from '../outbox/abandon-message.ts';
import { query } from '../query.ts';
import type { Store } from '../store.ts';
import type { Correspondence } from './stop-store.ts';

/** Finds the sender and the reader of the mail that a stop link was in. Changes nothing. */
export async function findCorrespondence(
  { store, stopLinks }: Pick<Engines, 'store' | 'stopLinks'>,
  token: string,
): Promise<Correspondence> {
  const messageId = stopLinks.findId(token);
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

/** For an administrator whom the person has asked to. */
export async function removeStop(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  account: Account,
  text: string,
): Promise<void> {
  const address = emailAddress(text);
  await engines.store.transaction(async (tx) => {
    if (!(await tx.stops.remove(account.id, address))) {
      throw new ExchangeError('not_found', `${address} has not stopped mail from ${account.email}.`);
    }
    await record(engines, tx, {
      accountId: account.id,
      author: engines.administrator,
      action: 'mail.resumed',
      addresses: [address],
      details: { address },
    });
  });
}

export const listStops = query((store) => store.stops.page);

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
    const isTest = (await tx.accounts.byId(accountId))?.testOf != null;
    await requireWithinLimits(engines, { isTest }, `reports of ${accountId}`, [supportAddress]);
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
