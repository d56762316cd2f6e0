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
