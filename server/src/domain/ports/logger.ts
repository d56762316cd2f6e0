/**
 * The operator's log, for events of which no request tells: `warn` when something failed, `info` when something
 * happened as it should. Never receives a secret, a code, a token, the text of a message or a person's address.
 */
export interface Logger {
  warn(event: string, details: Readonly<Record<string, string | number>>): void;
  info(event: string, details: Readonly<Record<string, string | number>>): void;
}
