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

/** Throws a SendFailure when the text may be tried again; returns `refused` when the gateway will never accept it. */
export interface SmsGateway {
  send(sms: { to: string; text: string }): Promise<SendOutcome>;
}

/** How far a connection to the configured mail server gets. */
export interface MailServerFacts {
  /** Why no connection was made, if none was. */
  readonly failure: string | undefined;
  /** The server is on this machine. */
  readonly isLocal: boolean;
  /** The version of TLS; undefined in plain text. */
  readonly tls: string | undefined;
  /** The reply to our user name and password; undefined when the settings have none. */
  readonly login: { readonly accepted: boolean; readonly response: string } | undefined;
}

export type ProbeMailServer = () => Promise<MailServerFacts>;

export interface DnsResponse<Value> {
  /** False when neither the name nor any name below it exists. */
  readonly exists: boolean;
  readonly values: readonly Value[];
}

/** Each method throws when there is no response. */
export interface DnsRecords {
  txt(name: string): Promise<DnsResponse<string>>;
  /** The names of mail servers, best first. */
  mx(name: string): Promise<DnsResponse<string>>;
  addresses(name: string): Promise<DnsResponse<string>>;
}

/** A mail server's report about the delivery of a mail (RFC 3464). Untrusted: anyone may have sent it to us. */
export interface DeliveryReport {
  /** The address that the report was sent to. */
  readonly addresses: readonly string[];
  /** The Message-ID of the mail it is about, if the report contains it. */
  readonly aboutMessageId: string | undefined;
  readonly recipients: readonly {
    readonly action: string;
    readonly status: string;
    readonly diagnostic: string;
    /** The server that took the mail or refused it; empty if the report does not say. */
    readonly server: string;
  }[];
}

/** Undefined when the mail is not such a report. */
export type ReadReport = (mail: Buffer) => Promise<DeliveryReport | undefined>;

/** Mails that a mail server left for us. */
export interface Mailbox {
  /** The names of up to `count` of them. */
  list(count: number): Promise<string[]>;
  /** Undefined when it is larger than `maxBytes`, is not a regular file, or is gone. */
  read(name: string, maxBytes: number): Promise<Buffer | undefined>;
  remove(name: string): Promise<void>;
  /** Keeps it for an administrator, where `list` does not return it. */
  setAside(name: string): Promise<void>;
}
