import { linkToken } from '../drops/link-token.ts';
import type { Engines, Random } from '../ports.ts';

/** The job that sends a mail: enqueued in the transaction that makes the mail true. */
export const sendMailJob = 'send-mail';
/** About four days of growing pauses; then the mail is given up, on view. */
export const mostAttempts = 25;
const shortestPauseSeconds = 15;
const longestPauseSeconds = 6 * 60 * 60;
/** Longer than a mail server may take; a mail whose sender died is sent again after it. */
const leaseSeconds = 90;

/**
 * Sends one waiting mail. Its Message-ID is fixed by its row, so that a mail sent twice because a process died between
 * sending and noting it can be recognised as one.
 */
export async function sendMail(
  engines: Pick<Engines, 'store' | 'mailer' | 'letters' | 'keys' | 'random' | 'policy' | 'checkpoint'>,
  accountId: string,
  mailId: string,
): Promise<void> {
  const { store, mailer, keys, policy } = engines;
  const mail = await store.mails.take(accountId, mailId, leaseSeconds);
  if (!mail) return;
  const linkKey = await keys.unwrap(mail.linkKey, mail.keyVersion, mail.dropId);
  const page = mail.dropType === 'downloadfiles' ? 'd' : 'u';
  const link = `${policy.publicUrl}/${page}/${linkToken(linkKey, mail.position)}`;
  const about = { sender: mail.senderEmail, message: mail.message, deadline: mail.expiresAt, link };
  const { files, fileCount, totalBytes } = mail;
  const letter =
    mail.dropType === 'downloadfiles'
      ? engines.letters.drop(mail.language, { ...about, files, fileCount, totalBytes })
      : engines.letters.grant(mail.language, about);
  try {
    const result = await mailer.send({
      messageId: `<${mail.id}@${new URL(policy.publicUrl).hostname}>`,
      from: policy.mailFrom,
      to: mail.to,
      ...letter,
    });
    engines.checkpoint('mail:sent');
    await store.mails.settle(accountId, mailId, result.outcome === 'sent' ? 'sent' : 'given_up', result.answer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (mail.attempts >= mostAttempts) return store.mails.settle(accountId, mailId, 'given_up', reason);
    await store.mails.retry(accountId, mailId, reason, pauseSeconds(mail.attempts, engines.random));
  }
}

/** Doubling, and scattered, so that what failed together is not tried again together. */
export function pauseSeconds(attempts: number, random: Random): number {
  const pause = Math.min(longestPauseSeconds, shortestPauseSeconds * 2 ** (attempts - 1));
  return Math.round(pause * (0.75 + random.bytes(1).readUInt8() / 510));
}
