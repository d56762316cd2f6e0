import type { Engines } from '../engines.ts';
import { toOperatorsMail } from '../outbox/obsolete-message.ts';
import { sendMail, toOwnAccountMessage } from '../outbox/send-or-keep.ts';

/** The job that mails the owner of an account how many entries of its inbox are parked. */
export const tellOfParkedJob = 'tell-of-parked-entries';
/** More than the mail ever has to count, and few enough to be counted in a moment. */
const countedUpTo = 100_000;

type Needs = Pick<Engines, 'store' | 'mailer' | 'mailTemplates' | 'policy' | 'returnPaths' | 'logger'>;

/**
 * Writes the events of up to `count` entries that were parked since the last sweep. An entry is parked when its last
 * lease ends, which no request needs to cause, so it is noticed here and nowhere else. Returns how many there were.
 */
export async function reportParkedEntries({ store }: Pick<Engines, 'store'>, count: number): Promise<number> {
  return store.transaction(async (tx) => {
    const parked = await tx.inbox.reportParked(count);
    if (parked.length === 0) return 0;
    await tx.events.append(
      parked.map(({ accountId, id, sender, fileCount, attempts, requestId, senderAccountId, referredId }) => ({
        accountId,
        type: 'inbox.parked',
        data: { inbox_id: id, sender, files: fileCount, attempts, request_id: requestId },
        about: { accountId: senderAccountId, dropId: referredId },
      })),
    );
    return parked.length;
  });
}

/** Nothing is sent if the entries were released or have ended in the meantime. */
export async function tellOfParkedEntries(engines: Needs, accountId: string, messageId: string): Promise<void> {
  const { store, mailTemplates, policy, logger } = engines;
  const [account, count, members] = await Promise.all([
    store.accounts.byId(accountId),
    store.inbox.countParked(accountId, countedUpTo),
    store.people.members(accountId, '', 1),
  ]);
  if (!account || account.disabled || count === 0) return;
  const about = toOwnAccountMessage(account, messageId, 'entries_parked');
  const { outcome } = await sendMail(engines, about, {
    ...toOperatorsMail(engines, messageId, account.email),
    ...mailTemplates.entriesParked(account.language, {
      to: account.email,
      count,
      attempts: policy.inboxAttempts,
      page: members.length > 0 ? `${policy.publicUrl}/${encodeURIComponent(account.email)}/inbox` : undefined,
    }),
  });
  if (outcome === 'refused') logger.warn('the owner of an inbox could not be told of parked entries', { count });
}
