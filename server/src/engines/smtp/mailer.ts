import { createTransport } from 'nodemailer';
import type { Mailer } from '../../domain/ports.ts';

export interface SmtpMailer extends Mailer {
  close(): void;
}

export function smtpMailer(options: { url: string }): SmtpMailer {
  const transport = createTransport(
    { url: options.url, pool: true, maxConnections: 4, connectionTimeout: 10_000, socketTimeout: 30_000 },
    { disableFileAccess: true, disableUrlAccess: true },
  );
  return {
    async send(mail) {
      try {
        const info = await transport.sendMail({
          messageId: mail.messageId,
          from: mail.from,
          to: mail.to,
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          // The envelope is said outright: nothing in a header can add a recipient.
          envelope: { from: mail.from, to: [mail.to] },
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return { outcome: 'sent', answer: info.response };
      } catch (error) {
        const code = (error as { responseCode?: unknown }).responseCode;
        if (typeof code === 'number' && code >= 500 && code < 600) {
          return { outcome: 'refused', answer: (error as Error).message };
        }
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
