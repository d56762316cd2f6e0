import { linkToken } from '../drops/link-token.ts';
import type { Engines, WaitingMail } from '../ports.ts';

/** The job that sends a mail: enqueued in the transaction that makes the mail true. */
export const sendMailJob = 'send-mail';
/** About three days of growing pauses; then the mail is given up, on view. */
export const mostAttempts = 25;

/**
 * Sends one waiting mail. Its Message-ID is fixed by its row, so that a mail sent twice because a process died between
 * sending and noting it can be recognised as one.
 */
export async function sendMail(
  engines: Pick<Engines, 'store' | 'mailer' | 'keys' | 'policy' | 'checkpoint'>,
  accountId: string,
  mailId: string,
): Promise<void> {
  const { store, mailer, keys, policy } = engines;
  const mail = await store.mails.take(accountId, mailId);
  if (!mail) return;
  const linkKey = await keys.unwrap(mail.linkKey, mail.keyVersion, mail.dropId);
  const page = mail.dropType === 'downloadfiles' ? 'd' : 'u';
  const link = `${policy.publicUrl}/${page}/${linkToken(linkKey, mail.position)}`;
  try {
    const result = await mailer.send({
      messageId: `<${mail.id}@${new URL(policy.publicUrl).hostname}>`,
      from: policy.mailFrom,
      to: mail.to,
      subject:
        mail.dropType === 'downloadfiles'
          ? `${mail.senderEmail} has sent you files`
          : `${mail.senderEmail} asks you for files`,
      text: body(mail, link),
    });
    engines.checkpoint('mail:sent');
    await store.mails.settle(accountId, mailId, result.outcome === 'sent' ? 'sent' : 'given_up', result.answer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (mail.attempts >= mostAttempts) return store.mails.settle(accountId, mailId, 'given_up', reason);
    await store.mails.noteFailure(accountId, mailId, reason);
    throw error;
  }
}

function body(mail: WaitingMail, link: string): string {
  const until = `${mail.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const lines =
    mail.dropType === 'downloadfiles'
      ? [
          `${mail.senderEmail} has sent you ${mail.fileCount === 1 ? 'a file' : `${mail.fileCount} files`}:`,
          '',
          ...mail.fileNames.map((name) => `  ${name}`),
          ...(mail.fileCount > mail.fileNames.length ? ['  …'] : []),
          '',
          'Download:',
        ]
      : [`${mail.senderEmail} invites you to send files back.`, '', 'Upload:'];
  const message = mail.message === '' ? [] : ['', 'Message:', '', mail.message];
  return [...lines, link, '', `The link is yours alone and works until ${until}.`, ...message, ''].join('\n');
}
