import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { DeliveryReport, Mailbox } from '../ports/mailer.ts';
import { toReference } from '../reference.ts';
import { abandonMessage } from './abandon-message.ts';
import { findReceiverStory } from './obsolete-message.ts';

/** The rest is read next time. */
const mailsAtOnce = 1000;

/** Reads returned mails and removes them. Several workers may do so at once: a mail that is read twice counts once. */
export async function readBounces(
  engines: Pick<Engines, 'store' | 'random' | 'readReport' | 'returnPaths' | 'logger'>,
  mailbox: Mailbox,
  signal?: AbortSignal,
): Promise<void> {
  for (const name of await mailbox.list(mailsAtOnce)) {
    signal?.throwIfAborted();
    try {
      const mail = await mailbox.read(name, maxBounceBytes);
      if (mail) await recordBounce(engines, mail);
    } catch (error) {
      // While the database is unavailable, the mail stays where it is.
      if (error instanceof ExchangeError && error.code === 'unavailable') throw error;
      engines.logger.warn('a mail that came back could not be read and was set aside', {
        reason: error instanceof Error ? error.name : 'unknown',
      });
      await mailbox.setAside(name);
      continue;
    }
    await mailbox.remove(name);
  }
}

/** The longest report that is read: more than a mail server returns of one of our mails, which is about 30 kB. */
export const maxBounceBytes = 1024 ** 2;

export type BounceResult =
  | 'undeliverable'
  | 'accepted'
  | 'recorded'
  | 'not a report'
  | 'not ours'
  | 'not permanent'
  | 'known';

type Needs = Pick<Engines, 'store' | 'random' | 'readReport' | 'returnPaths' | 'logger'>;

/**
 * Records a mail that came to the return path of a message. Anyone can send one, so only a report of a permanent
 * failure, or of a delivery, has an effect, and only if it was sent to the address that only the message itself contained.
 */
export async function recordBounce(engines: Needs, mail: Buffer): Promise<BounceResult> {
  const report = mail.length > maxBounceBytes ? undefined : await engines.readReport(mail);
  if (!report) return 'not a report';
  const messageId = findMessageId(engines, report);
  if (messageId === undefined) return 'not ours';
  const failure = findPermanentFailure(report);
  const delivered = findDelivery(report);
  if (failure === undefined && delivered === undefined) return 'not permanent';
  const accountId = await engines.store.outbox.findAccountId(messageId);
  if (accountId === undefined) return 'not ours';
  if (failure === undefined) return recordAccepted(engines, accountId, messageId, delivered as Delivery);
  const outcome = `returned: ${failure.response}`;
  const given = await abandonMessage(engines, accountId, messageId, { ...failure, outcome, actor: 'mail server' });
  if (!given) return 'known';
  const result = given.undeliverable ? 'undeliverable' : 'recorded';
  engines.logger.warn('a mail was returned', { message: messageId, reference: toReference(given.dropId), result });
  return result;
}

/** Records that the receiving server has a mail, once. */
async function recordAccepted(
  { store }: Needs,
  accountId: string,
  messageId: string,
  { status, server }: Delivery,
): Promise<'accepted' | 'known'> {
  return store.transaction(async (tx) => {
    const accepted = await tx.outbox.recordAccepted(accountId, messageId);
    if (!accepted) return 'known';
    const story = findReceiverStory(accountId, accepted);
    if (story) {
      const data = { to: accepted.to, status, ...(server !== '' && { server }) };
      await tx.evidence.append([{ ...story, kind: 'notification.accepted', data }]);
    }
    return 'accepted';
  });
}

/** The message that the address belongs to, unless the report itself says that it is about a different mail. */
function findMessageId({ returnPaths }: Needs, { addresses, aboutMessageId }: DeliveryReport): string | undefined {
  const messageId = addresses.map((address) => returnPaths?.findMessageId(address)).find((id) => id !== undefined);
  const isAboutIt = aboutMessageId === undefined || aboutMessageId.startsWith(`<${messageId}@`);
  return isAboutIt ? messageId : undefined;
}

type Delivery = Pick<DeliveryReport['recipients'][number], 'status' | 'server'>;

/** Finds that every recipient has the mail, or that a server has taken it that reports nothing itself (RFC 3464, 2.3.3). */
function findDelivery({ recipients }: DeliveryReport): Delivery | undefined {
  const isTaken = recipients.every(
    ({ action, status }) => /^(?:delivered|relayed)$/.test(action) && /^2\.\d{1,3}\.\d{1,3}$/.test(status),
  );
  return isTaken ? recipients[0] : undefined;
}

/**
 * Returns the server's reply and its status if it reports that delivery to every recipient has failed: it will not try again (RFC
 * 3464, 2.3.3). The status may still be a temporary one, if the server has tried for too long. An alias may have
 * several recipients.
 */
function findPermanentFailure({ recipients }: DeliveryReport): { response: string; status: string } | undefined {
  const [first] = recipients;
  const failed = recipients.every(
    ({ action, status }) => action === 'failed' && /^[45]\.\d{1,3}\.\d{1,3}$/.test(status),
  );
  return first && failed ? { response: first.diagnostic || first.status, status: first.status } : undefined;
}
