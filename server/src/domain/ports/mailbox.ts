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
