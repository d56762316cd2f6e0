/**
 * An engine answers, and its answer shows that something is set up wrongly: a bucket that does not exist, a master key
 * that opens nothing. Waiting does not help; the message says what to change.
 */
export class SetupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SetupError';
  }
}
