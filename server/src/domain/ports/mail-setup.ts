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
