export interface Mail {
  readonly messageId: string;
  readonly from: { readonly name: string; readonly address: string };
  /** The address that replies go to. */
  readonly replyTo: string;
  /** The address it is returned to if it cannot be delivered. */
  readonly envelopeFrom: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** A PNG that the HTML refers to as `cid:logo@waybill`. */
  readonly logo?: Buffer | undefined;
  readonly attachments?: readonly MailAttachment[] | undefined;
  /** Whether mail servers are asked to report that they have delivered it, as far as they can (RFC 3461). */
  readonly reportDelivery?: boolean | undefined;
  /** With which its reader wants no more of them (RFC 8058). */
  readonly stopLink?: string | undefined;
}

export interface MailAttachment {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

export interface SendOutcome {
  readonly outcome: 'sent' | 'refused';
  readonly response: string;
}

/** Throws a SendFailure when the mail may be tried again; returns `refused` when the server will never accept it. */
export interface Mailer {
  send(mail: Mail): Promise<SendOutcome>;
}

/**
 * A message could not be sent now, but may be tried again. The error's message is for administrators and may quote the
 * server, which may quote the mail; the reason is for the log and quotes neither.
 */
export class SendFailure extends Error {
  readonly reason: string;
  /** With this engine, every message would have failed: it is away, or refuses us. */
  readonly engine: 'smtp' | 'sms' | undefined;

  constructor(message: string, reason: string, engine?: 'smtp' | 'sms') {
    super(message);
    this.name = 'SendFailure';
    this.reason = reason;
    this.engine = engine;
  }
}
