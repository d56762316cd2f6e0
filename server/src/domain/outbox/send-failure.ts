/**
 * A message could not be sent now, but may be tried again. The error's message is for administrators and may quote the
 * server, which may quote the mail; the reason is for the log and quotes neither.
 */
export class SendFailure extends Error {
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.name = 'SendFailure';
    this.reason = reason;
  }
}
