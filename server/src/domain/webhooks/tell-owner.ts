import type { Engines } from '../engines.ts';
import { toOperatorsMail } from '../outbox/obsolete-message.ts';
import { sendMail, toOwnAccountMessage } from '../outbox/send-or-keep.ts';

/** The job that mails the owner of a webhook that it was disabled. It is tried again, for days, until it succeeds. */
export const tellOwnerJob = 'tell-owner-of-webhook';

type Needs = Pick<Engines, 'store' | 'mailer' | 'mailTemplates' | 'policy' | 'returnPaths' | 'logger'>;

/** Nothing is sent if the webhook was enabled or removed in the meantime. */
export async function tellOwner(
  { store, mailer, mailTemplates, policy, returnPaths, logger }: Needs,
  accountId: string,
  webhookId: string,
  messageId: string,
): Promise<void> {
  const [account, webhook] = await Promise.all([
    store.accounts.byId(accountId),
    store.webhooks.byId(accountId, webhookId),
  ]);
  if (!account || account.disabled || !webhook?.disabled) return;
  const { at, reason } = webhook.disabled;
  if (reason === 'key_revoked' || reason === 'owner') return;
  const about = toOwnAccountMessage(account, messageId, 'webhook_disabled');
  const { outcome } = await sendMail({ store, mailer }, about, {
    ...toOperatorsMail({ policy, returnPaths }, messageId, account.email),
    ...mailTemplates.webhookDisabled(account.language, {
      to: account.email,
      url: webhook.url,
      reason,
      since: webhook.failingSince ?? at,
    }),
  });
  if (outcome === 'refused')
    logger.warn('the owner of a webhook could not be told that it was disabled', { webhook: webhookId });
}
