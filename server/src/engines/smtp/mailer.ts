import { createTransport, type SendMailOptions } from 'nodemailer';
import { reason } from '../../domain/doctor/finding.ts';
import { ConcurrencyLimiter } from '../../domain/flow/concurrency-limiter.ts';
import type { Mail, Mailer } from '../../domain/ports/mailer.ts';
import { SendFailure } from '../../domain/ports/mailer.ts';

export interface SmtpMailer extends Mailer {
  close(): void;
}

export interface SmtpOptions {
  readonly url: string;
  readonly connections: number;
  /** How long a mail waits for a free connection before it is postponed. */
  readonly waitWithinMs?: number;
  /** How long a mail may take once it has a connection. */
  readonly sendWithinMs?: number;
}

/**
 * Deliberately long, as RFC 5321 (4.5.3.2) recommends: a server that takes its time after the last byte of a mail may
 * have accepted it, and a client that stops waiting would send it a second time.
 */
const responseWithinMs = 5 * 60_000;
const defaultSendWithinMs = 10 * 60_000;
/** Short, because while the server hangs, a waiting mail keeps a worker from other jobs. */
const defaultWaitWithinMs = 15_000;

export function smtpMailer(options: SmtpOptions): SmtpMailer {
  const { waitWithinMs = defaultWaitWithinMs, sendWithinMs = defaultSendWithinMs } = options;
  // One connection per transport: the only way to end a send that takes too long without ending others.
  const open = () =>
    createTransport(
      {
        url: options.url,
        pool: true,
        maxConnections: 1,
        maxRequeues: 1,
        connectionTimeout: 10_000,
        greetingTimeout: 30_000,
        socketTimeout: responseWithinMs,
        idleTimeout: 60_000,
      },
      { disableFileAccess: true, disableUrlAccess: true },
    );
  const transports = new Set(Array.from({ length: options.connections }, open));
  const idle = [...transports];
  const limiter = new ConcurrencyLimiter({
    limit: options.connections,
    silenceMs: waitWithinMs,
    waitMs: waitWithinMs,
    maxWaiting: Number.POSITIVE_INFINITY,
  });

  return {
    async send(mail) {
      const { release } = await limiter.acquire().catch(() => {
        throw new SendFailure('The mail server was busy with other mails.', 'no free connection', 'smtp');
      });
      const transport = idle.pop() as ReturnType<typeof open>;
      const deadline = AbortSignal.timeout(sendWithinMs);
      const cut = () => transport.close({ force: true });
      deadline.addEventListener('abort', cut);
      try {
        const info = await transport.sendMail({
          messageId: mail.messageId,
          from: { ...mail.from },
          replyTo: mail.replyTo,
          to: mail.to,
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          ...attach(mail),
          // The envelope is given explicitly, so that nothing in a header can add a recipient.
          envelope: { from: mail.envelopeFrom, to: [mail.to] },
          headers: { 'Auto-Submitted': 'auto-generated', ...stopHeaders(mail) },
          // A report has the mail's headers only, so that it is small whatever is attached.
          ...(mail.reportDelivery === true && { dsn: { return: 'headers', notify: ['success', 'failure'] } }),
        });
        return { outcome: 'sent', response: info.response };
      } catch (error) {
        const failure = error as SmtpError;
        if (isAboutThisMail(failure)) return { outcome: 'refused', response: failure.response ?? failure.message };
        if (isAboutUs(failure)) throw new SendFailure(failure.message, describeFailure(failure), 'smtp');
        // Senders read it, without the words that the driver puts before a reply.
        throw new SendFailure(failure.response ?? failure.message, describeFailure(failure));
      } finally {
        deadline.removeEventListener('abort', cut);
        if (deadline.aborted) {
          transports.delete(transport);
          const fresh = open();
          transports.add(fresh);
          idle.push(fresh);
        } else {
          idle.push(transport);
        }
        release('succeeded');
      }
    },
    close() {
      for (const transport of transports) transport.close();
    },
  };
}

function attach({ logo, attachments = [] }: Mail): Pick<SendMailOptions, 'attachments'> {
  return {
    attachments: [
      // As a part of the HTML, so that mail programs neither list it nor load anything for it.
      ...(logo
        ? [
            {
              cid: 'logo@waybill',
              filename: 'logo.png',
              content: logo,
              contentType: 'image/png',
              contentDisposition: 'inline' as const,
            },
          ]
        : []),
      ...attachments.map(({ name, mediaType, content }) => ({ filename: name, contentType: mediaType, content })),
    ],
  };
}

/** Mail programs offer the link as a button of their own, and post to it themselves (RFC 8058). */
function stopHeaders({ stopLink }: Mail): Record<string, string> {
  if (stopLink === undefined) return {};
  return { 'List-Unsubscribe': `<${stopLink}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** Nodemailer's report of a failure: the command it was waiting on, and the server's reply, if there was one. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/**
 * Replies that can be about a recipient or a mail; other 5xx are about the session: syntax, order, login, encryption.
 */
const repliesAboutMails = new Set([550, 551, 552, 553, 554, 556]);

/**
 * Whether the server rejected this recipient or this mail, which trying again will not change. Everything else is about
 * us or about the server (greeting, TLS, login, sender, being blocked) and ends once an administrator has fixed it.
 * Servers may postpone such rejections until RCPT TO, as Postfix does; the enhanced status code (RFC 3463) tells them
 * apart.
 */
function isAboutThisMail({ code, command, response = '', responseCode = 0 }: SmtpError): boolean {
  if (command !== 'RCPT TO' && command !== 'DATA') return false;
  if (!repliesAboutMails.has(responseCode)) return false;
  const [, subject, detail] = enhancedStatus.exec(response) ?? [];
  if (subject === undefined) return true;
  const afterTheMail = code === 'EMESSAGE';
  // 5.7: security or policy. Before the mail was read, this can only be about who we are.
  if (subject === '7') return afterTheMail;
  // 5.1.7 and 5.1.8: our sender's address. 5.5: the protocol. 5.3: the server, except 5.3.4, a mail too large for it.
  return !(
    (subject === '1' && (detail === '7' || detail === '8')) ||
    subject === '5' ||
    (subject === '3' && detail !== '4')
  );
}

/** Whether every mail would have failed: the server is away, or refused us before it was told of a mail. */
function isAboutUs({ command = '', response }: SmtpError): boolean {
  return response === undefined || !['MAIL FROM', 'RCPT TO', 'DATA'].includes(command);
}

const enhancedStatus = /^\d{3}[ -]5\.(\d{1,3})\.(\d{1,3})\b/;

/** Why there is no connection, or the stage and the reply's codes. Never the reply's text. */
function describeFailure(failure: SmtpError): string {
  const { code, command, response = '', responseCode } = failure;
  if (command === 'CONN' && response === '') return reason(failure);
  const codes = /^\d{3}(?:[ -][245]\.\d{1,3}\.\d{1,3}\b)?/.exec(response)?.[0] ?? responseCode ?? code ?? 'failed';
  return command === undefined || command === 'API' ? String(codes) : `${command}: ${codes}`;
}
